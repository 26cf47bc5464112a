"""Packages with plugins, as if they were installed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "extending.md"


def blocks(language):
    """The code of the page, block by block."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)


def install(folder, name, code, plugins):
    """A package with one module, in a folder that is on the path."""
    (folder / f"{plugins['mine']}.py").write_text(code)
    info = folder / f"{name.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = [f"{plugin} = {module}\n" for plugin, module in plugins.items()]
    (info / "entry_points.txt").write_text("".join(["[macro_tui.plugins]\n", *lines]))
    return folder


def install_page(folder):
    """The package that the page describes."""
    (text,) = blocks("toml")
    project = tomllib.loads(text)["project"]
    return install(
        folder,
        project["name"],
        "\n\n".join(blocks("python")),
        project["entry-points"]["macro_tui.plugins"],
    )


def macro_tui(folder, *arguments, **options):
    """Runs the program with the packages of a folder installed."""
    path = os.pathsep.join(filter(None, [str(folder), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, "-m", "macro_tui", *map(str, arguments)],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONPATH": path},
        check=False,
        **options,
    )
