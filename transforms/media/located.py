"""Find a medium below its dataset's folder by its path and, if it is known, by its content.

Different recordings may have the same file name, and a file may be replaced, so a path alone does
not tell which recording it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path

from surgqa.ontology.errors import SourceChanged
from surgqa.ontology.records import Media
from surgqa.transforms.media.digests import media_digest
from surgqa.transforms.places import Place, inside

_known: dict[str, str] = {}
"""Digests that this process has computed; see :func:`media_digest`."""


def located(root: Place, media: Media) -> Place:
    """Return the path of a medium, which may not exist.

    If the content is known, the medium is the file at its path or any file of the same name below
    ``root`` that has this content.

    Raises:
        SourceChanged: there are files of this name, and none of them has the content.
    """
    name = media.path or "."
    if media.sha256 is None:
        return inside(root, name)
    others = []
    for path in _named(root, name):
        if media_digest(path, name, _known) == media.sha256:
            return path
        others.append(path)
    if not others:
        return inside(root, name)
    raise SourceChanged(
        f"{name} is not the recording that was observed",
        expected=f"the content with SHA-256 {media.sha256}",
        found="other content: " + ", ".join(
            f"{str(path).removeprefix(str(root)).lstrip('/')} "
            f"(SHA-256 {media_digest(path, name, _known)})" for path in others[:3]),
        where=name,
        fix="name the folder of the observed file, or observe the file again and build again",
    )  # fmt: skip


def _named(root: Place, name: str) -> Iterator[Place]:
    """Yield the medium at its path, then all of the same name below a local root, if they exist."""
    first = inside(root, name)
    if first.exists():
        yield first
    if isinstance(root, Path):
        others = (path for path in _below(root).get(first.name, ()) if root / path != first)
        yield from (path for one in others if (path := inside(root, one)).exists())


@lru_cache(maxsize=1)
def _below(root: Path) -> Mapping[str, list[str]]:
    """Return the paths below a folder by their last part; many videos may be looked for in turn."""
    found: dict[str, list[str]] = {}
    for path in sorted(root.rglob("*")):
        found.setdefault(path.name, []).append(path.relative_to(root).as_posix())
    return found
