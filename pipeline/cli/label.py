"""``surgqa label``: people correct a detector's boxes, and the detector is trained on them."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from surgqa.ontology.errors import EXIT_DONE, OutputExists, ValueInvalid
from surgqa.pipeline.cli import label_said
from surgqa.pipeline.cli.console import shown, table, talk, write_json, write_result
from surgqa.pipeline.cli.given import unknown
from surgqa.pipeline.cli.options import File, Number, Text, Whole, arg, flag, group, opt
from surgqa.pipeline.cli.view import NoBrowser, Port, serve

if TYPE_CHECKING:
    from surgqa.transforms.evidence.detect import DetectSettings
    from surgqa.transforms.labelling.rounds import LabelRound, Project
    from surgqa.transforms.labelling.view import StoreView

label = group(
    "label",
    """Choose frames to correct, import the corrections, train on them.

    \b
    surgqa label choose STORE --part held-out --count 40 --out measure --as cvat
    surgqa label choose STORE --count 50 --out round1 --as cvat
    surgqa label import STORE annotations.xml --reviewer NAME --date 2026-11-21
    surgqa label evaluate STORE
    surgqa label train STORE --weights yolo.pt --out better.pt
    surgqa label rounds STORE
    """,
)

Store = Annotated[Path, arg("STORE", "Store of 'surgqa observe'.")]
ImageSize = Annotated[int, opt("PIXELS", "Longer side seen.", "--image-size", min=32)]
Device = Annotated[str, opt("NAME", "auto, cpu or cuda:N.")]
Classes = Annotated[File, opt("FILE", "Class map, if the weights use other class names.")]
NoBlur = Annotated[bool, flag("--no-blur", "Do not blur faces and texts in the frames.")]
_PARTS = {"training": "training", "held-out": "held_out"}


@label.command("choose", short_help="choose frames and export them for a tool")
def choose(
    store: Store,
    out: Annotated[Path, opt("ROUND", "New folder for the export.")],
    form: Annotated[str, opt("FORMAT", "cvat, label-studio, coco or yolo.", "--as")] = "cvat",
    count: Annotated[int, opt("N", "Frames to choose.", min=1)] = 50,
    part: Annotated[str, opt("PART", "training, or held-out for measuring.")] = "training",
    held_out: Annotated[
        Number,
        opt("SHARE", "Share held out for measuring; fixed by the first round (0.2).", "--held-out"),
    ] = None,
    again: Annotated[Whole, opt("N", "Export frames of round N again.", "--round", min=1)] = None,
    no_blur: NoBlur = False,
    workers: Annotated[int, opt("N", "Processes that write pictures.", min=1)] = 1,
) -> int:
    """Choose frames that a person should correct, and export them with their boxes.

    \b
    surgqa label choose store --count 50 --out round1 --as cvat
    surgqa label choose store --part held-out --count 40 --out measure --as label-studio
    surgqa label choose store --round 1 --out again --as coco

    Frames are chosen where the detector is unsure, spread over appearance, time and videos.  The
    frames of the held-out part are drawn at random once and are never used for training.
    """
    from surgqa.transforms.labelling.exchange import export_round
    from surgqa.transforms.labelling.export import FORMATS, load
    from surgqa.transforms.labelling.pictures import cleaner
    from surgqa.transforms.labelling.rounds import Project
    from surgqa.transforms.labelling.settings import Choosing
    from surgqa.transforms.labelling.view import StoreView
    from surgqa.transforms.places.fresh import refuse_full
    from surgqa.transforms.places.locks import store_lock
    from surgqa.transforms.steps.label_pictures import Workers

    if form not in FORMATS:
        raise unknown("labelling format", form, FORMATS, "surgqa label choose --help")
    if part not in _PARTS:
        raise unknown("part", part, _PARTS, "surgqa label choose --help")
    clean = cleaner(not no_blur)  # first, because its package may be missing
    view = StoreView(store)
    refuse_full(out, "--out")
    with store_lock(view.path):
        project = Project.begun(view.path, view, held_out)
        if again is None:
            one, found = project.open_round(view, count, _PARTS[part], Choosing())
            if found < count:
                talk.say(f"only {found} frame(s): others look like chosen or reviewed ones")
            write_result(label_said.reasons_of(one))
        else:
            one = project.round(again)
        done = export_round(project, view, one, out, form, clean, not no_blur,
                            Workers(workers, view.path, not no_blur))  # fmt: skip
    write_result(
        f"round {one.number}: {done.frames} frames with {done.boxes} boxes in {out}"
        + ("" if no_blur else f", {done.regions} region(s) blurred")
    )
    talk.say(
        f"next: {load(form).hint}\n"
        f"then: surgqa label import {shown(store)} FILE --reviewer NAME --date YYYY-MM-DD "
        f"--as {form}"
    )
    return EXIT_DONE


@label.command("correct", short_help="correct the boxes of a round on a page")
def correct(
    folder: Annotated[Path, arg("ROUND", "Round of 'choose --as label-studio'.")],
    port: Port = 0,
    no_browser: NoBrowser = False,
) -> int:
    """Correct the boxes of a round in the browser: move, rename, add, remove.

    \b
    surgqa label choose store --count 50 --out round1 --as label-studio
    surgqa label correct round1
    surgqa label import store round1/tasks.json --reviewer NAME --date 2026-11-21

    If speech names a tissue that has no box, the page asks for a click on it, and 'surgqa observe
    --segment' tracks it.  Every change is written to ROUND/tasks.json; frames that are not marked
    as done are not imported.  The page is served to this machine only.  Press Ctrl-C to stop.
    """
    from surgqa.transforms.labelling.corrections import Corrections
    from surgqa.transforms.view.correct import CorrectApi

    round_ = Corrections(folder)
    status = serve(CorrectApi(round_), port, no_browser)
    talk.say(
        f"next: surgqa label import STORE {shown(round_.tasks)} --reviewer NAME --date YYYY-MM-DD"
    )
    return status


@label.command("import", short_help="import corrected boxes as a layer")
def import_corrections(
    store: Store,
    file: Annotated[Path, arg("FILE", "File exported by the tool; a folder for YOLO.")],
    reviewer: Annotated[str, opt("NAME", "Person who corrected the boxes.")],
    date: Annotated[str, opt("DATE", "Date, such as 2026-11-21.")],
    form: Annotated[Text, opt("FORMAT", "Detected from the file if omitted.", "--as")] = None,
    number: Annotated[Whole, opt("N", "Round [from the frames' names].", "--round", min=1)] = None,
    json: Annotated[File, opt("FILE", "Also write the record to this file.", "--json")] = None,
) -> int:
    """Import corrected boxes as a layer over the observed ones, with reviewer and date.

    \b
    surgqa label import store annotations.xml --reviewer "A. Surgeon" --date 2026-11-21
    surgqa label import store corrected/ --as yolo --reviewer "A. Surgeon" --date 2026-11-21

    Boxes that cannot be read are listed with their position; a frame with such a box counts as
    not reviewed.  Importing the same file again changes nothing.
    """
    from surgqa.transforms.labelling.exchange import import_file
    from surgqa.transforms.labelling.export import FORMATS, format_of
    from surgqa.transforms.labelling.rounds import Project
    from surgqa.transforms.places.locks import store_lock
    from surgqa.transforms.store.evidence import EvidenceStore

    if form is not None and form not in FORMATS:
        raise unknown("labelling format", form, FORMATS, "surgqa label import --help")
    project = Project(store)
    with store_lock(store):
        done = import_file(project, file, form or format_of(file), reviewer, date, number)
    if done.again:
        talk.say(f"imported before, as layer {done.layer}: nothing to do")
    write_result(label_said.account_of(done.layer, done.record))
    if done.imported is not None:
        for one in done.imported.rejects:
            talk.say(f"{one.outcome}: {one.where}: {one.code}: {one.reason}")
    for line in label_said.after_import(EvidenceStore(store), done.layer, done.record):
        talk.say(line)
    if json:
        write_json(done.record, json)
    return EXIT_DONE


@label.command("train", short_help="train the detector on all corrections")
def train(
    store: Store,
    weights: Annotated[Path, opt("W", "Weights to start from, or yolov10n.yaml.")],
    out: Annotated[Path, opt("NEW", "File of the new weights, .pt.")],
    epochs: Annotated[int, opt("N", "Passes over the training frames.", min=1)] = 100,
    image_size: ImageSize = 640,
    batch: Annotated[int, opt("N", "Frames per training step.", min=1)] = 8,
    minutes: Annotated[Number, opt("M", "Stop after M minutes; then results vary.")] = None,
    seed: Annotated[int, opt("N", "Seed of the training.", min=0)] = 0,
    device: Device = "auto",
    classes: Classes = None,
    onnx: Annotated[bool, flag("--onnx", "Also write NEW as .onnx, without PyTorch.")] = False,
    no_blur: NoBlur = False,
) -> int:
    """Train on every reviewed frame that is not held out; measure before and after.

    \b
    surgqa label train store --weights yolo.pt --out better.pt
    surgqa label train store --weights yolov10n.yaml --out first.pt --epochs 200 --onnx
    """
    from surgqa.transforms.evidence.detect import TrainSettings
    from surgqa.transforms.labelling.pictures import cleaner
    from surgqa.transforms.labelling.rounds import Project
    from surgqa.transforms.labelling.training import Teacher, train_round
    from surgqa.transforms.labelling.view import StoreView

    _new_weights(out)
    project, view = Project(store), StoreView(store)
    training = TrainSettings(
        start=weights, image_size=image_size, epochs=epochs, minutes=minutes, batch=batch,
        seed=seed, device=device,
    )  # fmt: skip
    shape = _input_hw(project.rounds(), image_size) if onnx else None
    teacher = Teacher(training, _detecting(weights, image_size, device, classes), shape)
    done = train_round(project, view, teacher, weights, out, cleaner(not no_blur), not no_blur)
    step = done.step
    write_result(
        f"round {done.round}: {step['frames']} frames, {sum(step['boxes'].values())} boxes, "
        f"weights {out}, values {done.taught.digest[:16]}"
    )
    write_result(label_said.precision_text(done.held_out))
    return EXIT_DONE


@label.command("evaluate", short_help="measure a detector on the held-out part")
def evaluate(
    store: Store,
    weights: Annotated[File, opt("W", "Also measure a .pt or .onnx file.")] = None,
    image_size: ImageSize = 640,
    device: Device = "auto",
    classes: Classes = None,
    json: Annotated[File, opt("FILE", "Also write to this file.", "--json")] = None,
) -> int:
    """Measure how often the store's boxes miss instruments on reviewed, held-out frames.

    \b
    surgqa label evaluate store
    surgqa label evaluate store --weights better.onnx

    The result is saved in the store.  Builds use it to decide where an unseen instrument is absent;
    without it, they ask only about what was seen.  --weights measures the average precision of a
    detector; with .onnx weights this needs no PyTorch.
    """
    from surgqa.transforms.labelling.fitness import Entitling
    from surgqa.transforms.labelling.measuring import measure_fitness, record_fitness
    from surgqa.transforms.labelling.rounds import Project
    from surgqa.transforms.labelling.view import StoreView

    project, view = Project(store), StoreView(store)
    measured = measure_fitness(project, view, Entitling())
    step = record_fitness(project, view, measured)
    write_result(label_said.fitness_text(measured, Entitling()))
    if weights is not None:
        detector = _detecting(weights, image_size, device, classes)
        step["precision"] = _precision(project, view, weights, detector)
    if json:
        write_json(step, json)
    return EXIT_DONE


def _precision(
    project: Project, view: StoreView, weights: Path, detecting: DetectSettings
) -> dict[str, Any]:
    """Print and record the average precision of a detector on the held-out part."""
    from surgqa.transforms.evidence.base import file_digest
    from surgqa.transforms.evidence.detect import Extractor
    from surgqa.transforms.labelling.measuring import about_truth, known_frames, measured

    frames = known_frames(project, view)
    result = measured(view, frames, Extractor(detecting))
    held_out = {**about_truth(project, frames), "before": result, "after": None}
    step = {
        "step": "evaluate", "weights": {"name": weights.name, "sha256": file_digest(weights)},
        "held_out": held_out,
    }  # fmt: skip
    project.add(project.rounds()[-1].number, step)
    write_result(label_said.precision_text(held_out))
    return step


@label.command("rounds", short_help="what each round did")
def rounds(
    store: Store, json: Annotated[bool, flag("--json", "Print JSON, with all steps.")] = False
) -> int:
    """List for each round the chosen frames, the corrections, and the detector's precision.

    \b
    surgqa label rounds store
    """
    from surgqa.transforms.labelling.rounds import Project

    project = Project(store)
    found = project.rounds()
    if json:
        round_entries = [{"round": one.number, "steps": one.steps} for one in found]
        write_json({"held_out": asdict(project.held_out), "rounds": round_entries})
        return EXIT_DONE
    lines: list[list[object]] = [[
        "round", "part", "chosen", "reviewed", "left", "rejected", "confirmed", "moved",
        "relabelled", "added", "clicked", "deleted", "mAP50", "mAP50-95",
    ]]  # fmt: skip
    lines += [label_said.line_of(one) for one in found]
    write_result(table(lines))
    by = project.held_out
    write_result(f"held out: {len(by.stretches)} {by.by}(s), {by.share:g} of all")
    return EXIT_DONE


def _detecting(weights: Path, image_size: int, device: str, classes: Path | None) -> DetectSettings:
    from surgqa.transforms.evidence.detect import DetectSettings
    from surgqa.transforms.labelling.measuring import CONFIDENCE

    return DetectSettings(
        weights=weights, classes=classes, image_size=image_size, device=device,
        confidence=CONFIDENCE,
    )  # fmt: skip


def _input_hw(found: list[LabelRound], image_size: int) -> tuple[int, int]:
    """Return the smallest input size that fits the shape of the first frame."""
    from surgqa.transforms.evidence.detect.pictures import padded_size

    frame = found[0].sheet.frames[0]
    return padded_size((frame.height, frame.width), image_size)


def _new_weights(out: Path) -> None:
    if out.suffix != ".pt":
        raise ValueInvalid(
            "the new weights must be a .pt file",
            expected="a name that ends in .pt", found=out.name, where="--out",
        )  # fmt: skip
    if out.exists():
        raise OutputExists(f"{out} exists already", where="--out", fix="choose a new file name")
