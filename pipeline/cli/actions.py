"""``surgqa actions``: count action clips and their lengths, and find a suitable threshold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from surgqa.ontology.errors import EXIT_DONE, NothingSelected, WrongUsage
from surgqa.pipeline.cli.console import table, talk, write_json, write_result
from surgqa.pipeline.cli.given import rate_of
from surgqa.pipeline.cli.options import File, Text, Whole, arg, opt

if TYPE_CHECKING:
    from surgqa.ontology.action_clips import VideoClips
    from surgqa.ontology.records import VideoEvidence
    from surgqa.transforms.evidence.action_clips import ActionLimits, Calibration
    from surgqa.transforms.evidence.action_clips.runs import Run
    from surgqa.transforms.exports.sapbench.statistics import Figures

TABLES = (".csv", ".parquet", ".json")
ALL = "all"


def actions(
    what: Annotated[
        str,
        arg(
            "DATASET|OUT|FILE",
            "Dataset (with --root), folder of 'surgqa build', or table of clips.",
        ),
    ],
    root: Annotated[File, opt("DIR", "Folder of the dataset.")] = None,
    clips: Annotated[File, opt("FILE", "Clips to use for the videos in it.")] = None,
    shortest: Annotated[int, opt("S", "Derived clips: minimum length in seconds.", min=1)] = 5,
    reach: Annotated[int, opt("S", "Derived clips: maximum gap between labels.", min=1)] = 1,
    target: Annotated[Whole, opt("N", "Find the --shortest that gives N clips.", min=1)] = None,
    rate: Annotated[Text, opt("FPS", "Frames per second, if the dataset lacks it.")] = None,
    json: Annotated[File, opt("FILE", "Write the figures to this file.", "--json")] = None,
) -> int:
    """Count action clips as SAP-Bench does, derived ones or those of a file.

    \b
    surgqa actions cholect50 --root /data/cholect50 --target 729
    surgqa actions clips.csv
    surgqa actions out --json figures.json
    """
    from surgqa.transforms.evidence.action_clips import ActionLimits

    limits = ActionLimits(shortest=shortest, reach=reach)
    if root is not None:
        found = _of_dataset(what, root, clips, limits, rate_of(rate))
    else:
        _check_alone(what, clips, target)
        found = _of_file(Path(what)) if what.endswith(TABLES) else _of_output(what)
    figures = _figures(found)
    calibration = _calibration(found, target) if target is not None else None
    write_result("\n\n".join(_shown(found, figures, calibration)))
    for remark in _remarks(found, calibration):
        talk.say(remark)
    if json:
        write_json(_plain(found, figures, calibration), json)
        talk.say(f"figures: {json}")
    return EXIT_DONE


@dataclass
class Clips:
    """The action clips of each dataset, and where they come from.

    Attributes:
        how: one line of text that states where the clips come from.
        videos: the clips of each video, by dataset.
        stretches: for each video with derived clips, the runs of one action before smoothing.
        without: for each video without clips, the reason.
        imported, derived: numbers of videos with clips from people, and from labels.
    """

    how: str
    videos: dict[str, list[VideoClips]] = field(default_factory=dict)
    stretches: list[Sequence[Run]] = field(default_factory=list)
    without: dict[str, str] = field(default_factory=dict)
    imported: int = 0
    derived: int = 0


def _check_alone(what: str, clips: Path | None, target: int | None) -> None:
    """Refuse options that need a dataset's labels if no labels are given."""
    for option, given in (("--target", target), ("--clips", clips)):
        if given is not None:
            raise WrongUsage(
                f"{option} needs the labels that clips are derived from",
                expected="a dataset and --root DIR", found=what, where=option,
                fix=f"surgqa actions cholect50 --root DIR {option} {given}",
            )  # fmt: skip


def _of_dataset(
    name: str, root: Path, clips: Path | None, limits: ActionLimits, rate: Fraction | None
) -> Clips:
    """Return the clips of every video: people's if there are any, else derived from labels."""
    from surgqa.transforms.registry import load_reader
    from surgqa.transforms.steps.beside.action_clips import check_clips, with_action_clips

    reader = load_reader(name)(root, rate=rate)
    ids = list(reader.videos())
    if clips is not None:
        check_clips(clips, ids)
    out = Clips(f"derived: shortest {limits.shortest} s, labels at most {limits.reach} s apart")
    mine = out.videos.setdefault(name, [])
    for video_id in ids:
        talk.say(f"reading {video_id}")
        evidence = reader.read(video_id)
        if clips is not None:
            evidence = with_action_clips(evidence, clips)
        known = _imported(evidence)
        out.imported += known is not None
        made = known or _derived(evidence, limits, out)
        if made is not None:
            mine.append(replace(made, video=video_id))
    if out.imported:
        out.how = f"of people: {out.imported} videos; {out.how}, {out.derived} videos"
    return out


def _imported(evidence: VideoEvidence) -> VideoClips | None:
    from surgqa.ontology.action_clips import KIND, Clip, VideoClips
    from surgqa.ontology.times import SECOND_US

    spans = [span for span in evidence.spans if span.kind == KIND]
    clips = [Clip(s.start_us // SECOND_US, s.end_us // SECOND_US - 1, s.label) for s in spans]
    return VideoClips(evidence.video.video_id, tuple(clips)) if clips else None


def _derived(evidence: VideoEvidence, limits: ActionLimits, out: Clips) -> VideoClips | None:
    """Return clips derived from labels; None, with the reason recorded, if there are none."""
    from surgqa.transforms.evidence.action_clips import derived_clips

    made = derived_clips(evidence, limits)
    if not made.clips.clips:
        out.without[evidence.video.key] = made.rejected[0].reason
        return None
    out.stretches += made.runs
    out.derived += 1
    return made.clips


def _of_file(path: Path) -> Clips:
    from surgqa.transforms.steps.beside.action_clips import read_clips

    held = read_clips(path)
    out = Clips(
        f"of {held.name}: {held.read.books.read} clips, {held.read.books.rejected} left out"
    )
    out.videos[held.name] = list(held.read.videos)
    out.imported = len(held.read.videos)
    out.without = {one.where: one.reason for one in held.read.rejected if one.outcome == "rejected"}
    return out


def _of_output(what: str) -> Clips:
    from surgqa.transforms.exports.sapbench.rows import COLUMNS, clips_of, samples_of
    from surgqa.transforms.exports.sapbench.taking import TAKING
    from surgqa.transforms.store import OutputFolder

    folder = OutputFolder(what).with_items()
    rows = [row for row in samples_of(folder, COLUMNS) if row["known"]]
    if not rows:
        raise NothingSelected(
            f"{what} has no items about action clips", expected=TAKING.words,
            found=", ".join(folder.benchmarks()) or "no items at all", where=what,
            fix="build with templates that ask for them, or name a dataset and --root DIR",
        )  # fmt: skip
    found = clips_of(folder, rows)
    out = Clips("of the samples in it; clips that border no sample are not among them")
    out.videos = {name: list(videos) for name, videos in found.items()}
    return out


def _figures(found: Clips) -> dict[str, Figures]:
    """Return the statistics of the clips of each dataset, and of all clips if there are several."""
    from surgqa.transforms.exports.sapbench.statistics import figures

    out = {name: figures(videos) for name, videos in found.videos.items()}
    if len(out) > 1:
        out[ALL] = figures([video for videos in found.videos.values() for video in videos])
    return out


def _calibration(found: Clips, target: int) -> Calibration:
    """Return the smallest ``--shortest`` that gives the target number of clips, within 5 %."""
    from surgqa.transforms.evidence.action_clips import calibrated

    if not found.stretches:
        raise NothingSelected(
            "no clip is derived here, so there is no threshold", expected="videos with verbs and "
            "the phases of a cholecystectomy", found=found.how, where="--target",
            fix="name a dataset of event tuples, such as cholect50, without --clips",
        )  # fmt: skip
    return calibrated(found.stretches, target)


def _shown(
    found: Clips, figures: Mapping[str, Figures], calibration: Calibration | None
) -> Iterator[str]:
    from surgqa.ontology.next_actions import display

    yield f"action clips {found.how}"
    head = ["", "videos", "clips", "samples", "context s, mean and SD", "clip s, mean and SD"]
    rows: list[list[object]] = [[*head]]
    rows += [
        [name, one.videos, one.clips.n, one.samples, _mean(one.context), _mean(one.clips)]
        for name, one in figures.items()
    ]
    yield table(rows)
    for name, one in figures.items():
        lines: list[list[object]] = [[name, "clips", "s, mean and SD"]]
        lines += [[display(a), spread.n, _mean(spread)] for a, spread in one.actions.items()]
        yield table(lines)
    if calibration:
        tried: list[list[object]] = [["shortest", "clips"]]
        tried += [[threshold, clips] for threshold, clips in calibration.tried]
        yield (
            f"shortest: {calibration.threshold}, the least that gives {calibration.target} clips "
            f"within 5 %: {calibration.clips}\n{table(tried)}"
        )


def _mean(one: Any) -> str:
    return "-" if one.mean is None else f"{one.mean} ± {one.sd}"


def _remarks(found: Clips, calibration: Calibration | None) -> Iterator[str]:
    for key, why in list(found.without.items())[:3]:
        yield f"{key}: {why}"
    if len(found.without) > 3:
        yield f"and {len(found.without) - 3} more without clips"
    if calibration:
        yield (
            "to use it in a build, write into the run file: "
            f"observers: {{action_clip: {{shortest: {calibration.threshold}}}}}"
        )


def _plain(
    found: Clips, figures: Mapping[str, Figures], calibration: Calibration | None
) -> dict[str, Any]:
    out: dict[str, Any] = {
        "clips": found.how,
        "figures": {name: one.to_dict() for name, one in figures.items()},
        "videos": {
            name: {video.video: len(video.clips) for video in videos}
            for name, videos in found.videos.items()
        },
        "without": found.without,
        "calibration": None,
    }
    if calibration:
        out["calibration"] = {
            "shortest": calibration.threshold,
            "clips": calibration.clips,
            "target": calibration.target,
            "tried": [{"shortest": s, "clips": n} for s, n in calibration.tried],
        }
    return out
