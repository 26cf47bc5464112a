"""`macro-tui doctor`: checks this terminal and this machine."""

from __future__ import annotations

import argparse
import os
import sys

EXAMPLES = ("macro-tui doctor",)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """It takes none."""
    del parser


def run(arguments: argparse.Namespace) -> int:
    """The exit code is 1 where something keeps the program from running."""
    del arguments
    from macro_tui.checkup import check_up
    from macro_tui.versions import versions_text

    print(versions_text())
    findings = list(check_up(os.environ, sys.stdout.isatty()))
    for finding in findings:
        mark = {"ok": "  ", "odd": "! ", "bad": "X "}[finding.state]
        print(f"{mark}{finding.what:<15} {finding.found}")
        if finding.cure:
            print(f"{'':17} -> {finding.cure}")
    odd = sum(finding.state == "odd" for finding in findings)
    bad = sum(finding.state == "bad" for finding in findings)
    print("no problems found" if not odd + bad else f"{bad} to fix (X), {odd} to note (!)")
    return 1 if bad else 0
