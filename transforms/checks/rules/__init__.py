"""One small function per answer rule of ``docs/answers.md``; found by folder.

A file dropped here is loaded; a function in it marked ``@rule("surgstu", "locate")``
recomputes the answers of that task.  Nothing else has to be edited.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module, resources

from transforms.checks.rules.base import RULES, Rule


@cache
def rule_for(benchmark: str, name: str) -> Rule | None:
    """The rule of ``benchmark`` and a task's last name, or None where there is none."""
    load_rules()
    return RULES.get((benchmark, name))


@cache
def load_rules() -> tuple[str, ...]:
    """Import every file of this folder; gives the rules' names, sorted."""
    names = sorted(p.name for p in resources.files(__name__).iterdir())
    for name in names:
        if name.endswith(".py") and not name.startswith("_"):
            import_module(f"{__name__}.{name.removesuffix('.py')}")
    return tuple(sorted("/".join(key) for key in RULES))


__all__ = ["Rule", "load_rules", "rule_for"]
