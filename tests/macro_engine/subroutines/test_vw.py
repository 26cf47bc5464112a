import subprocess
import sys
from pathlib import Path

import pytest
from extras import needs_vw
from made_streams import random_block

from macro_engine.core.errors import UsageError
from macro_engine.subroutines import resolve
from macro_engine.subroutines.vw import texts

pytestmark = needs_vw

ALONE = "--loss_function logistic --quiet --no_stdin"


def rows(seed, n=25, classes=2):
    return random_block(seed, classes, [n]).rows


def run_by_itself():
    import vowpalwabbit

    return vowpalwabbit.Workspace(ALONE)


def learn_alone(workspace, step, positive=1):
    for text, label in zip(texts(step), step.labels, strict=True):
        workspace.learn(f"{1 if label == positive else -1} {text}")


def margins(workspace, step):
    return [workspace.predict(text) for text in texts(step)]


@pytest.mark.parametrize("classes", [2, 3])
def test_it_equals_vowpal_wabbit_run_by_itself_over_the_rows_it_saw(classes):
    create = resolve("vw")
    names = tuple(map(str, range(classes)))
    one, other = create(names), create(names)  # share the parser, see different rows
    positives = [1] if classes == 2 else range(classes)
    alone = [run_by_itself() for _ in positives]
    for seed in range(8):
        step = rows(seed, classes=classes)
        other.predict(step)
        one.predict(step)
        if seed % 3 == 2:
            other.learn(step)
            continue
        other.learn(step)
        one.learn(step)
        for workspace, positive in zip(alone, positives, strict=True):
            learn_alone(workspace, step, positive)
    step = rows(99, classes=classes)
    examples = one.parser.examples(step)
    for model, workspace in zip(one.models, alone, strict=True):
        assert [model.predict(e) for e in examples] == margins(workspace, step)
    found = zip(*(margins(workspace, step) for workspace in alone), strict=True)
    expected = [int(m[0] > 0) if classes == 2 else m.index(max(m)) for m in map(list, found)]
    assert one.predict(step).tolist() == expected


def test_a_copy_goes_on_with_logistic_loss():
    parent = resolve("vw")(("0", "1"))
    alone = run_by_itself()
    for seed in range(3):
        parent.learn(rows(seed))
        learn_alone(alone, rows(seed))
    child = parent.copy()
    for seed in range(3, 6):
        child.learn(rows(seed))
        learn_alone(alone, rows(seed))
    examples = child.parser.examples(step := rows(99))
    assert [child.models[0].predict(e) for e in examples] == margins(alone, step)


def test_what_was_finished_can_be_finished_again():
    create = resolve("vw")
    one, other = create(("0", "1")), create(("0", "1"))
    one.learn(rows(0))
    for subroutine in (one, other, one):
        subroutine.finish()


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="needs Linux's /proc")
def test_five_hundred_of_them_fit_in_a_gigabyte():
    script = (
        "import re\n"
        "from macro_engine.subroutines import resolve\n"
        "create = resolve('vw')\n"
        "kept = [create(('0', '1')) for _ in range(500)]\n"
        "status = open('/proc/self/status').read()\n"  # getrusage starts at the parent's peak
        "print(int(re.search(r'VmHWM:\\s+(\\d+)', status)[1]) // 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 1000


def test_without_the_extra_it_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "vowpalwabbit", None)
    with pytest.raises(UsageError, match=r"install 'vowpalwabbit"):
        resolve("vw")


def test_a_temporary_folder_may_have_a_space_in_its_name(tmp_path, monkeypatch):
    (tmp_path / "a b").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "a b"))
    parent = resolve("vw")(("0", "1"))
    parent.learn(rows(0))
    assert parent.copy().predict(rows(1)).tolist() == parent.predict(rows(1)).tolist()


def test_a_learner_that_is_finished_leaves_the_parser_to_the_others():
    parent = resolve("vw")(("0", "1"))
    parent.learn(rows(0))
    expected = parent.predict(rows(1)).tolist()
    for _ in range(3):
        trial = parent.copy()
        assert trial.predict(rows(1)).tolist() == expected
        trial.finish()
        assert parent.predict(rows(1)).tolist() == expected


def test_a_learner_is_started_after_all_others_were_finished():
    create = resolve("vw")
    trial = create(("0", "1"))
    trial.predict(rows(0))
    trial.finish()
    other = create(("0", "1"))
    other.learn(rows(0))
    other.finish()
    assert other.parser.workspace is None
