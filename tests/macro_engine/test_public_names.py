"""What other programs may rely on: the names, their types, and the page that shows them."""

import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest

import macro_engine

NAMES = {
    "Macro",
    "MacroClassifier",
    "MacroError",
    "NearestMeanClassifier",
    "RunResult",
    "UsageError",
    "open_run",
    "replay",
}
PAGE = Path(__file__).parents[2] / "docs" / "python.md"


def test_these_names_are_exported():
    assert set(macro_engine.__all__) == NAMES
    assert set(dir(macro_engine)) >= NAMES
    for name in NAMES:
        assert getattr(macro_engine, name).__name__ == name


def test_another_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="has no attribute 'replays'"):
        _ = macro_engine.replays


def test_types_are_shipped():
    assert (Path(macro_engine.__file__).parent / "py.typed").is_file()


def public_functions():
    for name in sorted(NAMES - {"MacroError", "UsageError"}):
        value = getattr(macro_engine, name)
        if inspect.isfunction(value):
            yield pytest.param(value, id=name)
            continue
        for attribute, found in vars(value).items():
            function = found.fget if isinstance(found, property) else found
            is_public = not attribute.startswith("_") or attribute == "__init__"
            if inspect.isfunction(function) and is_public:
                yield pytest.param(function, id=f"{name}.{attribute}")


@pytest.mark.parametrize("function", list(public_functions()))
def test_everything_public_says_its_types(function):
    parameters = inspect.signature(function).parameters.values()
    untyped = [
        p.name for p in parameters if p.annotation is inspect.Parameter.empty and p.name != "self"
    ]
    assert untyped == []
    assert "return" in function.__annotations__


@pytest.mark.slow
def test_the_package_alone_loads_nothing_heavy():
    code = (
        "import sys, macro_engine\nprint(*{'numpy', 'polars', 'numba', 'river'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_the_page_about_python_is_true(capsys):
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert len(blocks) >= 7
    names = {}
    for block in blocks:
        exec(compile(block, str(PAGE), "exec"), names)
    said = capsys.readouterr().out
    assert "True\n--distance: 'labls' is unknown, did you mean 'labels'?" in said
    assert "finished" in said
    assert "43 of 120 wrong, with 3 subroutines" in said
