"""Plan the work on one video: identify its file, read its frame times, divide it into pieces."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import orjson

from surgqa.ontology.errors import UserError
from surgqa.ontology.records import MediaKind, Rejected
from surgqa.transforms.media import Sound
from surgqa.transforms.media.digests import media_digest
from surgqa.transforms.places import Place, inside, place
from surgqa.transforms.steps.files import put, rejected_row, seal, staged, unsealed
from surgqa.transforms.steps.observing import work
from surgqa.transforms.steps.observing.tasks import ObserveSettings, ObserveTask, Piece
from surgqa.transforms.store.evidence import VIDEO, video_folder

ONE_A_SECOND = [1, 1]
"""Frame rate that is used for a still image, which has none."""


def medium_of(task: ObserveTask, settings: ObserveSettings) -> str:
    """Return the digest of the video's media file, remembered from an earlier run or computed."""
    remembered = settings.folder / "raw" / "media" / f"{task.part}.json"
    known = orjson.loads(unsealed(remembered) or b"{}") if remembered.is_file() else {}
    before = dict(known)
    name = task.media.path or ""
    digest = media_digest(inside(task.root, name or "."), name, known)
    if known != before:
        put(remembered, seal(orjson.dumps(known)))
    return digest


def is_current(task: ObserveTask, settings: ObserveSettings) -> bool:
    """Return whether the store already holds exactly the evidence that this run would write."""
    file = video_folder(settings.folder, task.video_id) / VIDEO
    if not file.is_file():
        return False
    made_from = orjson.loads(file.read_bytes()).get("made_from")
    return bool(made_from == settings.made_from(task, medium_of(task, settings)))


def plan_video(task: ObserveTask, settings: ObserveSettings) -> list[Piece]:
    """Open a video and return its pieces of work for frames and sound.

    If the video cannot be read, this is stored for the report, and there are no pieces.
    """
    folder = work.video_work(settings, task)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / work.FAILED).unlink(missing_ok=True)
    try:
        return _planned(task, settings, folder)
    except UserError as error:
        note_failure(folder, error)
        return []


def note_failure(folder: Place, error: UserError) -> None:
    """Write the error to the video's work folder; only a video's first error is kept."""
    if not (folder / work.FAILED).is_file():
        work.write_json(folder / work.FAILED, {"lines": error.lines(), "code": error.code})


def _planned(task: ObserveTask, settings: ObserveSettings, folder: Place) -> list[Piece]:
    from surgqa.transforms.media.film import film_of
    from surgqa.transforms.media.sampling import plan_pieces, sample

    medium = medium_of(task, settings)
    film = film_of(place(task.root), task.media, task.fps)
    samples = sample(film.table, settings.rate)
    work.write_film(folder, film.table, samples)
    pieces: list[Piece] = []
    eyes = tuple(
        e.name for e in settings.frames if not work.is_kept(work.raw_file(settings, e, medium))
    )
    if eyes:
        ranges = plan_pieces(film.table, samples, settings.batch, settings.piece_us)
        short = settings.fills and len(samples.times_us) < settings.batch
        pieces += [Piece(task, "look", first, last, eyes, short=short) for first, last in ranges]
    heard, sound = _sound(task, settings, folder, medium)
    work.write_json(folder / work.PLAN, {
        "medium": medium,
        "film": film.facts,
        "sound": sound,
        "end_us": film.table.end_us,
        "fps": film.facts.get("fps") or ONE_A_SECOND,
        "width": film.width,
        "height": film.height,
        "problems": [problem_row(task, problem) for problem in film.problems],
        "look": [piece.name for piece in pieces],
        "short": eyes if eyes and short else (),
        "hear": [piece.name for piece in heard],
    })  # fmt: skip
    # The longest first, so that no worker starts a long piece last while all others wait.
    return sorted(pieces, key=lambda piece: piece.first - piece.last) + heard


def _sound(
    task: ObserveTask, settings: ObserveSettings, folder: Place, medium: str
) -> tuple[list[Piece], dict[str, Any] | None]:
    """Cut the sound into files of fixed length, whatever the number of workers."""
    if settings.sound is None or task.media.kind is not MediaKind.VIDEO:
        return [], None
    if work.is_kept(work.raw_file(settings, settings.sound, medium)):
        return [], None
    from surgqa.transforms.media.sound import SoundTrack

    name = task.media.path or ""
    sound = SoundTrack(inside(task.root, name or "."), name)
    pieces = []
    for number, part in enumerate(sound.pieces(settings.sound_piece_us)):
        write_sound(folder, number, part)
        pieces.append(Piece(task, "hear", number, number + 1, (settings.sound.name,)))
    return pieces, sound.facts


def _sound_file(folder: Place, number: int) -> Place:
    return folder / f"sound-{number:08d}.npz"


def write_sound(folder: Place, number: int, sound: Sound) -> None:
    """Write one cut of the sound to the work folder, for the transcribing step."""
    with staged(_sound_file(folder, number)) as local, local.open("wb") as sink:
        np.savez(sink, start_us=np.int64(sound.start_us), samples=sound.samples)


def read_sound(folder: Place, number: int) -> Sound:
    """Read what :func:`write_sound` wrote."""
    from surgqa.transforms.steps.files import at_hand

    with at_hand(_sound_file(folder, number)) as local, np.load(local) as kept:
        return Sound(int(kept["start_us"]), kept["samples"])


def problem_row(task: ObserveTask, problem: Rejected) -> dict[str, Any]:
    """Return a row of ``rejected/observe.jsonl``."""
    return rejected_row(replace(problem, stage="observe"), task.dataset, task.video_id)
