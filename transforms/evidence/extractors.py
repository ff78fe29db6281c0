"""Find extractors by name: those of this package, and those of other packages.

A folder of this package that has ``extractor.py`` is an extractor.  Another package adds one with
an entry point of the group ``surgqa.extractors``, whose value is a subclass of the base classes in
``transforms.evidence.base``.  An extractor is imported when it is used.
"""

from __future__ import annotations

import inspect
import pickle
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.metadata import EntryPoint
from typing import Any

from surgqa.ontology.errors import Mismatched, PluginBroken, UnknownName
from surgqa.ontology.names import closest
from surgqa.ontology.plugins import EXTRACTORS, loaded, offered
from surgqa.transforms.evidence.base import (
    SECTIONS,
    Extractor,
    FrameExtractor,
    SoundExtractor,
)
from surgqa.transforms.evidence.segment import MaskExtractor

BASES: Mapping[type[Extractor], tuple[str, ...]] = {
    FrameExtractor: ("frames", "boxes"), SoundExtractor: ("utterances",), MaskExtractor: ("masks",),
}  # fmt: skip
"""Base class of extractors -> the kinds of evidence that its subclasses may give."""
ROOM = "surgqa.transforms.evidence"


@cache
def extractors() -> Mapping[str, EntryPoint]:
    """Return the entry point of every extractor, by the extractor's name, without importing any.

    Raises:
        UserError: two extractors have the same name.
    """
    folders = sorted(one.name for one in resources.files(ROOM).iterdir()
                     if (one / "extractor.py").is_file())  # fmt: skip
    shipped = {name: EntryPoint(name, f"{ROOM}.{name}:Extractor", EXTRACTORS) for name in folders}
    found = shipped | {one.name: one for one in offered(EXTRACTORS, shipped)}
    return dict(sorted(found.items()))


@cache
def extractor_class(name: str) -> type[Extractor]:
    """Return the class of an extractor; its module is imported.

    Raises:
        UserError: there is no such extractor, or its class lacks what ``BASES`` require.
    """
    known = extractors()
    if name not in known:
        near = closest(name, known)
        raise UnknownName(
            f"no extractor is called {name!r}", expected=", ".join(known), found=name,
            fix=f"did you mean {near}?" if near else "install its package on this machine",
        )  # fmt: skip
    made = loaded(known[name])
    for problem in _problems(made):
        raise PluginBroken(
            f"the extractor {name!r} of another package is not valid: {problem}",
            expected=f"a subclass of {', '.join(one.__name__ for one in BASES)} with version, "
            "kind and Settings", found=known[name].value, where=name,
            fix="see 'surgqa new extractor' for one that is complete",
        )  # fmt: skip
    return made  # type: ignore[no-any-return]


def section_of(name: str) -> str:
    """Return the section of a run file that has an extractor's settings."""
    return SECTIONS[extractor_class(name).kind]


def extractor_of(name: str, settings: Any) -> Extractor:
    """Return an extractor with its settings, an instance of the class's ``Settings``."""
    made = extractor_class(name)(settings)
    shipped = extractors()[name].value.startswith(f"{ROOM}.")
    made.offered_as = "" if shipped else name
    return made


def restored(name: str, version: int, state: bytes) -> Extractor:
    """Return an extractor of another package from its pickle, imported by its entry point.

    Raises:
        UserError: the worker does not have the package, or has another version.
    """
    kind = extractor_class(name)
    if kind.version != version:
        raise Mismatched(
            f"a worker has another version of the extractor {name!r}", expected=str(version),
            found=str(kind.version), where=name, fix="install the same package on every machine",
        )  # fmt: skip
    made = kind.__new__(kind)
    made.__dict__.update(pickle.loads(state))
    return made


def _problems(made: Any) -> list[str]:
    """Return what makes a class unusable as an extractor, the most important problem first."""
    if not inspect.isclass(made):
        return [f"it is {type(made).__name__}, not a class"]
    kinds = [kinds for base, kinds in BASES.items() if issubclass(made, base)]
    if not kinds:
        return ["it has another base class"]
    lacks = [name for name in ("version", "kind", "Settings") if not hasattr(made, name)]
    if lacks:
        return [f"it has no {', '.join(lacks)}"]
    if inspect.isabstract(made):
        return [f"it does not define {', '.join(sorted(made.__abstractmethods__))}"]
    if made.kind not in kinds[0]:
        return [f"it gives {made.kind!r}, and its base class {' or '.join(kinds[0])}"]
    if type(made.version) is not int or made.version < 1:
        return [f"its version is {made.version!r}, not a whole number from 1"]
    made_as = getattr(made.Settings, "__dataclass_params__", None)
    if made_as is None or not made_as.frozen:
        return ["its Settings are not a frozen dataclass"]
    return []
