"""Outputs that a build made: made once, read by many tests; and a small one to be changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from surgqa.transforms.checks import run
from surgqa.transforms.checks.proof import prove
from surgqa.transforms.store.folder import OutputFolder
from tests.transforms.checks.proof import outputs
from tests.transforms.checks.proof.opened import Output, opened
from tests.transforms.checks.world import TEMPLATES, World


@pytest.fixture(scope="session")
def of_cholect50(once, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., OutputFolder]:
    """Some templates' rows over CholecT50's sample; their files are named ``benchmark/file``."""

    def folder(*names: str) -> OutputFolder:
        files = [outputs.TEMPLATES / f"{name}.yaml" for name in outputs.ASKED]
        whole = once("cholect50-output", lambda root: outputs.built(root, "cholect50", files))
        return outputs.part(whole / "out", tmp_path_factory.mktemp("part") / "out", names)

    return folder


@pytest.fixture(scope="module")
def output(
    request: pytest.FixtureRequest, of_cholect50, tmp_path_factory: pytest.TempPathFactory
) -> Output:
    """The output of the templates that the test's module names as ``ASKED``."""
    return opened(of_cholect50(*request.module.ASKED), tmp_path_factory.mktemp("scratch"))


@pytest.fixture(scope="session")
def small(of_cholect50) -> Path:
    """What a :class:`World` is made of."""
    return Path(str(of_cholect50(*TEMPLATES).path))


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    """Checks prove no facts and no items: for tests of what else is looked at."""
    for owner, name in ((run._Run, "facts"), (run._Run, "guess"), (prove.Proof, "_template")):
        monkeypatch.setattr(owner, name, lambda *_: None)


@pytest.fixture
def world(small: Path, tmp_path: Path) -> World:
    """A small output as it was built."""
    return World(small, tmp_path / "out")
