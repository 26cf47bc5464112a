"""What the driver sends to the terminal."""

from macro_tui.driver import counting


class Sent:
    """A driver that keeps what it is to send."""

    def __init__(self):
        self.data = []

    def write(self, data):
        self.data.append(data)


def test_no_shape_of_the_pointer_is_sent_which_rings_the_bell_of_an_old_terminal():
    driver = counting(Sent)()
    for data in ("\x1b]22;default\x07", "\x1b[1;1Hfirst\x1b]22;text\x07 line", "\x07"):
        driver.write(data)
    assert driver.data == ["\x1b[1;1Hfirst line", "\x07"]  # an alarm still rings
    assert (driver.frames, driver.sent) == (2, 17)
