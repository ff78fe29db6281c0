"""A folder of clips and pictures, each named by what it was cut from and how: none is cut twice.

    <store>/<two letters>/<digest>.mp4 or .jpg    what was cut
    <store>/known/<digest>.json                   digests of recordings, by size and time of change
    <store>/outcome/<digest>.json                 what came of each request of one piece of work

A file is there whole or not at all, so a run that was killed goes on where it ended.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from itertools import chain
from typing import Any

import orjson

from ontology.errors import SourceBroken, SourceMissing
from ontology.keys import digest
from ontology.records import Media, MediaKind
from transforms.media.cuts import (
    Clean,
    Cut,
    Look,
    NoPicture,
    clip_of,
    frames_of,
    on_screen,
    picture_of,
    unseen_of,
)
from transforms.media.digests import media_digest
from transforms.media.film import Film, film_of
from transforms.media.overlay import Overlay
from transforms.places import Place, inside, place, write_whole

VERSION = "cut/v2"
"""Raised where the same request would give other bytes."""
CLIP, PICTURE = "clip", "picture"
ENDINGS = {CLIP: "mp4", PICTURE: "jpg"}
PIECE = 64
"""Stretches of one recording that one worker does at a time."""
OPEN = 2
"""Recordings that a process holds open."""


@dataclass(frozen=True, slots=True, order=True)
class Recording:
    """What is cut: a medium below its dataset's folder."""

    dataset: str
    path: str
    kind: str
    fps_num: int | None = None
    fps_den: int | None = None
    first: int = 0


@dataclass(frozen=True, slots=True, order=True)
class Request:
    """What is wanted of a recording.

    Attributes:
        kind: ``clip`` or ``picture``.
        start_us, end_us: the stretch, half open; of a picture both are the instant that it shows.
        asked_us: instants whose pictures are in a clip, however few frames are kept.
        overlay: what is drawn on it.
    """

    recording: Recording
    kind: str
    start_us: int
    end_us: int
    asked_us: tuple[int, ...] = ()
    overlay: Overlay | None = None

    @property
    def key(self) -> str:
        """A digest of the request, not of what is cut."""
        return digest("request", orjson.dumps(asdict(self)).decode())


@dataclass(frozen=True, slots=True)
class Store:
    """Where and how it is cut.

    Attributes:
        folder: address of the store.
        roots: (dataset, address of its folder).
        hidden: (dataset, how faces and texts are hidden in its pictures); of datasets that are not
            named pictures are cut as they are.
    """

    folder: str
    roots: tuple[tuple[str, str], ...]
    look: Look = field(default_factory=Look)
    hidden: tuple[tuple[str, str], ...] = ()

    @property
    def place(self) -> Place:
        """The store's folder."""
        return place(self.folder)

    def root(self, dataset: str) -> Place:
        """The folder of a dataset."""
        return place(dict(self.roots)[dataset])

    def hides(self, dataset: str) -> str:
        """How faces and texts are hidden in a dataset's pictures; '' where they are not."""
        return dict(self.hidden).get(dataset, "")


@dataclass(frozen=True, slots=True)
class Piece:
    """Requests of one recording, for one worker."""

    recording: Recording
    requests: tuple[Request, ...]

    def outcome(self, store: Store) -> Place:
        """The file that says what came of it."""
        how = [VERSION, repr(store.look), store.hides(self.recording.dataset)]
        text = "\n".join([*how, *(one.key for one in self.requests)])
        return store.place / "outcome" / f"{digest('piece', text)}.json"


Outcome = dict[str, dict[str, Any]]
"""Request key -> ``file`` below the store and what it shows, or ``why`` there is none."""


def pieces_of(requests: Iterable[Request]) -> list[Piece]:
    """Work for workers, in order of recording and time; requests of one stretch stay together."""
    mine: dict[Recording, dict[tuple[str, int, int], list[Request]]] = {}
    for one in sorted(set(requests)):
        stretches = mine.setdefault(one.recording, {})
        stretches.setdefault((one.kind, one.start_us, one.end_us), []).append(one)
    return [
        Piece(recording, tuple(chain.from_iterable(wanted[first : first + PIECE])))
        for recording, wanted in ((one, list(all_.values())) for one, all_ in mine.items())
        for first in range(0, len(wanted), PIECE)
    ]


def do_piece(piece: Piece, store: Store, clean: Clean | None = None) -> str:
    """Cut what is not in the store yet; the outcome is written there.

    Args:
        clean: hides faces and texts; needed for datasets whose pictures are hidden, and used for
            no others.

    Returns:
        The name of the outcome's file.
    """
    out: Outcome = {}
    if bool(store.hides(piece.recording.dataset)) != bool(clean):
        raise ValueError(f"pictures of {piece.recording.dataset} and what hides them do not agree")
    try:
        film, source = _opened(piece.recording, store)
    except (SourceMissing, SourceBroken) as error:
        out = {one.key: {"why": str(error)} for one in piece.requests}
    else:
        for one in piece.requests:
            out[one.key] = _done(one, film, source, store, clean)
    path = piece.outcome(store)
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, orjson.dumps(out, option=orjson.OPT_SORT_KEYS))
    return path.name


def outcomes(pieces: Sequence[Piece], store: Store) -> Outcome:
    """What came of all requests, when all pieces are done."""
    out: Outcome = {}
    for piece in pieces:
        out |= orjson.loads(piece.outcome(store).read_bytes())
    return out


def _done(
    one: Request, film: Film, source: str, store: Store, clean: Clean | None
) -> dict[str, Any]:
    try:
        name = _name(one, film, source, store)
        told = store.place / f"{name}.json"
        if not told.is_file():
            cut = _cut(one, film, store.look, clean)
            told.parent.mkdir(parents=True, exist_ok=True)
            write_whole(store.place / name, cut.data)
            write_whole(told, orjson.dumps(_facts(cut), option=orjson.OPT_SORT_KEYS))
        facts = orjson.loads(told.read_bytes())
        return {"file": name, **facts, "unseen_us": unseen_of(film, one.asked_us, facts["lost"])}
    except NoPicture as error:
        return {"why": str(error)}
    except SourceBroken as error:
        return {"why": str(error)}


def _name(one: Request, film: Film, source: str, store: Store) -> str:
    """A file is named by the frames that it shows, whatever they are asked for.

    So two instants of one frame are one picture, and questions about one stretch share its clip.

    Raises:
        NoPicture: nothing is shown there.
    """
    look, hides = store.look, store.hides(one.recording.dataset)
    if one.kind == PICTURE:
        shown: tuple[object, ...] = (on_screen(film, one.end_us),)
    else:
        frames = frames_of(film, one.start_us, one.end_us, look.fps, one.asked_us)
        shown = (one.start_us, one.end_us, ranges_of(frames))
    over = () if one.overlay is None else (repr(one.overlay), one.end_us)
    hidden = (hides,) if hides else ()
    text = digest(VERSION, one.kind, source, *shown, look.size, *over, *hidden)
    return f"{text[:2]}/{text}.{ENDINGS[one.kind]}"


def ranges_of(numbers: Sequence[int]) -> str:
    """Sorted numbers as text: ``0-24,30``."""
    runs: list[list[int]] = []
    for one in numbers:
        if runs and one == runs[-1][1] + 1:
            runs[-1][1] = one
        else:
            runs.append([one, one])
    return ",".join(f"{first}-{last}" if first < last else f"{first}" for first, last in runs)


def _cut(one: Request, film: Film, look: Look, clean: Clean | None) -> Cut:
    if one.kind == PICTURE:
        return picture_of(film, one.end_us, look, one.overlay, clean)
    return clip_of(film, one.start_us, one.end_us, look, one.asked_us, one.overlay, clean)


def _facts(cut: Cut) -> Mapping[str, Any]:
    return {name: getattr(cut, name) for name in cut.__slots__ if name != "data"}


_films: OrderedDict[tuple[Recording, Store], tuple[Film, str]] = OrderedDict()
"""Of this process."""


def _opened(recording: Recording, store: Store) -> tuple[Film, str]:
    """A recording, and the digest of what it is."""
    key = (recording, store)
    if key not in _films:
        root = store.root(recording.dataset)
        rate = Fraction(recording.fps_num, recording.fps_den or 1) if recording.fps_num else None
        media = Media(MediaKind(recording.kind), recording.path, first=recording.first)
        film = film_of(root, media, rate)
        known = store.place / "known" / f"{digest(str(root), recording.path)}.json"
        seen = orjson.loads(known.read_bytes()) if known.is_file() else {}
        source = media_digest(inside(root, recording.path), recording.path, seen)
        known.parent.mkdir(parents=True, exist_ok=True)
        write_whole(known, orjson.dumps(seen))
        _films[key] = film, digest(source, recording.kind, rate, recording.first)
        while len(_films) > OPEN:
            _films.popitem(last=False)
    return _films[key]


def files_of(outcome: Outcome) -> Iterator[str]:
    """All files below the store that were cut, each once, in order."""
    yield from sorted({one["file"] for one in outcome.values() if "file" in one})
