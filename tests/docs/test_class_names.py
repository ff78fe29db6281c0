"""A public class has a name of its own: a reader of one file need not ask whose it is."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ENTRY_POINTS = ("Reader", "Extractor")
"""Found by this name in the package of each dataset and of each kind of observation."""


def test_no_two_public_classes_have_one_name():
    homes: dict[str, list[str]] = defaultdict(list)
    for room in ("ontology", "pipeline", "transforms"):
        for path in sorted((ROOT / room).rglob("*.py")):
            for node in ast.parse(path.read_text(encoding="utf-8")).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    homes[node.name].append(str(path.relative_to(ROOT)))
    assert len(homes) > 500
    twice = {name: at for name, at in homes.items() if len(at) > 1 and name not in ENTRY_POINTS}
    assert not twice
