"""A folder of clips and images, named by digests of source and interval, so none is cut twice.

    <store>/<two letters>/<digest>.mp4 or .jpg    the clip or image
    <store>/known/<digest>.json                   digests of video files, by size and change time
    <store>/outcome/<digest>.json                 the outcome of each request of one piece of work

A file is written completely or not at all, so a killed run continues where it stopped.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Any

import orjson

from surgqa.ontology.errors import SourceBroken, SourceMissing
from surgqa.ontology.keys import digest
from surgqa.transforms.media.cuts import (
    Clean,
    CutFile,
    CutLook,
    NoPicture,
    clip_of,
    frames_of,
    picture_of,
    unseen_of,
)
from surgqa.transforms.media.digests import media_digest
from surgqa.transforms.media.film import Film, film_of, media_of
from surgqa.transforms.media.located import located
from surgqa.transforms.media.overlay import Overlay
from surgqa.transforms.places import Place, place, write_whole

VERSION = "cut/v2"
"""Increase it when the same request gives other bytes."""
CLIP, PICTURE = "clip", "picture"
ENDINGS = {CLIP: "mp4", PICTURE: "jpg"}
PIECE = 64
"""Intervals of one video that one worker cuts at a time."""
OPEN = 2
"""Videos that a process keeps open."""


@dataclass(frozen=True, slots=True, order=True)
class CutSource:
    """A medium to cut from; ``path`` is relative to its dataset's folder."""

    dataset: str
    path: str
    kind: str
    fps_num: int | None = None
    fps_den: int | None = None
    first: int = 0
    sha256: str | None = None


@dataclass(frozen=True, slots=True, order=True)
class Request:
    """A clip or an image to cut out of a video.

    Attributes:
        kind: ``clip`` or ``picture``.
        start_us, end_us: the half-open interval; for an image both are its time.
        asked_us: times whose frames are always in a clip, even if few frames are kept.
        overlay: what is drawn on the frames.
    """

    recording: CutSource
    kind: str
    start_us: int
    end_us: int
    asked_us: tuple[int, ...] = ()
    overlay: Overlay | None = None

    @property
    def key(self) -> str:
        """A digest of the request (not of the result)."""
        return digest("request", orjson.dumps(asdict(self)).decode())


@dataclass(frozen=True, slots=True)
class CutStore:
    """The folder into which clips and images are cut, and how they are cut.

    Attributes:
        folder: path or address of the store.
        roots: (dataset, path or address of the dataset's folder) pairs.
        hidden: (dataset, method that hides faces and texts in its frames) pairs. Frames of other
            datasets are cut unchanged.
    """

    folder: str
    roots: tuple[tuple[str, str], ...]
    look: CutLook = field(default_factory=CutLook)
    hidden: tuple[tuple[str, str], ...] = ()

    @property
    def place(self) -> Place:
        """The store's folder."""
        return place(self.folder)

    def root(self, dataset: str) -> Place:
        """Return the folder of a dataset."""
        return place(dict(self.roots)[dataset])

    def hides(self, dataset: str) -> str:
        """Method that hides faces and texts in a dataset's frames; '' if they are not hidden."""
        return dict(self.hidden).get(dataset, "")


@dataclass(frozen=True, slots=True)
class CutRequests:
    """Requests for one video, done by one worker."""

    recording: CutSource
    requests: tuple[Request, ...]

    def outcome(self, store: CutStore) -> Place:
        """Return the file that lists what was cut for these requests, and what failed."""
        how = [VERSION, repr(store.look), store.hides(self.recording.dataset)]
        text = "\n".join([*how, *(one.key for one in self.requests)])
        return store.place / "outcome" / f"{digest('piece', text)}.json"


Outcome = dict[str, dict[str, Any]]
"""Request key -> ``file`` below the store and its facts, or ``why`` there is no file."""


def pieces_of(requests: Iterable[Request]) -> list[CutRequests]:
    """Divide requests into pieces of work: at most PIECE different intervals of one video each."""
    mine: dict[CutSource, dict[tuple[str, int, int], list[Request]]] = {}
    for one in sorted(set(requests)):
        stretches = mine.setdefault(one.recording, {})
        stretches.setdefault((one.kind, one.start_us, one.end_us), []).append(one)
    return [
        CutRequests(recording, tuple(chain.from_iterable(wanted[first : first + PIECE])))
        for recording, wanted in ((one, list(all_.values())) for one, all_ in mine.items())
        for first in range(0, len(wanted), PIECE)
    ]


def do_piece(piece: CutRequests, store: CutStore, clean: Clean | None = None) -> str:
    """Cut what the store lacks and write the outcome to the store.

    Args:
        clean: function that hides faces and texts. It must be given for exactly those datasets for
            which ``store.hides`` names a method.

    Returns:
        File name of the outcome.
    """
    out: Outcome = {}
    if bool(store.hides(piece.recording.dataset)) != bool(clean):
        raise ValueError(f"dataset {piece.recording.dataset}: 'clean' does not match 'hidden'")
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


def outcomes(pieces: Sequence[CutRequests], store: CutStore) -> Outcome:
    """Return the results of all requests. All pieces must be done before."""
    out: Outcome = {}
    for piece in pieces:
        out |= orjson.loads(piece.outcome(store).read_bytes())
    return out


def _done(
    one: Request, film: Film, source: str, store: CutStore, clean: Clean | None
) -> dict[str, Any]:
    try:
        name = _name(one, film, source, store)
        facts_path = store.place / f"{name}.json"
        if not facts_path.is_file():
            cut = _cut(one, film, store.look, clean)
            facts_path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(store.place / name, cut.data)
            facts = {name: getattr(cut, name) for name in cut.__slots__ if name != "data"}
            write_whole(facts_path, orjson.dumps(facts, option=orjson.OPT_SORT_KEYS))
        facts = orjson.loads(facts_path.read_bytes())
        return {"file": name, **facts, "unseen_us": unseen_of(film, one.asked_us, facts["lost"])}
    except NoPicture as error:
        return {"why": str(error)}
    except SourceBroken as error:
        return {"why": str(error)}


def _name(one: Request, film: Film, source: str, store: CutStore) -> str:
    """File name, derived from the frames that are shown and not from the request.

    So two times within one frame give one image, and questions about one interval share a clip.

    Raises:
        NoPicture: no frame is on screen there.
    """
    look, hides = store.look, store.hides(one.recording.dataset)
    if one.kind == PICTURE:
        shown: tuple[object, ...] = (film.on_screen(one.end_us),)
    else:
        frames = frames_of(film, one.start_us, one.end_us, look.fps, one.asked_us)
        shown = (one.start_us, one.end_us, ranges_of(frames))
    over = () if one.overlay is None else (repr(one.overlay), one.end_us)
    hidden = (hides,) if hides else ()
    text = digest(VERSION, one.kind, source, *shown, look.size, *over, *hidden)
    return f"{text[:2]}/{text}.{ENDINGS[one.kind]}"


def ranges_of(numbers: Sequence[int]) -> str:
    """Return sorted numbers as text, such as ``0-24,30``."""
    runs: list[list[int]] = []
    for one in numbers:
        if runs and one == runs[-1][1] + 1:
            runs[-1][1] = one
        else:
            runs.append([one, one])
    return ",".join(f"{first}-{last}" if first < last else f"{first}" for first, last in runs)


def _cut(one: Request, film: Film, look: CutLook, clean: Clean | None) -> CutFile:
    if one.kind == PICTURE:
        return picture_of(film, one.end_us, look, one.overlay, clean)
    return clip_of(film, one.start_us, one.end_us, look, one.asked_us, one.overlay, clean)


_films: OrderedDict[tuple[CutSource, CutStore], tuple[Film, str]] = OrderedDict()
"""Open videos of this process."""


def _opened(recording: CutSource, store: CutStore) -> tuple[Film, str]:
    """Return the video of a medium, and a digest of the video's content."""
    key = (recording, store)
    if key not in _films:
        root = store.root(recording.dataset)
        media, rate = media_of(asdict(recording))
        film = film_of(root, media, rate)
        known = store.place / "known" / f"{digest(str(root), recording.path)}.json"
        seen = orjson.loads(known.read_bytes()) if known.is_file() else {}
        source = media_digest(located(root, media), recording.path, seen)
        known.parent.mkdir(parents=True, exist_ok=True)
        write_whole(known, orjson.dumps(seen))
        _films[key] = film, digest(source, recording.kind, rate, recording.first)
        while len(_films) > OPEN:
            _films.popitem(last=False)
    return _films[key]
