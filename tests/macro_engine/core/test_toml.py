import tomllib

from macro_engine.core.toml import to_toml


def test_every_kind_of_setting_reads_back():
    settings = {
        "sort": True,
        "blend": False,
        "max_step": 77,
        "delta": 0.05,
        "thresholds": [0.1, float("inf")],
        "label": 'a "b" \\ \x1b \x7f > 1',
        "bounds": {"a b": [0.0, 1.0]},
    }
    assert tomllib.loads(to_toml(settings)) == settings
