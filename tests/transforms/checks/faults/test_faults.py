"""A build with one wrong line is found out by ``check``, whatever the line is of."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from surgqa.ontology.errors import UserError
from surgqa.transforms.checks import CODES, Severity, check_output
from tests.transforms.checks.faults.listed import FAULTS, Fault
from tests.transforms.checks.faults.planting import ROOT, faulty
from tests.transforms.checks.proof.outputs import OF_THE_FOLDER

BY_DAY = ("every grasper is called a hook",)


FORMATS = "tests/transforms/exports"


def found(fault: Fault, root: Path) -> set[str]:
    """Codes of errors in the output of a build with this fault."""
    files = [str(ROOT / "templates" / f"{name}.yaml") for name in fault.asks.split()]
    told = {"root": str(root), "dataset": fault.dataset, "files": files,
            "tests": f"{FORMATS}/{fault.tests}" if fault.tests else "",
            "module": fault.module, "old": fault.old, "new": fault.new}  # fmt: skip
    command = [sys.executable, "-m", "tests.transforms.checks.faults.planting"]
    done = subprocess.run(command, input=json.dumps(told), cwd=ROOT, capture_output=True, text=True)
    if fault.tests:
        assert done.returncode in (0, 1), done.stdout[-2000:]
        return {"tests"} if done.returncode else set()
    assert done.returncode == 0, done.stderr[-2000:]
    try:
        report = check_output(root / "out", roots={fault.dataset: root / "source"}, every=True)
    except UserError as error:
        return {type(error).__name__}
    assert report.items, "the fault leaves nothing to be checked"
    severe = {code for code in report.counts if CODES[code][0] is Severity.ERROR}
    assert "template_missing" not in severe, "nothing of these items is looked at"
    return severe - OF_THE_FOLDER


def test_every_fault_is_one_line_that_is_there():
    assert len({fault.what for fault in FAULTS}) == len(FAULTS) > 60
    for fault in FAULTS:
        compile(faulty(fault.module, fault.old, fault.new), fault.module, "exec")
        files = [f"templates/{name}.yaml" for name in fault.asks.split()]
        files += [f"{FORMATS}/{fault.tests}"] if fault.tests else []
        assert fault.asks and all((ROOT / file).exists() for file in files)


@pytest.mark.parametrize("what", BY_DAY)
def test_a_faulty_build_is_found_out(what: str, tmp_path: Path):
    assert found(next(one for one in FAULTS if one.what == what), tmp_path)


@pytest.mark.parametrize(
    "dataset",
    [pytest.param(name, marks=() if name in {one.dataset for one in FAULTS if one.what in BY_DAY}
                  else pytest.mark.nightly) for name in sorted({one.dataset for one in FAULTS})],
)  # fmt: skip
def test_a_build_without_fault_is_right(dataset: str, tmp_path: Path):
    """So what is found of a fault is found because of it; by day for the faults of the day."""
    one = next(each for each in FAULTS if each.dataset == dataset and not each.tests)
    assert found(replace(one, new=one.old), tmp_path) == set()


@pytest.mark.nightly
@pytest.mark.parametrize("fault", [pytest.param(one, id=one.what) for one in FAULTS])
def test_each_fault_is_found_out(fault: Fault, tmp_path: Path):
    assert found(fault, tmp_path)
