"""The panels: each turns the scene into a picture by functions of `macro_tui.view`."""
