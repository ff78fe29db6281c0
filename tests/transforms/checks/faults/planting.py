"""A build with one fault in it: a line of its source is another one while a process lasts.

``python -m tests.transforms.checks.faults.planting`` builds a small output from what it is told on
standard input; whoever started it checks that output with sources as they are.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from types import CodeType, ModuleType

ROOT = Path(__file__).resolve().parents[4]


def file_of(module: str) -> Path:
    """The source file of a module."""
    path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
    return path if path.is_file() else path.with_suffix("") / "__init__.py"


def faulty(module: str, old: str, new: str) -> str:
    """The source of a module with one text in the place of another, which it has once."""
    source = file_of(module).read_text(encoding="utf-8")
    found = source.count(old)
    if found != 1:
        raise ValueError(f"{module} has {found} times {old!r}")
    return source.replace(old, new)


class Planted(MetaPathFinder, Loader):
    """Imports one module from other code; all others are as they are."""

    def __init__(self, module: str, code: CodeType) -> None:
        self.module, self.code = module, code

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's own place, with this as its loader."""
        spec = PathFinder.find_spec(name, path, target) if name == self.module else None
        if spec is not None:
            spec.loader = self
        return spec

    def exec_module(self, module: ModuleType) -> None:
        """Run the other code."""
        exec(self.code, module.__dict__)


def plant(module: str, old: str, new: str) -> None:
    """From here on the module is imported with the fault; it may not have been so far."""
    if module in sys.modules:
        raise ValueError(f"{module} is imported already")
    code = compile(faulty(module, old, new), str(file_of(module)), "exec")
    sys.meta_path.insert(0, Planted(module, code))


def main() -> None:
    """Build what standard input says, or run a format's tests: status 1 where one fails.

    It says the fault's ``module old new``, and either ``tests`` or ``root dataset files``.
    """
    told = json.load(sys.stdin)
    plant(told["module"], told["old"], told["new"])
    if told["tests"]:
        import pytest

        sys.exit(pytest.main([told["tests"], "-x", "-q", "-p", "no:cacheprovider"]))
    from tests.transforms.checks.proof.outputs import built

    built(Path(told["root"]), told["dataset"], [Path(file) for file in told["files"]])


if __name__ == "__main__":
    main()
