"""What is loaded when, and where it is loaded from."""

import ast
import json
import os
import subprocess
import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement

import macro_engine
import macro_tui

TUI = Path(macro_tui.__file__).parent
HEAVY = ("river", "numba", "polars", "textual")


def modules_after(code):
    """The top-level modules that a fresh interpreter has loaded after running the code."""
    script = (
        f"import sys\n{code}\nprint('\\n' + ' '.join({{m.split('.')[0] for m in sys.modules}}))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.splitlines()[-1].split())


@pytest.mark.slow
def test_help_loads_nothing_heavy():
    code = "from macro_tui.cli import main\ntry: main(['--help'])\nexcept SystemExit: pass"
    assert not modules_after(code).intersection(HEAVY)


@pytest.mark.slow
def test_the_monitor_paints_before_anything_heavy_is_loaded():
    code = """
from macro_tui.cli import parser_of
parsed = parser_of('replay').parse_args(['replay', 'x.csv', '--alarm', 'birth'])
from macro_tui.cli.replay import speed_of
from macro_tui.cli.screen import options_of
from macro_tui.monitor import monitor
speed_of(parsed), options_of(parsed, "name")
"""
    loaded = modules_after(code)
    assert "textual" in loaded
    assert not loaded.intersection({"river", "numba", "polars", "numpy", "sqlite3"})


@pytest.mark.slow
def test_the_monitor_of_a_live_tail_paints_before_anything_heavy_is_loaded(tmp_path):
    code = f"""
from macro_tui.cli import parser_of, tail
parsed = parser_of('tail').parse_args(['tail', {str(tmp_path / "live.csv")!r}, '--alarm', 'birth'])
import sys, macro_tui.monitor
sys.stdout.isatty = sys.stdin.isatty = lambda: True
opened = []
macro_tui.monitor.monitor = lambda *arguments: opened.append(arguments) or 0
parsed.run(parsed)
assert opened
"""
    loaded = modules_after(code)
    assert "textual" in loaded
    assert not loaded.intersection({"river", "numba", "polars", "numpy", "sqlite3"})


@pytest.mark.slow
def test_the_engine_never_loads_textual():
    root = Path(macro_engine.__file__).parent
    names = [
        ".".join(["macro_engine", *path.relative_to(root).with_suffix("").parts])
        for path in root.rglob("*.py")
    ]
    assert len(names) > 30
    loaded = modules_after("\n".join(f"import {name}" for name in names if "__init__" not in name))
    assert "polars" in loaded
    assert "textual" not in loaded


def test_the_tests_run_against_the_installed_package():
    direct = distribution("macro-tui").read_text("direct_url.json")
    editable = direct and json.loads(direct).get("dir_info", {}).get("editable", False)
    assert editable or "site-packages" in Path(macro_engine.__file__).parts


@pytest.mark.slow
def test_the_compiled_path_needs_no_river(tmp_path):
    (tmp_path / "d.csv").write_text("a,y\n1,p\n2,q\n")
    code = f"from macro_tui.cli import main\nmain(['replay', {str(tmp_path / 'd.csv')!r}])"
    loaded = modules_after(code)
    assert "numba" in loaded
    assert "river" not in loaded


@pytest.mark.slow
def test_inspecting_needs_no_river(tmp_path):
    (tmp_path / "d.csv").write_text("a,y\n1,p\n2,q\n")
    code = f"from macro_tui.cli import main\nmain(['inspect', {str(tmp_path / 'd.csv')!r}])"
    assert "river" not in modules_after(code)


@pytest.mark.slow
def test_kernels_need_no_linear_algebra_and_those_of_the_user_find_it():
    code = (
        "import sys, numpy as np\n"
        "from macro_engine.core.compiling import compiled\n"
        "assert compiled(lambda x: x + 1)(1) == 2\n"
        "assert 'scipy.linalg' not in sys.modules\n"
        "assert compiled(lambda x: np.dot(x, x))(np.ones(3)) == 3.0\n"
        "assert 'scipy.linalg' in sys.modules"
    )
    modules_after(code)


@pytest.mark.slow
def test_a_cache_folder_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way of the folder")
    code = "from macro_engine.core.compiling import compiled\nprint(compiled(lambda x: x + 1)(1))\n"
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path / "file")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "2\n"


def engine_imports(root):
    """The modules of the engine that each module of a folder imports, anywhere in it."""
    for path in sorted(root.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            for name in names:
                if name.split(".")[0] == "macro_engine":
                    yield path.relative_to(root).as_posix(), name


@pytest.mark.parametrize("folder", ["panels", "widgets", "view"])
def test_what_is_shown_of_a_run_comes_from_its_view(folder):
    allowed = ("macro_engine.run.view", "macro_engine.core.format", "macro_engine.core.escape")
    assert [
        (path, name) for path, name in engine_imports(TUI / folder) if name not in allowed
    ] == []


def test_the_view_of_a_run_is_what_is_imported():
    assert ("scene.py", "macro_engine.run.view") in set(engine_imports(TUI / "view"))


@pytest.mark.slow
def test_what_panels_show_is_made_without_textual():
    root = Path(macro_tui.__file__).parent / "view"
    names = [f"macro_tui.view.{path.stem}" for path in root.glob("*.py") if "__" not in path.name]
    assert len(names) > 15
    loaded = modules_after("\n".join(f"import {name}" for name in names))
    assert "numpy" in loaded
    assert "textual" not in loaded


# a storey may use its own and those below
STOREYS = (
    {"core"},
    {"stream", "options", "discrepancy", "subroutines", "strategies", "blend"},
    {"algorithm", "work"},
    {"run"},
    {"datasets", "estimator", "experiments", "fleet"},
    {"__init__"},
)


@pytest.mark.slow
def test_no_import_of_the_engine_goes_upstairs():
    storey_of = {name: storey for storey, names in enumerate(STOREYS) for name in names}
    edges = [
        (path, name)
        for path, name in engine_imports(Path(macro_engine.__file__).parent)
        if "." in name
    ]
    assert len(edges) > 500

    def storey(parts):
        return storey_of[parts[0].removesuffix(".py")]

    assert [
        (path, name)
        for path, name in edges
        if storey(name.split(".")[1:]) > storey(path.split("/"))
    ] == []


def test_a_module_is_read_in_one_sitting():
    folders = (Path(macro_engine.__file__).parent, TUI)
    paths = [path for folder in folders for path in folder.rglob("*.py")]
    assert len(paths) > 300
    assert [path.name for path in paths if len(path.read_text().splitlines()) > 400] == []


def test_the_base_dependencies_are_these():
    needed = [Requirement(text) for text in distribution("macro-tui").requires]
    base = {one.name for one in needed if one.marker is None}
    assert base == {"numba", "numpy", "polars", "rich", "river", "textual"}


def test_the_tests_pull_in_no_service():
    needed = [Requirement(text) for text in distribution("macro-tui").requires]
    extras = distribution("macro-tui").metadata.get_all("Provides-Extra")
    of = {
        extra: {one.name for one in needed if one.marker and one.marker.evaluate({"extra": extra})}
        for extra in extras
    }
    services = set().union(*(of[extra] for extra in extras if extra not in ("test", "lint")))
    assert of["test"]
    assert of["test"].isdisjoint(services)
