"""Write exports with media: cut the media into a store, link them, and write the export."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

from surgqa.ontology.errors import MediaMissing, NothingSelected, WrongUsage
from surgqa.pipeline.cutting import CutRun, cut
from surgqa.transforms.exports.formats import Format, Row
from surgqa.transforms.exports.marked import frame_lines, sheet_of, shown_of, splits_of
from surgqa.transforms.exports.talking import DialogueForm, LeftOut, Talks
from surgqa.transforms.exports.writing import placed, put, write_about, write_lines
from surgqa.transforms.media.cutting import CutStore, Outcome, Request
from surgqa.transforms.media.film import media_of
from surgqa.transforms.media.located import located
from surgqa.transforms.places import below
from surgqa.transforms.store import OutputFolder


def write_talks(
    folder: OutputFolder,
    form: Format,
    to: Path,
    telling: DialogueForm,
    store: CutStore | None,
    run: CutRun,
) -> tuple[Sequence[Row], Sequence[LeftOut]]:
    """Write an export of dialogues.

    Args:
        to: an existing, empty folder.
        store: the folder of cut media; None for text only.

    Returns:
        A table of what was written, and the questions that were left out.

    Raises:
        UserError: the folder of a dataset was not passed, or nothing can be shown.
        SourceMissing: the folder of a dataset contains none of its videos.
    """
    assert form.talk is not None
    with tempfile.TemporaryFile(dir=to.parent) as spool:
        telling = replace(telling, taking=form.taking, whole=form.whole)
        talks, outcome = Talks(folder, telling, spool), Outcome()
        if store is not None:
            requests = set(talks.requests())
            _check(requests, store)
            outcome = cut(requests, store, run)
        where = store.place if store else None
        table = form.talk(folder, to, placed(talks.dialogues(outcome), where, to))
        if len(table) < 2 and talks.left_out:
            raise NothingSelected(
                "no question can be shown", expected="videos or frames of the questions",
                found=talks.left_out[0]["reason"], where="--root",
                fix="get the videos and name their folders, or write text alone: --media none",
            )  # fmt: skip
        look = {name: str(one) for name, one in asdict(store.look).items()} if store else {}
        settings = {"media": telling.media, "every_us": telling.every_us, "look": look,
                    "turns": telling.turns, "overlay": telling.overlay, "hidden": _hidden(store),
                    **form.chosen}  # fmt: skip
        misfits = [{"item_id": item_id, "round_index": None, "code": "no_place",
                    "reason": f"{form.name} takes {form.taking.words}"}
                   for item_id in sorted(form.taking.misfits(folder))]  # fmt: skip
        write_about(folder, to, form.name, settings, [*talks.left_out, *misfits])
        return table, talks.left_out


def write_marks(
    folder: OutputFolder, form: Format, to: Path, store: CutStore | None, run: CutRun
) -> tuple[Sequence[Row], Sequence[LeftOut]]:
    """Write an export of the boxes and masks in the evidence.

    Args:
        to: an existing, empty folder.
        store: the folder of cut frames; None without frames.

    Returns:
        A table of what was written, and the instants without an image.

    Raises:
        UserError: the folder of a dataset was not passed, or nothing has a box or mask.
        SourceMissing: the folder of a dataset contains none of its videos.
    """
    assert form.sheet is not None
    shown, outcome = list(shown_of(folder)), None
    if store is not None:
        requests = {one.request for one in shown if one.request}
        _check(requests, store)
        outcome = cut(requests, store, run)
    sheet, files, left = sheet_of(shown, outcome)
    if not any(frame.boxes for frame in sheet.frames):
        raise NothingSelected(
            "no box or mask can be exported", expected="boxes or masks in evidence/",
            found=left[0]["reason"] if left else "no annotated instant", where=str(folder.path),
            fix="use a dataset with boxes, or add a detector's boxes: surgqa build --evidence",
        )  # fmt: skip
    form.sheet(sheet, to)
    for name, path in files.items():
        assert store is not None
        put(below(store.place, path), to / form.pictures / name)
    write_lines(to / "frames.jsonl", frame_lines(shown, sheet, splits_of(folder)))
    settings = {"pictures": len(files), "hidden": _hidden(store), **form.chosen}
    write_about(folder, to, form.name, settings, left)
    boxes = [one for frame in sheet.frames for one in frame.boxes]
    counts = len(sheet.frames), len(files), len(boxes), sum(1 for one in boxes if one.mask)
    return [("frames", "pictures", "boxes", "masks"), counts], left


def _hidden(store: CutStore | None) -> list[str]:
    """Return datasets in whose frames faces and texts are hidden."""
    return sorted(name for name, _ in store.hidden) if store else []


def _check(requests: set[Request], store: CutStore) -> None:
    """Check, before anything is cut, that there are videos or frames to cut from."""
    known = sorted({one.recording for one in requests})
    lacking = sorted({one.dataset for one in known} - {name for name, _ in store.roots})
    if lacking:
        raise WrongUsage(
            f"the folder of {lacking[0]} is not named", expected=f"--root {lacking[0]}=DIR",
            found=f"no root for {', '.join(lacking)}", where="--root",
            fix="name the folder of the videos, or write text alone: --media none",
        )  # fmt: skip
    for dataset in sorted({one.dataset for one in known}):
        root, mine = store.root(dataset), [one for one in known if one.dataset == dataset]
        places = [located(root, media_of(asdict(one))[0]) for one in mine]
        if not any(path.exists() for path in places):
            raise MediaMissing(
                f"no video of {dataset} was found",
                expected=f"{len(mine)} videos, such as {mine[0].path}",
                found="none of them", where=f"--root {dataset}={root}",
                fix="name the dataset's folder, or write text alone: --media none",
            )  # fmt: skip
