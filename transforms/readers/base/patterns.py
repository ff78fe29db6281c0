"""Paths with placeholders: ``labels/{video}.csv``, ``{video}/{frame}.png``, ``clips/{finding}/*``.

``{name}`` stands for anything within one folder or file name, ``{frame}`` for digits,
``*`` for anything that does not matter, ``**`` for any number of folders.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import PurePosixPath

from surgqa.ontology.sections import Section

Found = tuple[str, dict[str, str]]
"""A path, and the text in it for each placeholder of its pattern."""
Names = Callable[[str], Sequence[str]]
"""Folder below the root ('' is the root) -> sorted names of its files and folders."""

DEEPEST = 6
"""Greatest number of nested folders that ``**`` matches."""
NO_FILMS = ("frames", "labels", "tables")
"""Folders with thousands of files that ``**`` does not search: they contain no videos."""
_PARTS = re.compile(r"\{([^{}]*)\}|(\*)")


@dataclass(frozen=True, slots=True)
class PathPattern:
    """A path with placeholders, relative to the root; ``loose`` to ignore upper and lower case."""

    text: str
    loose: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The placeholders of the pattern, in order."""
        return tuple(match[1] for match in _PARTS.finditer(self.text) if match[1])

    @property
    def plain(self) -> bool:
        """True if the pattern is one path, without placeholders."""
        return not _PARTS.search(self.text)

    @property
    def shown(self) -> str:
        """The path for messages, with ``*`` for placeholders."""
        return re.sub(r"\{\w+\}", "*", self.text)

    def bound(self, values: Mapping[str, str]) -> PathPattern:
        """Return the pattern with some placeholders replaced by their values."""
        text = self.text
        for name, value in values.items():
            text = text.replace("{" + name + "}", value)
        return PathPattern(text)

    def found(self, names: Names) -> list[tuple[str, dict[str, str]]]:
        """Return all existing paths that match, with the values of the placeholders, sorted."""
        return sorted(self._below("", self.text.split("/"), {}, names), key=lambda one: one[0])

    def _below(
        self, folder: str, parts: list[str], fields: dict[str, str], names: Names
    ) -> list[tuple[str, dict[str, str]]]:
        head, rest = parts[0], parts[1:]
        step = f"{folder}/" if folder else ""
        if head == "**":
            return self._anywhere(folder, rest, fields, names)
        if rest and not _PARTS.search(head):
            return self._below(step + head, rest, fields, names)
        out = []
        for name in names(folder):
            values = match(head, name, self.loose)
            if values is None or name.startswith("."):
                continue
            if any(fields.get(key, value) != value for key, value in values.items()):
                continue
            if rest:
                out += self._below(step + name, rest, {**fields, **values}, names)
            else:
                out.append((step + name, {**fields, **values}))
        return out

    def _anywhere(
        self, folder: str, parts: list[str], fields: dict[str, str], names: Names
    ) -> list[tuple[str, dict[str, str]]]:
        """Return the matches in the folder, else those one level below it, and so on.

        Folders whose names are in :data:`NO_FILMS` are not searched.
        """
        level = [folder]
        for _ in range(DEEPEST):
            found = [one for top in level for one in self._below(top, parts, fields, names)]
            if found:
                return found
            inside = [(top, name) for top in level for name in names(top)]
            level = [f"{top}/{name}".lstrip("/") for top, name in inside
                     if "." not in name and name not in NO_FILMS]  # fmt: skip
        return []


@dataclass(frozen=True, slots=True)
class Places:
    """The rules for the path of each video's file.

    Attributes:
        rules: for each regular expression of video ids, possible paths. The first path that exists
            counts.
    """

    rules: tuple[tuple[str, tuple[PathPattern, ...]], ...]

    def fits(self, video_id: str) -> bool:
        """True if a video with this id may have such a file."""
        return any(_inner(ids, video_id) for ids, _ in self.rules)

    def of(self, video_id: str) -> tuple[PathPattern, ...]:
        """Return the paths to try for a video; empty if it has no such file."""
        mine = ((paths, name) for ids, paths in self.rules if (name := _inner(ids, video_id)))
        paths, name = next(mine, ((), ""))
        return tuple(path.bound({"video": name}) for path in paths)

    def found(self, names: Names, loose: bool = False) -> list[tuple[str, dict[str, str]]]:
        """Return all files that exist, with the values of their placeholders.

        Args:
            loose: ignore upper and lower case, and return files of any id.

        A file that several rules find is returned for the first of them only.
        """
        out = [
            (name, values)
            for ids, paths in self.rules
            for path in paths
            for name, values in _named(ids, replace(path, loose=loose).found(names))
            if loose or _inner(ids, values.get("video", "")) or "video" not in values
        ]
        first: dict[str, str] = {}
        for name, values in out:
            first.setdefault(name, values.get("video", ""))
        return [one for one in out if first[one[0]] == one[1].get("video", "")]


def _inner(ids: str, video_id: str) -> str:
    """Return the value of ``{video}`` in the paths of a rule, '' if the rule is not for this id.

    Args:
        ids: regular expression of ids, or an id with ``{video}`` for a part of it.
    """
    if "{video}" in ids:
        return (match(ids, video_id) or {}).get("video", "")
    return video_id if re.fullmatch(ids, video_id) else ""


def _named(ids: str, found: Sequence[Found]) -> list[Found]:
    if "{video}" not in ids:
        return list(found)
    return [(path, {**values, "video": ids.replace("{video}", values["video"])})
            for path, values in found]  # fmt: skip


def places_of(section: Section, key: str, allowed: Sequence[str]) -> Places | None:
    """Read one path, a list of paths to try, or ``{regular expression of ids: path or paths}``.

    Raises:
        UserError: an unknown placeholder, a path that leaves the root, or no expression.
    """
    if key not in section.data:
        return None
    places = _places(section, key, allowed)
    if len({"video" in path.names for _, paths in places.rules for path in paths}) > 1:
        section.wrong(key, "{video} in all of the paths, or in none")
    return places


def _places(section: Section, key: str, allowed: Sequence[str]) -> Places:
    if not isinstance(section.data[key], Mapping):
        return Places(((".+", paths_of(section, key, allowed)),))
    inner = section.section(key)
    if not inner.data:
        section.wrong(key, "a path, or {expression: path}")
    return Places(tuple(
        (inner.expression(ids, str(ids)), paths_of(inner, ids, allowed)) for ids in inner.data
    ))  # fmt: skip


def paths_of(section: Section, key: str, allowed: Sequence[str]) -> tuple[PathPattern, ...]:
    """Return the patterns of a key: one path, or a list of paths to try.

    Raises:
        UserError: no path, an unknown placeholder, or a path that leaves the root.
    """
    texts = section.texts(key) if isinstance(section.data[key], list) else (section.word(key),)
    if not texts:
        section.wrong(key, "a path, or a list of paths to try")
    return tuple(_pattern(section, key, text, allowed) for text in texts)


def pattern_of(section: Section, key: str, allowed: Sequence[str]) -> PathPattern | None:
    """Return the pattern of a key, None without the key.

    Raises:
        UserError: an unknown placeholder, or a path that leaves the root.
    """
    if key not in section.data:
        return None
    return _pattern(section, key, section.word(key), allowed)


def _pattern(section: Section, key: str, text: str, allowed: Sequence[str]) -> PathPattern:
    text = text.replace("\\", "/").removeprefix("./")
    if not text or text.startswith("/") or ".." in PurePosixPath(text).parts:
        section.wrong(key, "a path below the folder that --root names")
    if text.rstrip("/").endswith("**"):
        section.wrong(key, "a path with the name of a file or folder after **")
    pattern = PathPattern(text)
    for name in pattern.names:
        if name not in allowed:
            expected = ", ".join(f"{{{known}}}" for known in allowed)
            section.wrong(key, expected, summary=f"unknown placeholder {{{name}}}")
    return pattern


@lru_cache(maxsize=1 << 17)
def match(pattern: str, text: str, loose: bool = False) -> dict[str, str] | None:
    """Return the values of the placeholders in a whole text, None if the text does not match."""
    found = re.fullmatch(_regex(pattern).pattern, text, re.IGNORECASE if loose else 0)
    return found.groupdict() if found else None


@lru_cache(maxsize=1 << 17)
def match_end(pattern: str, path: str) -> dict[str, str] | None:
    """Return the values as :func:`match` does, for the last parts of a path.

    Endings such as ``.png`` are ignored.
    """
    plain = re.sub(r"\.[A-Za-z0-9*]{1,5}$", "", pattern)
    found = _regex(plain, "(?:.*/)?").fullmatch(without_suffix(path))
    return found.groupdict() if found else None


def without_suffix(path: str) -> str:
    """Return an image's path with forward slashes and without its ending."""
    return re.sub(r"\.[A-Za-z][A-Za-z0-9]{1,4}$", "", path.replace("\\", "/"))


def literal(text: str) -> str:
    """Return a text with doubled braces, so that ``str.format`` gives the text itself."""
    return text.replace("{", "{{").replace("}", "}}")


def pattern_regex(pattern: str) -> re.Pattern[str]:
    """Return the regular expression of a file's name, with a group for each placeholder."""
    return _regex(pattern)


@lru_cache(maxsize=256)
def _regex(pattern: str, before: str = "") -> re.Pattern[str]:
    out, last, met = [before], 0, set()
    for part in _PARTS.finditer(pattern):
        out.append(re.escape(pattern[last : part.start()]))
        name, last = part[1], part.end()
        if not name:
            out.append("[^/]*")
        elif name in met:
            out.append(f"(?P={name})")
        else:
            met.add(name)
            out.append(f"(?P<{name}>{r'[0-9]+' if name == 'frame' else '[^/]+?'})")
    return re.compile("".join([*out, re.escape(pattern[last:])]))
