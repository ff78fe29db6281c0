"""Find files of a finished dataset that were changed since it was built."""

from __future__ import annotations

import hashlib
from typing import Any

import orjson

from surgqa.ontology.errors import OutputBroken
from surgqa.ontology.keys import file_sha256
from surgqa.transforms.places import Place, place

MANIFEST = "manifest.json"


def changed_files(folder: Place) -> list[str]:
    """Return files whose bytes do not have the digest that the manifest states.

    The manifest itself is one of them if it is incomplete.

    Args:
        folder: a folder of ``surgqa build --out``; without a manifest the result is empty.
    """
    path = folder / MANIFEST
    if not path.is_file():
        return []
    try:
        manifest: dict[str, Any] = orjson.loads(path.read_bytes())
        files: dict[str, str] = dict(manifest["files"])
        listing = "".join(f"{name} {sha}\n" for name, sha in sorted(files.items()))
        whole = hashlib.sha256(listing.encode()).hexdigest() == manifest["digest"]
    except (ValueError, TypeError, KeyError, UnicodeEncodeError):
        return [MANIFEST]
    wrong = [] if whole else [MANIFEST]
    return wrong + [
        name
        for name, sha in files.items()
        if not (folder / name).is_file() or file_sha256(folder / name) != sha
    ]


def damage_of(words: list[str]) -> OutputBroken | None:
    """Return an error if a word of the command line names a dataset that was changed.

    Edited or truncated files can break a command in unforeseen ways.  The digests show whether a
    failure was caused by changed files or by a bug.
    """
    for word in words:
        try:
            changed = changed_files(place(word)) if not word.startswith("-") else []
        except Exception:  # noqa: BLE001 - not a path, or unreadable
            continue
        if changed:
            more = f" and {len(changed) - 5} more" if len(changed) > 5 else ""
            return OutputBroken(
                f"{word} was changed since it was built",
                expected="files with the digests in its manifest",
                found="changed or missing: " + ", ".join(changed[:5]) + more,
                where=word,
                fix="copy it again from where it was built, or build again",
            )
    return None
