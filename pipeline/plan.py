"""Plan a run: resolve its datasets, videos and templates before any work starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from surgqa.ontology.errors import (
    FileMissing,
    Mismatched,
    NothingSelected,
    SourceMissing,
    UnknownName,
    UserError,
)
from surgqa.ontology.keys import bytes_digest
from surgqa.ontology.records import Rejected
from surgqa.ontology.splits import HELD_OUT, Held, is_held
from surgqa.pipeline.config import DatasetRun, RunConfig
from surgqa.transforms.language import Program, load_asked
from surgqa.transforms.places import absolute, place
from surgqa.transforms.readers.base.groups import split_group
from surgqa.transforms.registry import card, load_reader
from surgqa.transforms.steps.beside.action_clips import check_clips, of_no_video
from surgqa.transforms.steps.tasks import VideoTask
from surgqa.transforms.store.evidence import EvidenceStore


@dataclass(frozen=True)
class RunPlan:
    """Videos, templates and readers of one run.

    Attributes:
        excluded: videos that were found but are left out, each with its reason.
    """

    config: RunConfig
    videos: tuple[VideoTask, ...]
    templates: tuple[Program, ...]
    readers: dict[str, int]
    excluded: tuple[Rejected, ...] = ()

    @property
    def digest(self) -> str:
        """Digest of the planned work: settings, videos, templates."""
        text = repr((self.config.settings(), [v.key for v in self.videos],
                     [(t.id, t.digest) for t in self.templates], self.readers))  # fmt: skip
        return bytes_digest(text.encode())

    def lines(self) -> list[str]:
        """Return the plan as text, for ``--dry-run``."""
        out = [f"benchmarks  {', '.join(self.config.benchmarks)} (profile {self.config.profile})"]
        for name in dict.fromkeys(v.dataset for v in self.videos):
            ids = [v.video_id for v in self.videos if v.dataset == name]
            more = f" … {ids[-1]}" if len(ids) > 6 else ""
            out.append(f"videos      {name}: {len(ids)} ({', '.join(ids[:6])}{more})")
        out += [f"left out    {reject.key}: {reject.reason}" for reject in self.excluded]
        out.append(f"templates   {len(self.templates)}")
        out += [f"            {t.id} v{t.version}" for t in self.templates]
        out.append(f"output      {self.config.out} ({', '.join(self.config.formats)})")
        out.append(f"plan digest {self.digest}")
        return out


def plan(config: RunConfig) -> RunPlan:
    """Return the videos, templates and readers of a run; fail if one does not exist.

    Raises:
        UserError: an unknown name, or no template remains.
        SourceMissing: a root or a named video does not exist.
    """
    templates = load_asked(config.templates, config.benchmarks, config.profile, config.only)
    if not templates:
        raise NothingSelected(
            "no template is left to ask",
            expected=f"templates of {', '.join(config.benchmarks)} in profile {config.profile}",
            fix="see 'surgqa list templates'",
        )
    videos: list[VideoTask] = []
    excluded: list[Rejected] = []
    readers: dict[str, int] = {}
    for run in config.datasets:
        reader = load_reader(run.name)
        readers[run.name] = reader.version
        excluded += _excluded(run)
        videos += _videos(run, config.limit)
        excluded += _clips_of_no_video(run)
    if not videos:
        raise _nothing_left(excluded)
    held = held_out(videos, config.hold_out)
    return RunPlan(config, tuple(held), tuple(templates), readers, tuple(excluded))


def held_out(videos: Sequence[VideoTask], held: Held) -> list[VideoTask]:
    """Return the tasks, with the split ``held_out`` for datasets that are held out as a whole.

    A surgery that occurs in another dataset is held out there as well.  If a criterion depends on
    the video itself, it is decided when the video is read.

    Raises:
        UserError: no dataset of the run has the given value.
    """
    cards = {name: card(name) for name in sorted({one.dataset for one in videos})}
    entries = {name: {"dataset": name, "procedure": one.procedure, "specialty": one.specialty}
            for name, one in cards.items()}  # fmt: skip
    own = any(not one.videos for one in cards.values())
    for key, values in held.items():
        known = sorted({one[key] for one in entries.values()})
        for value in values:
            if value.casefold() not in map(str.casefold, known) and (key == "dataset" or not own):
                raise UnknownName(f"no dataset of the run has this {key}",
                                  expected=", ".join(known), found=value, where="--hold-out",
                                  fix="name one of these, or add its dataset")  # fmt: skip
    groups = {split_group(one.dataset, one.video_id) for one in videos
              if is_held(held, entries[one.dataset])}  # fmt: skip
    return [replace(one, split=HELD_OUT) if split_group(one.dataset, one.video_id) in groups
            else one for one in videos]  # fmt: skip


def _excluded(run: DatasetRun) -> list[Rejected]:
    """Return the videos that the reader excludes, among the videos that the run names or
    among all.
    """
    reader = load_reader(run.name)(place(run.root), run.include_known_bad)
    if run.include_known_bad or not place(run.root).is_dir():
        return []
    wanted = {f"{run.name}/{video_id}" for video_id in run.videos}
    return [reject for reject in reader.excluded() if not wanted or reject.key in wanted]


def _clips_of_no_video(run: DatasetRun) -> list[Rejected]:
    """Return the videos in the action-clip table that do not exist; a name may be misspelt."""
    if run.action_clips is None:
        return []
    found = load_reader(run.name)(place(run.root), run.include_known_bad).videos()
    unknown = of_no_video(place(run.action_clips), found)
    return [replace(one, key=f"{run.name}/{one.key}") for one in unknown]


def _nothing_left(excluded: Sequence[Rejected]) -> UserError:
    return NothingSelected(
        "no video remains",
        found="; ".join(f"{reject.key} is excluded: {reject.reason}" for reject in excluded[:10]),
        fix="to read them, set include_known_bad: true of the dataset in a run file",
    )


def _videos(run: DatasetRun, limit: int | None) -> list[VideoTask]:
    root = place(run.root)
    if not root.is_dir():
        raise FileMissing(
            f"{run.name}: the folder does not exist", expected="a folder", where=str(run.root),
            fix=f"see 'surgqa show {run.name}' for how to get the dataset",
        )  # fmt: skip
    reader = load_reader(run.name)(root, run.include_known_bad)
    found = reader.videos()
    _check_store(run)
    _check_anomalies(run)
    _check_action_clips(run, found)
    _known(run.videos, found, f"{run.name}: video not found", "videos")
    _known(run.exclude, found, f"{run.name}: video to exclude not found", "exclude")
    split = _split(run, reader.splits)
    wanted = [v for v in (run.videos or found) if v not in run.exclude]
    return [
        VideoTask(
            run.name,
            v,
            str(root),
            run.include_known_bad,
            split.get(v),
            run.licence,
            run.label_source,
            str(absolute(place(run.evidence))) if run.evidence else None,
            run.rate,
            str(absolute(place(run.anomalies))) if run.anomalies else None,
            str(absolute(place(run.action_clips))) if run.action_clips else None,
        )
        for v in sorted(wanted)[:limit]
    ]


def _check_store(run: DatasetRun) -> None:
    """Refuse an evidence store that does not exist or belongs to another dataset."""
    if run.evidence is None:
        return
    held = EvidenceStore(run.evidence).dataset
    if held != run.name:
        raise Mismatched("the evidence store has another dataset", expected=run.name, found=held,
                         where=run.evidence)  # fmt: skip


def _check_anomalies(run: DatasetRun) -> None:
    """Refuse a missing folder of anomalies; otherwise it would be ignored silently."""
    if run.anomalies is not None and not place(run.anomalies).is_dir():
        raise FileMissing(
            f"{run.name}: the folder of anomalies does not exist", expected="a folder",
            where=str(run.anomalies), fix="see docs/surgcot.md for its contents",
        )  # fmt: skip


def _check_action_clips(run: DatasetRun, found: Sequence[str]) -> None:
    """Refuse a table that cannot be read or belongs to another dataset."""
    if run.action_clips is not None:
        check_clips(place(run.action_clips), found)


def _known(named: Sequence[str], found: Sequence[str], message: str, where: str) -> None:
    for name in named:
        if name not in found:
            shown = ", ".join(found[:8]) + (" …" if len(found) > 8 else "")
            raise SourceMissing(message, expected=shown, found=name, where=where)


def _split(run: DatasetRun, splits) -> dict[str, str]:
    if run.split is None:
        return {}
    if run.split not in splits:
        raise UnknownName(
            f"{run.name} has no split named {run.split!r}", expected=", ".join(sorted(splits))
        )
    return dict(splits[run.split])
