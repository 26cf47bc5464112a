"""The examples in docstrings are true."""

import doctest
import importlib
from pathlib import Path

import pytest

import macro_engine
import macro_tui

MODULES = [
    ".".join([package.__name__, *path.relative_to(root).with_suffix("").parts]).removesuffix(
        ".__init__"
    )
    for package in (macro_engine, macro_tui)
    for root in [Path(package.__file__).parent]
    for path in sorted(root.rglob("*.py"))
    if ">>>" in path.read_text("utf-8")
]


@pytest.mark.slow
@pytest.mark.parametrize("module", MODULES)
def test_examples(module):
    failed, tried = doctest.testmod(importlib.import_module(module))
    assert tried > 0
    assert failed == 0
