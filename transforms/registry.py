"""Find datasets by their folder; import a dataset's reader only when it is used.

A dataset is a folder in ``transforms/readers`` with a ``card.yaml``, or such a folder in another
installed package, which names it as an entry point of the group ``surgqa.datasets``. A folder with
a ``dataset.yaml`` describes its dataset in this one file: the fields of ``card.yaml`` are under
``card``, the contents of a file of ``ontology/maps`` under ``labels``, the contents of
``sample.yaml`` under ``sample``; all other keys are those of ``files.yaml``.

To list datasets, the cards are read and no reader is imported, so ``surgqa list`` stays fast.
To add a dataset, no shared file has to be changed.
"""

from __future__ import annotations

import difflib
import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from functools import cache, partial
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from surgqa.ontology.concepts import label_map
from surgqa.ontology.errors import FieldInvalid, PluginBroken, UnknownName, UserError
from surgqa.ontology.plugins import DATASETS, offered
from surgqa.ontology.yaml import YamlText, read_yaml

MODALITIES = ("frames", "video", "image", "audio", "kinematics")
TASKS = (
    "action", "adverse_event", "box", "condition", "cvs", "experience", "finding", "gesture",
    "instrument", "kinematics", "landmark", "mask", "motion", "out_of_body", "phase", "skill",
    "step", "structure", "target", "track", "triplet", "verb",
)  # fmt: skip
RATE = re.compile(r"[1-9][0-9]*(/[1-9][0-9]*)?")
ACCESS = ("open", "form", "agreement")
WHOLE = "dataset.yaml"
"""Name of the file that describes a whole dataset."""
OTHERS = ("card", "labels", "sample")
"""Keys of ``dataset.yaml`` that ``files.yaml`` does not have."""


@dataclass(frozen=True, slots=True)
class Card:
    """Information about a dataset for its users (``card.yaml``).

    Attributes:
        name: name of the folder, also on the command line.
        release: release of the dataset that the reader supports.
        videos: number of videos of the whole dataset; 0 for user-supplied data.
        access: ``open`` download, a ``form`` to fill in, or a signed ``agreement``.
        how_to_get: steps to get the files, ending in the folder that ``--root`` names.
        modalities: data on disk besides labels, from :data:`MODALITIES`.
        tasks: kinds of annotations, from :data:`TASKS`.
        label_map: file of ``ontology/maps`` with the spellings of the dataset's labels.
        verified: the files against which the reader was checked, and the date.
        lacks: evidence that questions need but the dataset does not have; empty if a
            built-in template can ask about the dataset.
        notes: peculiarities that a user must know.
        rate: published frames per second (``25``, ``30000/1001``) that the files do not
            state; used if no other rate is given; '' if none is published.
        private: True if the images are user-supplied. Faces and texts in them are hidden before
            they are exported.
    """

    name: str
    title: str
    summary: str
    release: str
    procedure: str
    specialty: str
    videos: int
    licence: str
    licence_url: str
    citation: str
    homepage: str
    access: str
    how_to_get: str
    modalities: tuple[str, ...]
    tasks: tuple[str, ...]
    label_map: str
    verified: str
    lacks: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    rate: str = ""
    private: bool = False


@dataclass(frozen=True, slots=True)
class DatasetFiles:
    """Files of the whole dataset (``files.yaml``).

    Attributes:
        video_ids: every video of the whole release; empty if users supply their own.
        patterns: kind of file -> path relative to the root with ``{video_id}``, or a plain path
            for a file about all videos.
        splits: name of an official split -> video id -> ``train``, ``val`` or ``test``.
        known_bad: for some video ids, why the video is left out unless it is requested.
        group: regular expression of video ids -> name of the group that stays in one split, with
            ``{0}`` for the captured text.
    """

    video_ids: tuple[str, ...]
    patterns: Mapping[str, str]
    splits: Mapping[str, Mapping[str, str]]
    known_bad: Mapping[str, str]
    group: Mapping[str, str] | None = None


@cache
def packages() -> dict[str, str]:
    """Return dataset name -> package that contains its files, sorted by name.

    Raises:
        UserError: two datasets have the same name.
    """
    folder = resources.files("surgqa.transforms") / "readers"
    shipped = {unit.name: f"surgqa.transforms.readers.{unit.name}" for unit in folder.iterdir()
               if any((unit / file).is_file() for file in ("card.yaml", WHOLE))}  # fmt: skip
    found = shipped | {one.name: one.module for one in offered(DATASETS, shipped)}
    return dict(sorted(found.items()))


def datasets() -> list[str]:
    """Return the names of all datasets, sorted; nothing is imported."""
    return list(packages())


@cache
def card(name: str) -> Card:
    """Return the card of a dataset.

    Raises:
        UserError: the dataset does not exist, or its card is not complete.
    """
    text = _yaml(name, "card.yaml")
    return _checked_card(name, text)


@cache
def mapped_labels(dataset: str, kind: str) -> tuple[str, ...]:
    """Return the labels of a kind in a dataset's label map, in its order; () without a map."""
    try:
        entries = label_map(card(dataset).label_map).get(kind, {})
    except UserError:  # user-supplied data have no map
        return ()
    return tuple(dict.fromkeys(entry for entry in entries.values() if isinstance(entry, str)))


@cache
def files(name: str) -> DatasetFiles:
    """Return the list of files and the official splits of a dataset.

    Raises:
        UserError: the dataset does not exist, or ``files.yaml`` contradicts itself.
    """
    text = _yaml(name, "files.yaml")
    where = _where(name, "files.yaml")
    if {"tables", "like"}.isdisjoint(text.data):  # else the keys are checked where tables are read
        known = ("video_ids", "patterns", "splits", "known_bad", "group")
        _closed_keys(text, known, ("video_ids", "patterns"), where)
    video_ids = tuple(text.data["video_ids"])
    splits = {
        split: _split(parts, video_ids, f"{where}:{text.line(('splits', split))}")
        for split, parts in (text.data.get("splits") or {}).items()
    }
    data = declaration(name)[0].data
    patterns = text.data.get("patterns") or _paths(data)
    known_bad = text.data.get("known_bad") or {}
    return DatasetFiles(video_ids, patterns, splits, known_bad, data.get("group"))


def _paths(data: Mapping[str, Any]) -> dict[str, str]:
    """Return an example path, with ``{video_id}``, for the files of each declared table."""
    names = {f"names of {kind}s": listed for kind, listed in data.get("names", {}).items()}
    out: dict[str, str] = {}
    lists = (one["colours"] for one in data["tables"].values() if "colours" in one)
    shared = {"classes": next(lists, None), "videos": data.get("videos"), **names}
    for name, table in {**data["tables"], **shared}.items():
        places = table.get("file") if isinstance(table, dict) else ()
        for path in places.values() if isinstance(places, dict) else [places]:
            first = path[0] if isinstance(path, list) and path else path
            text = re.sub(r"\{(?!video\})\w+\}", "*", str(first or ""))
            text = text.replace("{video}", "{video_id}")
            if text and text not in out.values():
                out[str(name) if str(name) not in out else f"{name} {len(out)}"] = text
    return out


def declaration(name: str) -> tuple[YamlText, str]:
    """Return the contents of a dataset's ``files.yaml``, and its path for messages.

    If the file says ``like: NAME``, these are the contents of the other dataset's file.

    Raises:
        UserError: the dataset does not exist, or the file is not a mapping.
    """
    text = _yaml(name, "files.yaml")
    if "like" in text.data:
        return declaration(str(text.data["like"]))
    return text, _where(name, "files.yaml")


def load_reader(name: str) -> type:
    """Return the class ``Reader`` of a dataset; this imports its module.

    A dataset without ``reader.py`` is read as the tables in its ``files.yaml`` state.

    Raises:
        UserError: the dataset does not exist.
    """
    root, *rest = _package(name).split(".")
    if not resources.files(root).joinpath(*rest, "reader.py").is_file():
        return importlib.import_module("surgqa.transforms.readers.base.tables.declared").reader_of(
            name
        )
    return importlib.import_module(f"{_package(name)}.reader").Reader


def load_sample(name: str) -> Callable[..., Any]:
    """Return the function that writes a small sample of a dataset into a folder.

    The function returns what a reader must find in each video of the sample.

    Raises:
        UserError: the dataset does not exist, or has no sample.
    """
    write = importlib.import_module("surgqa.transforms.samples.scripted").write
    return partial(write, _script(name))


@cache
def _script(name: str) -> Mapping[str, Any]:
    data = _yaml(name, "sample.yaml").data
    return _script(str(data["like"])) if "like" in data else data


def _package(name: str) -> str:
    known = packages()
    if name in known:
        return known[name]
    plain = {re.sub(r"[^a-z0-9]", "", unit): unit for unit in known}
    close = difflib.get_close_matches(re.sub(r"[^a-z0-9]", "", name.lower()), plain, n=1)
    raise UnknownName(
        f"no dataset is called {name!r}",
        expected=", ".join(known),
        found=name,
        fix=f"did you mean {plain[close[0]]}?" if close else "see 'surgqa list datasets'",
    )


def _where(name: str, file: str) -> str:
    return f"{_package(name).replace('.', '/')}/{_file(name, file).name}"


def _file(name: str, file: str) -> Traversable:
    """Return a file of a dataset, or ``dataset.yaml`` if that describes the whole dataset."""
    root, *rest = _package(name).split(".")
    try:
        folder = resources.files(root).joinpath(*rest)
    except ModuleNotFoundError as error:
        raise PluginBroken(
            f"the package that offers the dataset {name!r} cannot be found", expected=root,
            found=str(error), where=name, fix="install that package again, or remove it",
        ) from None  # fmt: skip
    whole = folder / WHOLE
    return whole if whole.is_file() and not (folder / file).is_file() else folder / file


def _yaml(name: str, file: str) -> YamlText:
    path, where = _file(name, file), _where(name, file)
    if not path.is_file():
        raise FieldInvalid(f"{name} has no {file}", where=where, fix=f"write {file}")
    text = read_yaml(path.read_text(encoding="utf-8"), where)
    if path.name == WHOLE != file:
        text = _part(name, text, file)
    if not isinstance(text.data, dict):
        raise FieldInvalid(f"{file} is not a mapping", expected="key: value", where=where)
    return text


def _part(name: str, text: YamlText, file: str) -> YamlText:
    """Return the part of ``dataset.yaml`` that a file such as ``card.yaml`` would contain."""
    if not isinstance(text.data, dict):
        return text
    part = file.removesuffix(".yaml")
    if part == "files":
        rest = {key: value for key, value in text.data.items() if key not in OTHERS}
        return YamlText(rest, text.keys, text.values)
    data = text.data.get(part)
    if part == "card" and isinstance(data, dict):
        data = {"name": name, "label_map": name, **data}
    keys, values = ({path[1:]: place for path, place in marks.items() if path[:1] == (part,)}
                    for marks in (text.keys, text.values))  # fmt: skip
    return YamlText(data, keys, values)


def _closed_keys(text: YamlText, known: Sequence[str], needed: Sequence[str], where: str) -> None:
    for key in text.data:
        if key not in known:
            close = difflib.get_close_matches(str(key), known, n=1)
            raise FieldInvalid(
                f"unknown field {key!r}",
                expected=", ".join(known),
                where=f"{where}:{text.line((key,))}",
                fix=f"did you mean {close[0]}?" if close else None,
            )
    missing = [key for key in needed if key not in text.data]
    if missing:
        raise FieldInvalid("fields are missing", expected=", ".join(missing), where=where)


def _checked_card(name: str, text: YamlText) -> Card:
    where = _where(name, "card.yaml")
    known = [field.name for field in fields(Card)]
    needed = [field.name for field in fields(Card) if field.default is MISSING]
    _closed_keys(text, known, needed, where)
    values = {}
    for field in fields(Card):
        if field.name in text.data:
            line = f"{where}:{text.line((field.name,))}"
            value = text.data[field.name]
            values[field.name] = _card_value(field.name, field.type, value, line)
    if values["name"] != name:
        raise FieldInvalid(
            "the name in the card differs from the folder's name",
            expected=name,
            found=values["name"],
            where=f"{where}:{text.line(('name',))}",
        )
    return Card(**values)


def _card_value(key: str, kind: Any, value: Any, where: str) -> Any:
    """Return the value of a field, with lists as tuples; raise an error if it is not valid."""
    if kind == "int":
        good, expected = type(value) is int and value >= 0, "a whole number, 0 or more"
    elif kind == "bool":
        good, expected = isinstance(value, bool), "true or false"
    elif kind == "str":
        good, expected = isinstance(value, str) and bool(value.strip()), "a text"
    else:
        good = isinstance(value, list) and all(isinstance(entry, str) for entry in value)
        expected = "a list of texts"
    if good and key == "rate":
        good, expected = bool(RATE.fullmatch(value)), "a text such as 25 or 30000/1001"
    closed = {"modalities": MODALITIES, "tasks": TASKS, "access": ACCESS}.get(key)
    if good and closed:
        good = not set(value if isinstance(value, list) else [value]) - set(closed)
        expected = ", ".join(closed)
    if not good:
        raise FieldInvalid(f"bad {key}", expected=expected, found=repr(value), where=where)
    return tuple(value) if isinstance(value, list) else value


def _split(parts: Mapping[str, Any], video_ids: Sequence[str], where: str) -> Mapping[str, str]:
    """Return the split of each video id, from ``{val: [...], test: [...], train: rest}``.

    The ids are in release order.
    """
    listed = {name: ids for name, ids in parts.items() if ids != "rest"}
    out: dict[str, str] = {}
    for name, ids in listed.items():
        for video_id in ids:
            if video_id in out or video_id not in video_ids:
                problem = "is in two parts" if video_id in out else "is not a video_id"
                raise FieldInvalid(f"{video_id} {problem} of a split", found=video_id, where=where)
            out[video_id] = name
    rest = [name for name, ids in parts.items() if ids == "rest"]
    if len(rest) > 1:
        raise FieldInvalid(
            "only one split may be 'rest' (all videos that no other split lists)",
            found=", ".join(rest),
            where=where,
            fix="list the videos of the others",
        )
    everything = video_ids if rest else [video for video in video_ids if video in out]
    return {video: out.get(video, rest[0] if rest else "") for video in everything}
