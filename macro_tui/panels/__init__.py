"""The panels: each draws the scene with functions of `macro_tui.view`."""
