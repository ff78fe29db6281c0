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
from typing import Any

import orjson

from ontology.errors import SourceBroken, SourceMissing
from ontology.keys import digest
from ontology.records import Media, MediaKind
from transforms.media.cuts import Cut, Look, NoPicture, clip_of, on_screen, picture_of
from transforms.media.digests import media_digest
from transforms.media.film import Film, film_of
from transforms.media.overlay import Overlay
from transforms.places import Place, inside, place, write_whole

VERSION = "cut/v1"
"""Raised where the same request would give other bytes."""
CLIP, PICTURE = "clip", "picture"
ENDINGS = {CLIP: "mp4", PICTURE: "jpg"}
PIECE = 64
"""Requests of one recording that one worker does at a time."""
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
    """

    folder: str
    roots: tuple[tuple[str, str], ...]
    look: Look = field(default_factory=Look)

    @property
    def place(self) -> Place:
        """The store's folder."""
        return place(self.folder)

    def root(self, dataset: str) -> Place:
        """The folder of a dataset."""
        return place(dict(self.roots)[dataset])


@dataclass(frozen=True, slots=True)
class Piece:
    """Requests of one recording, for one worker."""

    recording: Recording
    requests: tuple[Request, ...]

    def outcome(self, store: Store) -> Place:
        """The file that says what came of it."""
        text = "\n".join([VERSION, repr(store.look), *(one.key for one in self.requests)])
        return store.place / "outcome" / f"{digest('piece', text)}.json"


Outcome = dict[str, dict[str, Any]]
"""Request key -> ``file`` below the store and what it shows, or ``why`` there is none."""


def pieces_of(requests: Iterable[Request]) -> list[Piece]:
    """Work for workers, in order of recording and time."""
    mine: dict[Recording, list[Request]] = {}
    for one in sorted(set(requests)):
        mine.setdefault(one.recording, []).append(one)
    return [
        Piece(recording, tuple(wanted[first : first + PIECE]))
        for recording, wanted in mine.items()
        for first in range(0, len(wanted), PIECE)
    ]


def do_piece(piece: Piece, store: Store) -> str:
    """Cut what is not in the store yet; the outcome is written there.

    Returns:
        The name of the outcome's file.
    """
    out: Outcome = {}
    try:
        film, source = _opened(piece.recording, store)
    except (SourceMissing, SourceBroken) as error:
        out = {one.key: {"why": str(error)} for one in piece.requests}
    else:
        for one in piece.requests:
            out[one.key] = _done(one, film, source, store)
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


def _done(one: Request, film: Film, source: str, store: Store) -> dict[str, Any]:
    try:
        name = _name(one, film, source, store.look)
        told = store.place / f"{name}.json"
        if not told.is_file():
            cut = _cut(one, film, store.look)
            told.parent.mkdir(parents=True, exist_ok=True)
            write_whole(store.place / name, cut.data)
            write_whole(told, orjson.dumps(_facts(cut), option=orjson.OPT_SORT_KEYS))
        return {"file": name, **orjson.loads(told.read_bytes())}
    except NoPicture as error:
        return {"why": str(error)}
    except SourceBroken as error:
        return {"why": str(error)}


def _name(one: Request, film: Film, source: str, look: Look) -> str:
    """Pictures are named by their frame, so that two instants of one frame are one file."""
    stretch: tuple[object, ...] = (one.start_us, one.end_us, one.asked_us, look.fps)
    if one.kind == PICTURE:
        frame = on_screen(film, one.end_us)
        stretch = (frame,)
    over = () if one.overlay is None else (repr(one.overlay), one.end_us)
    text = digest(VERSION, one.kind, source, *stretch, look.size, *over)
    return f"{text[:2]}/{text}.{ENDINGS[one.kind]}"


def _cut(one: Request, film: Film, look: Look) -> Cut:
    if one.kind == PICTURE:
        return picture_of(film, one.end_us, look, one.overlay)
    return clip_of(film, one.start_us, one.end_us, look, one.asked_us, one.overlay)


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
