"""``surgqa observe``: from raw video to an evidence store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from surgqa.ontology.errors import EXIT_DONE, EXIT_TOO_MANY_FAILED, WrongUsage
from surgqa.pipeline.cli.build import datasets_of
from surgqa.pipeline.cli.console import shown, talk, write_result
from surgqa.pipeline.cli.given import allowed_failures
from surgqa.pipeline.cli.options import File, Number, Text, Texts, Whole, arg, flag, opt

if TYPE_CHECKING:
    from surgqa.pipeline.observing.run import ObserveResult


def observe(
    context: typer.Context,
    run: Annotated[File, arg("RUN.yaml", "Settings in a file.")] = None,
    video: Annotated[Texts, opt("FILE", "A video, a still, or a folder of frames.")] = None,
    dataset: Annotated[Texts, opt("NAME", "A dataset with frames or videos.")] = None,
    root: Annotated[Texts, opt("DIR", "Folder of the dataset.")] = None,
    out: Annotated[Text, opt("STORE", "The evidence store.")] = None,
    asr: Annotated[bool, flag("--asr", "Transcribe speech.")] = False,
    asr_model: Annotated[Text, opt("MODEL", "Name or folder; implies --asr  [large-v3]")] = None,
    language: Annotated[Text, opt("CODE", "Spoken language; detected if left out.")] = None,
    detect: Annotated[Text, opt("WEIGHTS", "Detector, .pt or .onnx.")] = None,
    classes: Annotated[Text, opt("YAML", "Class map of the detector.")] = None,
    segment: Annotated[Text, opt("WEIGHTS", "SAM2 checkpoint; needs --detect.")] = None,
    extractor: Annotated[Texts, opt("NAME", "Extractor of another package.")] = None,
    fps: Annotated[Text, opt("N", "Frames per second, or all.  [default: 5]")] = None,
    frames_fps: Annotated[Text, opt("N", "Frame rate of folders of frames.")] = None,
    procedure: Annotated[Text, opt("NAME", "Name of the operation.")] = None,
    device: Annotated[Text, opt("D", "auto, cpu, cuda, cuda:N.  [default: auto]")] = None,
    precision: Annotated[Text, opt("P", "auto, full or half.  [default: auto]")] = None,
    batch: Annotated[Whole, opt("N", "Frames per model call.  [default: 8]")] = None,
    chunk: Annotated[Number, opt("SECONDS", "Length of a worker's piece.  [30]")] = None,
    max_failed: Annotated[Text, opt("N", "Tolerate this many bad videos: 3 or 1%.")] = None,
    workers: Annotated[Whole, opt("N", "Processes.  [1]")] = None,
    runner: Annotated[Text, opt("NAME", "Engine, see surgqa list engines.")] = None,
    accelerator: Annotated[Text, opt("TEXT", "For Dataflow: type:T;count:N.")] = None,
    dry_run: Annotated[bool, flag("--dry-run", "Print the plan; decode nothing.")] = False,
) -> int:
    """Find evidence in raw video and audio, and write it to a store that build reads.

    \b
    surgqa observe --video case1.mp4 --video case2.mp4 --out store --asr --detect tools.onnx
    surgqa observe --dataset cholect50 --root /data/cholect50 --detect tools.onnx --out store
    surgqa build --dataset observed --root store --benchmark surgstu --out out

    Work that the store already contains is not repeated.  Exit status 4 if videos failed.
    """
    overrides = {
        "videos": _videos(video, frames_fps, procedure),
        "datasets": datasets_of(dataset, root, None, None),
        "out": out,
        "speech": _speech(asr, asr_model, language),
        "detect": _given(weights=detect, classes=classes) if detect else None,
        "segment": _given(weights=segment) if segment else None,
        "fps": fps,
        "device": device,
        "precision": precision,
        "batch": batch,
        "chunk_s": chunk,
        "max_failed": None if max_failed is None else allowed_failures(max_failed),
        "workers": workers,
        "runner": runner,
        "accelerator": accelerator,
        "engine": context.obj or None,
    }
    from surgqa.pipeline.observing.config import load_observe

    config = load_observe(run, overrides, extractor or ())
    if dry_run:
        from surgqa.pipeline.observing.plan import plan_observation

        write_result("\n".join(plan_observation(config).lines()))
        return EXIT_DONE
    result = observed(config)
    return EXIT_TOO_MANY_FAILED if result.failed else EXIT_DONE


def observed(config: Any) -> ObserveResult:
    """Run one observation with a progress display, and print its result.

    Raises:
        UserError: a video or weights are missing or broken.
    """
    from surgqa.pipeline.cli.outcome import failed_line
    from surgqa.pipeline.cli.progress import Progress
    from surgqa.pipeline.observing.run import observe as run_observation

    with Progress() as progress:
        result = run_observation(config, progress)
    write_result("\n".join(_outcome(result)))
    for info in result.failed:
        talk.say(failed_line(info["key"], info["code"], info["failed"]))
    return result


def _outcome(result: ObserveResult) -> list[str]:
    from surgqa.transforms.store.evidence import EvidenceStore

    record = EvidenceStore(result.store).record
    totals: dict[str, int] = {}
    for video in record["videos"].values():
        for kind, rows in video["rows"].items():
            totals[kind] = totals.get(kind, 0) + rows
    lines = [f"{kind:<12}{rows:>12,}" for kind, rows in totals.items()]
    lines.append(f"videos      {len(record['videos']):>12,}  ({result.observed} observed now, "
                 f"{result.kept} already there, {len(result.failed)} failed)")  # fmt: skip
    rejects = result.store / "rejected" / "observe.jsonl"
    if rejects.is_file():
        count = len(rejects.read_bytes().splitlines())
        lines.append(f"left out    {count:>12,}  entries of {rejects}")
    lines += [f"store       {result.store}", f"digest      {result.digest}"]
    lines.append(f"next        surgqa build {_source(result)} --benchmark surgstu --out OUT")
    return lines


def _source(result: ObserveResult) -> str:
    from surgqa.ontology.observed import OWN
    from surgqa.transforms.store.evidence import EvidenceStore

    dataset = EvidenceStore(result.store).dataset
    if dataset == OWN:
        return f"--dataset {OWN} --root {shown(result.store)}"
    return f"--dataset {dataset} --root DIR --evidence {shown(result.store)}"


def _videos(
    files: Sequence[str] | None, frames_fps: str | None, procedure: str | None
) -> list[dict[str, Any]] | None:
    if not files:
        if procedure or frames_fps:
            raise WrongUsage(
                "--procedure and --frames-fps belong to a --video", fix="add --video FILE"
            )
        return None
    return [_given(path=file, fps=frames_fps if Path(file).is_dir() else None, procedure=procedure)
            for file in files]  # fmt: skip


def _speech(asr: bool, model: str | None, language: str | None) -> dict[str, Any] | None:
    if not (asr or model):
        if language:
            raise WrongUsage("--language belongs to --asr", fix="add --asr")
        return None
    return _given(model=model, language=language)


def _given(**values: Any) -> dict[str, Any]:
    return {key: value for key, value in values.items() if value is not None}
