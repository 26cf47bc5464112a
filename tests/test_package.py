"""What is built to be published: all that the program needs is in it, and what it says of itself."""

import subprocess
import sys
import tarfile
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

from macro_engine import __version__
from macro_tui.cli.demo import AIRPORTS

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """A wheel and an sdist, built as `python -m build` does, without the network."""
    folder = tmp_path_factory.mktemp("dist")
    build = "import sys; from hatchling.build import build_sdist, build_wheel; "
    build += "build_wheel(sys.argv[1]); build_sdist(sys.argv[1])"
    subprocess.run([sys.executable, "-c", build, str(folder)], cwd=ROOT, check=True)
    return folder


def wheel_of(built):
    return zipfile.ZipFile(next(built.glob("*.whl")))


def test_the_wheel_has_every_module_style_and_recording(built):
    with wheel_of(built) as wheel:
        names = set(wheel.namelist())
    for package in ("macro_engine", "macro_tui"):
        for path in (ROOT / package).rglob("*"):
            if path.suffix in (".py", ".tcss") or path.name == "py.typed":
                assert path.relative_to(ROOT).as_posix() in names
    assert {f"macro_tui/replays/airline-{airport}.parquet" for airport in AIRPORTS} <= names
    assert "macro_tui/replays/flights-small.csv" in names
    assert not [name for name in names if name.startswith(("tests/", "docs/"))]


def test_the_sdist_has_what_the_tests_and_the_wheel_are_made_from(built):
    with tarfile.open(next(built.glob("*.tar.gz"))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    wanted = {"pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff"}
    assert wanted | {"replays/airline-ATL.parquet", "tests/conftest.py", "docs/index.md"} <= names


def test_the_metadata_is_complete(built):
    with wheel_of(built) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith("/METADATA"))
        found = Parser().parsestr(wheel.read(name).decode())
    assert (found["Name"], found["Version"]) == ("macro-tui", __version__)
    assert found["License-Expression"] == "MIT"
    assert found["Requires-Python"] == ">=3.11"
    assert found["Author"] or found["Author-email"]
    assert len(found.get_all("Classifier")) >= 8
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert set(found.get_all("Provides-Extra")) == set(extras["optional-dependencies"])


def test_it_runs_from_the_wheel_without_the_sources(built, tmp_path):
    with wheel_of(built) as wheel:
        wheel.extractall(tmp_path / "installed")
    script = f"import sys; sys.path.insert(0, {str(tmp_path / 'installed')!r}); "
    script += "import macro_tui, macro_tui.cli as cli; "
    script += f"assert macro_tui.__file__.startswith({str(tmp_path)!r}); "
    script += "sys.exit(cli.main(['inspect', 'airline-DEN.parquet']))"
    command = [sys.executable, "-P", "-c", script]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "66,799" in done.stdout or "airline-DEN" in done.stdout


def test_the_citation_has_the_version():
    text = (ROOT / "CITATION.cff").read_text()
    assert f"version: {__version__}" in text
    assert "Zimin" in text
    assert "Lampert" in text
