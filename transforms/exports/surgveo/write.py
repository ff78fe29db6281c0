"""Writes the export: samples, prompts, references and additional questions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from surgqa.ontology.continuations import CONTINUATION, PROMPTS
from surgqa.ontology.errors import NothingSelected
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.exports.surgveo import extension
from surgqa.transforms.exports.surgveo import samples as continued
from surgqa.transforms.exports.surgveo.cutting import cut_media
from surgqa.transforms.exports.surgveo.prompts import PromptPair, packaged, prompts_of, read_prompts
from surgqa.transforms.exports.writing import digests, rendered, write_lines, write_record
from surgqa.transforms.places import Place, below
from surgqa.transforms.store import OutputFolder

FORMAT = "surgqa/surgveo-export-v1"
SAMPLES, ASKED, ANSWERED = "samples.jsonl", "extension.jsonl", "extension_answers.jsonl"
TEXTS = "prompts"


def write(
    folder: OutputFolder, to: Path, media: Mapping[str, Place], prompts: Path | None = None
) -> Sequence[Sequence[object]]:
    """Write the samples of three operations for each track.

    Args:
        to: an existing, empty folder.
        media: for each dataset, the folder of its videos; if there are none, nothing is cut.
        prompts: folder with the user's prompts, which replace the built-in ones.

    Returns:
        A table: the numbers of operations and samples of each track.

    Raises:
        UserError, SourceMissing, SourceBroken: there are no samples, or a video or a prompt
            cannot be used.
    """
    texts = read_prompts(prompts) if prompts else packaged()
    rows = continued.read_rows(folder)
    found = continued.chosen(continued.samples_of(rows))
    samples = [one for track in found for one in track.samples]
    if not samples:
        raise NothingSelected(
            f"{folder.path} has no samples", expected=f"items of {continued.TASK}",
            found=f"{len(rows)} items, none of them a sample", where=f"data/{continued.BENCHMARK}",
            fix="build with --benchmark surgveo and without --only; 'rejected/ask.jsonl' has "
            "the reasons why stages give no items",
        )  # fmt: skip
    items = extension.extension_items(found, rows, _hidden(folder, samples))
    cut = cut_media(samples, items, media, to) if media else {}
    _write_samples(to, samples, texts, bool(media))
    write_lines(to / ASKED, (extension.asked(one, bool(media)) for one in items))
    write_lines(to / ANSWERED, (extension.answered(one, bool(media)) for one in items))
    asked_of = sum(row["form"] != CONTINUATION for row in rows)
    alone = asked_of - len({one.item_id for one in items} & {row["item_id"] for row in rows})
    manifest = _manifest(found, items, cut) | {"without_sample": alone}
    text = rendered("surgveo/readme.md.jinja", **manifest)
    (to / "README.md").write_text(text, encoding="utf-8")
    write_record(folder, to, FORMAT, **manifest, files=digests(to))
    return _table(manifest)


def _hidden(
    folder: OutputFolder, samples: Iterable[continued.ContinuationSample]
) -> extension.Hidden:
    """Return the intervals of each video in which the operation is not visible."""
    out = {}
    for video in sorted({one.video for one in samples}):
        found = folder.evidence_of("segments", *video)
        out[video] = [(one["start_us"], one["end_us"]) for one in found
                      if (one["kind"], one["label"]) in continued.HIDDEN]  # fmt: skip
    return out


def _write_samples(
    to: Path, samples: Sequence[continued.ContinuationSample], texts: PromptPair, cut: bool
) -> None:
    (to / TEXTS).mkdir()
    for name in PROMPTS:
        (to / TEXTS / f"{name}.txt").write_text(getattr(texts, name), encoding="utf-8")
    lines = []
    for one in samples:
        filled = prompts_of(texts, one.track, one.cut.stage)
        for name, text in filled.items():
            path = below(to, f"{TEXTS}/{one.sample_id}.{name}.txt")
            path.write_text(f"{text}\n", encoding="utf-8")
        lines.append(_line(one, filled, cut))
    write_lines(to / SAMPLES, lines)


def _line(
    one: continued.ContinuationSample, filled: Mapping[str, str], cut: bool
) -> dict[str, Any]:
    own, row, track = one.cut, one.row, one.track
    return {
        "sample_id": own.sample_id, "item_id": row["item_id"], "track": own.track,
        **{name: row[name] for name in ("dataset", "video_id", "split", "split_group")},
        "procedure": track.procedure, "modality": track.modality,
        "stage": own.stage, "stage_name": one.stage_name,
        "stage_interval_s": [at / SECOND_US for at in own.interval],
        "t0_s": own.start_us / SECOND_US, "end_s": own.end_us / SECOND_US,
        "frame": own.frame, "frames": own.frames, "fps": str(own.fps), "found_by": own.found_by,
        "prompts": dict(filled),
        "recording": {"path": row["media"]["path"], "kind": row["media"]["kind"]},
        "input": f"{extension.INPUT}/{own.sample_id}.png" if cut else None,
        "reference": f"{extension.REFERENCE}/{own.sample_id}.mp4" if cut else None,
        "label_source": row["label_source"], "licence": row["licence"],
    }  # fmt: skip


def _manifest(
    found: Sequence[continued.ChosenSamples],
    items: Sequence[extension.ExtensionItem],
    cut: Mapping[str, int],
) -> dict[str, Any]:
    kinds = sorted({one.kind for one in items})
    tracks = {
        one.track: {
            "operations": list(one.videos), "operations_there": one.there, "note": one.note,
            "samples": len(one.samples),
            "extension": {
                kind: sum(i.kind == kind and i.sample.cut.track == one.track for i in items)
                for kind in kinds
            },
        }
        for one in found
    }  # fmt: skip
    return {"tracks": tracks, "cut": dict(cut)}


def _table(manifest: Mapping[str, Any]) -> list[list[object]]:
    rows: list[list[object]] = [["track", "operations", "samples", "extension", "remark"]]
    for track, one in manifest["tracks"].items():
        extra = sum(one["extension"].values())
        rows.append([track, len(one["operations"]), one["samples"], extra, one["note"] or "-"])
    if manifest["without_sample"]:
        why = "left out: questions about frames that are not samples here"
        rows.append(["-", "-", "-", manifest["without_sample"], why])
    return rows
