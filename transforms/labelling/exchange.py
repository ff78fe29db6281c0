"""Export a round to a labelling tool, and import its corrections as a layer."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from surgqa.ontology.errors import FileMissing, Mismatched, StepOrder, WrongUsage
from surgqa.ontology.keys import bytes_digest
from surgqa.transforms.labelling.export import load
from surgqa.transforms.labelling.layer import LayerSignature, layer_names, layer_record, write_layer
from surgqa.transforms.labelling.matching import MatchedFile, match
from surgqa.transforms.labelling.pictures import Cleaner, Writer, write_pictures
from surgqa.transforms.labelling.rounds import LabelRound, Project
from surgqa.transforms.labelling.sheet import ReturnedFile, without_masks
from surgqa.transforms.labelling.view import StoreView
from surgqa.transforms.places.fresh import new_folder
from surgqa.transforms.review.terms import check_date


@dataclass(frozen=True, slots=True)
class Exported:
    """The numbers of exported frames and boxes.

    Attributes:
        regions: number of blurred faces and texts.
    """

    frames: int
    boxes: int
    regions: int


def export_round(
    project: Project, view: StoreView, one: LabelRound, out: Path, name: str, clean: Cleaner,
    blurred: bool, write: Writer = write_pictures,
) -> Exported:  # fmt: skip
    """Write a round's frames and boxes for a tool, and record it.

    Args:
        one: the round.
        name: the tool's format, such as ``cvat``.
        clean: the function that blurs faces and texts; ``blurred``: whether it does.
        write: the function that writes the frames.

    Raises:
        UserError: ``out`` is not empty or cannot be created, or a video was replaced.
    """
    made = load(name)
    sheet = one.sheet
    other = {f.video_id for f in sheet.frames if view.medium(f.video_id) != f.medium}
    if other:
        raise StepOrder(
            f"round {one.number} shows other content than the store", where="--round",
            found=f"{', '.join(sorted(other))} replaced and observed again since",
            fix="choose a new round: surgqa label choose without --round",
        )  # fmt: skip
    with new_folder(out, "--out") as partial:
        regions = write(view, sheet.frames, partial / made.pictures, clean)
        made.write(sheet if made.masked else without_masks(sheet), partial)
    boxes = sum(len(frame.boxes) for frame in sheet.frames)
    step = {
        "step": "export", "as": name, "frames": len(sheet.frames), "boxes": boxes,
        "blurred": blurred, "regions": regions,
    }  # fmt: skip
    project.add(one.number, step)
    return Exported(len(sheet.frames), boxes, regions)


@dataclass(frozen=True, slots=True)
class ImportResult:
    """What was imported from a file that people have reviewed.

    Attributes:
        layer: name of the layer.
        again: the same file was imported before; nothing was done.
        imported: the imported layer; None if the file was imported before.
    """

    round: int
    layer: str
    again: bool
    imported: MatchedFile | None
    record: dict[str, Any]


def import_file(
    project: Project, path: Path, name: str, reviewer: str, date: str,
    number: int | None = None,
) -> ImportResult:  # fmt: skip
    """Convert the corrections in a file or folder to a layer of their round.

    Args:
        name: the format.
        date: ISO date of the review.
        number: the round; None: detect it from the frames' names.

    Raises:
        UserError: no reviewer, no date, or no round with these frames.
        SourceMissing, SourceBroken: the file does not exist, or has another format.
    """
    _signed(reviewer, date)
    if not path.exists():
        raise FileMissing(f"{path.name} is missing", where=str(path))
    reading = load(name).read(path)
    source = source_digest(path)
    one = project.round(number) if number else _round_of(project, reading, path)
    signature = LayerSignature(one.number, reviewer.strip(), date, name, source, one.part)
    layers = [n for n in layer_names(project.store) if n.startswith(f"{one.number:03d}-")]
    for layer in layers:
        record = layer_record(project.store, layer)
        if all(record[key] == value for key, value in asdict(signature).items()):
            if all(step["layer"] != layer for step in one.done("import")):
                project.add(one.number, _step(layer, record))  # interrupted before it was recorded
            return ImportResult(one.number, layer, True, None, record)
    imported = match(one.sheet, reading)
    assert imported.frames.balanced and imported.boxes.balanced, (imported.frames, imported.boxes)
    layer = f"{one.number:03d}-{len(layers) + 1:02d}"
    write_layer(project.store, layer, signature, imported)
    record = layer_record(project.store, layer)
    project.add(one.number, _step(layer, record))
    return ImportResult(one.number, layer, False, imported, record)


def _step(layer: str, record: dict[str, Any]) -> dict[str, Any]:
    keys = ("tool", "reviewer", "date", "source_sha256", "frames", "boxes", "labels", "rejected")
    return {"step": "import", "layer": layer, **{key: record[key] for key in keys}}


def _signed(reviewer: str, date: str) -> None:
    if not reviewer.strip():
        raise WrongUsage("corrections need a reviewer", where="--reviewer")
    check_date(date)


def _round_of(project: Project, reading: ReturnedFile, path: Path) -> LabelRound:
    """Return the latest round that contains a frame of the file."""
    files = {one.file for one in reading.pictures}
    for one in reversed(project.rounds()):
        if files & {frame.file for frame in one.sheet.frames}:
            return one
    shown = sorted(files)[:3]
    raise Mismatched(
        "no round of this store has any of these pictures",
        expected="the file names of the export",
        found=", ".join(shown) or "no picture",
        where=str(path),
        fix="import the file into the store it was exported from; do not rename pictures",
    )


def source_digest(path: Path) -> str:
    """Return the SHA-256 of a file, or over the text files of a folder; images do not count."""
    if path.is_file():
        return bytes_digest(path.read_bytes())
    texts = sorted(p for p in path.rglob("*") if p.suffix in (".txt", ".yaml", ".xml", ".json"))
    parts = [f"{p.relative_to(path).as_posix()} {bytes_digest(p.read_bytes())}" for p in texts]
    return bytes_digest("\n".join(parts).encode())
