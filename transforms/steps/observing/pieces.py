"""Do one piece of work of ``surgqa observe``: run models on frames or sound, write their rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import chain

import numpy as np
import pyarrow as pa

from surgqa.ontology.errors import UserError
from surgqa.ontology.observed import KINDS
from surgqa.transforms.evidence.base import FrameExtractor
from surgqa.transforms.media import FrameBatch
from surgqa.transforms.places import Place, place
from surgqa.transforms.steps.files import write_arrow
from surgqa.transforms.steps.observing.plan import note_failure, read_sound
from surgqa.transforms.steps.observing.tasks import ObserveSettings, ObserveTask, Piece
from surgqa.transforms.steps.observing.work import (
    BOXES,
    FAILED,
    PLAN,
    facts_file,
    piece_file,
    read_film,
    read_json,
    read_rows,
    video_work,
    write_json,
)

HELD = 4
"""Short videos are run together as soon as their frames fill this many batches, or at the end."""


def import_observing() -> None:
    """Import the modules that the first two steps need; the last step imports its own later."""
    import surgqa.transforms.media.ahead
    import surgqa.transforms.media.film
    import surgqa.transforms.media.sampling  # noqa: F401


def do_piece(piece: Piece, settings: ObserveSettings) -> str:
    """Do one piece of work, write its rows to the work folder, and return the piece's name.

    A :class:`UserError` (a missing model, a damaged file) is stored and reported when the video's
    evidence is made. Rows that an earlier run wrote are not computed again.
    """
    folder = video_work(settings, piece.task)
    if piece.short:  # see look_together
        return f"{piece.task.part}/{piece.name}"
    try:
        work = {"look": _look, "hear": _hear, "mask": _mask}[piece.kind]
        work(piece, settings, folder, read_json(folder / PLAN)["medium"])
    except UserError as error:
        note_failure(folder, error)
    return f"{piece.task.part}/{piece.name}"


def _look(piece: Piece, settings: ObserveSettings, folder: Place, medium: str) -> None:
    todo = _todo(piece, settings, folder, medium)
    if not todo:
        return
    rows: dict[str, list[pa.Table]] = {extractor.name: [] for extractor, _ in todo}
    dropped: dict[str, Counter[str]] = {extractor.name: Counter() for extractor, _ in todo}
    faults: list[int] = []
    for batch in batches(piece.task, settings, folder, piece.first, piece.last):
        faults += [] if batch.faults is None else batch.faults.tolist()
        for extractor, _ in todo:
            seen = extractor.see(batch)
            rows[extractor.name].append(seen.rows)
            dropped[extractor.name].update(seen.dropped)
    for extractor, target in todo:
        empty = KINDS[extractor.kind].empty_table()
        note = {"facts": extractor.facts(), "dropped": dropped[extractor.name], "faults": faults}
        write_json(facts_file(target), note)
        write_arrow(pa.concat_tables([empty, *rows[extractor.name]]), target)


def _todo(
    piece: Piece, settings: ObserveSettings, folder: Place, medium: str
) -> list[tuple[FrameExtractor, Place]]:
    """Return the models whose rows of a piece of work are missing, each with the file to write."""
    wanted = [(extractor, piece_file(folder, settings.raw_key(extractor, medium), piece.name))
              for extractor in settings.frames if extractor.name in piece.extractors]  # fmt: skip
    return [(extractor, target) for extractor, target in wanted if not target.is_file()]


def look_together(tasks: Sequence[ObserveTask], settings: ObserveSettings) -> list[str]:
    """Run the frame models on the short videos among ``tasks``, several videos in one batch.

    A :class:`UserError` of one video is stored in its work folder and does not affect the others.

    Returns:
        The names of the videos' pieces of work.
    """
    held: list[tuple[Place, list[tuple[FrameExtractor, Place]], FrameBatch]] = []
    names = []
    for task in tasks:
        folder = video_work(settings, task)
        plan = {} if (folder / FAILED).is_file() else read_json(folder / PLAN)
        if not plan.get("short"):
            continue
        piece = Piece(task, "look", 0, 1, tuple(plan["short"]))
        names.append(f"{task.part}/{piece.name}")
        try:
            todo = _todo(piece, settings, folder, plan["medium"])
            held += [
                (folder, todo, batch) for batch in batches(task, settings, folder, 0, 1) if todo
            ]
        except UserError as error:
            note_failure(folder, error)
        if sum(len(batch.times_us) for _, _, batch in held) >= HELD * settings.batch:
            _see_together(held, settings)
            held = []
    _see_together(held, settings)
    return names


def _see_together(
    held: Sequence[tuple[Place, list[tuple[FrameExtractor, Place]], FrameBatch]],
    settings: ObserveSettings,
) -> None:
    """Run each model on batches with frames of several videos; write its rows by video."""
    for extractor in settings.frames:
        mine = [(folder, target, batch) for folder, todo, batch in held
                for one, target in todo if one is extractor]  # fmt: skip
        try:
            seen = extractor.see_together([batch for _, _, batch in mine]) if mine else []
            facts = extractor.facts() if mine else {}
        except UserError as error:
            for folder, _, _ in mine:
                note_failure(folder, error)
            continue
        for (_, target, batch), one in zip(mine, seen, strict=True):
            faults = [] if batch.faults is None else batch.faults.tolist()
            note = {"facts": facts, "dropped": dict(one.dropped), "faults": faults}
            write_json(facts_file(target), note)
            write_arrow(one.rows, target)


def batches(
    task: ObserveTask, settings: ObserveSettings, folder: Place, first: int, last: int
) -> Iterator[FrameBatch]:
    """Yield the batches ``first`` <= n < ``last`` of one video; a thread decodes the next ones."""
    from surgqa.transforms.media.ahead import ahead
    from surgqa.transforms.media.film import film_of

    table, samples = read_film(folder)
    film = film_of(place(task.root), task.media, task.fps, table=table)
    yield from ahead(film.batches(samples, settings.batch, first, last))


def _hear(piece: Piece, settings: ObserveSettings, folder: Place, medium: str) -> None:
    from surgqa.transforms.evidence.privacy.utterances import mask_refused, mask_utterances

    assert settings.sound is not None
    target = piece_file(folder, settings.raw_key(settings.sound, medium), piece.name)
    if target.is_file():
        return
    heard = settings.sound.hear(read_sound(folder, piece.first))
    # Mask names and dates before any text is written to disk.
    language = heard.facts.get("language")
    refused = mask_refused(heard.facts["rejected"], language, settings.finder)
    write_json(facts_file(target), {**heard.facts, "rejected": refused})
    write_arrow(mask_utterances(heard.rows, settings.finder), target)


def _mask(piece: Piece, settings: ObserveSettings, folder: Place, medium: str) -> None:
    from surgqa.transforms.evidence.segment import follow, plan_windows, prompts
    from surgqa.transforms.evidence.segment.prompts import WINDOW_MASKS

    assert settings.masks is not None
    target = piece_file(folder, settings.raw_key(settings.masks, medium, piece.task), piece.name)
    if target.is_file():
        return
    if piece.followed is not None:
        look = partial(_window, piece.task, settings, folder)
        write_json(facts_file(target), {"left_out": 0})
        write_arrow(follow(settings.masks, piece.followed, piece.first, look), target)
        return
    _, samples = read_film(folder)
    window = plan_windows(len(samples.times_us), settings.masks.settings)[piece.first]
    asked = prompts(window, read_rows(folder / BOXES), samples, settings.masks.settings)
    rows = WINDOW_MASKS.empty_table()
    if asked.prompts:
        seen = _window(piece.task, settings, folder, window.first, window.last)
        rows = settings.masks.segment(
            window, seen.pictures, seen.times_us, seen.frames, seen.trusted, asked.prompts
        )
    write_json(facts_file(target), {"left_out": len(asked.left_out)})
    write_arrow(rows, target)


def _window(
    task: ObserveTask, settings: ObserveSettings, folder: Place, first: int, last: int
) -> FrameBatch:
    """Return the sampled frames ``first`` <= n < ``last`` as one batch."""
    size = settings.batch
    parts = list(batches(task, settings, folder, first // size, -(-last // size)))
    skip = first - first // size * size
    cut = slice(skip, skip + last - first)

    def joined(name: str) -> np.ndarray:
        return np.concatenate([getattr(part, name) for part in parts])[cut]

    pictures = list(chain.from_iterable(part.pictures for part in parts))[cut]
    return FrameBatch(0, last - first, joined("times_us"), joined("frames"), pictures,
                      joined("trusted"))  # fmt: skip
