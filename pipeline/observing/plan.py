"""Plan an observation: videos and extractors. Nothing is decoded or loaded."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import orjson

from surgqa.ontology import errors
from surgqa.ontology.keys import bytes_digest, digest
from surgqa.ontology.observed import OWN
from surgqa.ontology.records import Media, MediaKind
from surgqa.ontology.times import SECOND_US
from surgqa.pipeline.config import DatasetRun
from surgqa.pipeline.observing.config import BY, ObserveConfig, VideoRun, rate_of
from surgqa.transforms.evidence.base import SECTIONS, Extractor, FrameExtractor, SoundExtractor
from surgqa.transforms.evidence.curate import CurateSettings
from surgqa.transforms.evidence.derive import DeriveSettings
from surgqa.transforms.evidence.extractors import extractor_class, extractor_of, section_of
from surgqa.transforms.evidence.link import LinkSettings
from surgqa.transforms.evidence.privacy import SaidSettings
from surgqa.transforms.evidence.segment import MaskExtractor
from surgqa.transforms.labelling.layer import layer_names
from surgqa.transforms.media.folders import listing
from surgqa.transforms.places import absolute, place
from surgqa.transforms.registry import load_reader
from surgqa.transforms.steps.observing.tasks import ObserveSettings, ObserveTask

IMAGES = (".png", ".jpg", ".jpeg")
_SAFE = re.compile(r"[^A-Za-z0-9._-]")
KEPT = 6
"""Number of characters of a digest that tell apart names which are equal after cleaning."""


@dataclass(frozen=True)
class ObservePlan:
    """Videos and settings of one run."""

    config: ObserveConfig
    videos: tuple[ObserveTask, ...]
    settings: ObserveSettings

    @property
    def digest(self) -> str:
        """Digest of the planned work, for names of jobs."""
        parts = [[v.key, v.said] for v in self.videos]
        extractors = [e.digest for e in self.extractors]
        return bytes_digest(orjson.dumps([parts, self.settings.rules, extractors]))

    @property
    def extractors(self) -> list[Any]:
        """All extractors of the run."""
        chosen = (*self.settings.frames, self.settings.sound, self.settings.masks)
        return [e for e in chosen if e is not None]

    def lines(self) -> list[str]:
        """Return the plan as text, for ``--dry-run``."""
        rate = self.settings.rate
        out = [f"videos      {len(self.videos)}"]
        out += [f"            {v.key}  {v.media.kind}  {v.media.path}" for v in self.videos]
        out.append(f"pictures    {'all' if rate is None else f'{float(rate):g} a second'}")
        out += [f"extractor   {e.offered_as or e.name} v{e.version}  {e.digest[:12]}"
                for e in self.extractors]  # fmt: skip
        out.append(f"store       {self.config.out}")
        return out


def plan_observation(config: ObserveConfig) -> ObservePlan:
    """Return the videos and extractors of a run; fail if one does not exist.

    Raises:
        UserError: nothing to observe, two videos with one name, an invalid setting.
        SourceMissing: a video, a dataset or weights do not exist.
    """
    videos = [_own(run) for run in config.videos]
    for dataset in config.datasets:
        videos += _of_dataset(dataset)
    if not videos:
        raise errors.WrongUsage(
            "nothing to observe", expected="--video FILE, or --dataset NAME --root DIR",
            fix="see 'surgqa observe --help'",
        )  # fmt: skip
    names = sorted({v.dataset for v in videos})
    if len(names) > 1:
        raise errors.Mismatched("a store can hold only one dataset", found=", ".join(names),
                         fix="observe each dataset into a separate store")  # fmt: skip
    _distinct(videos)
    return ObservePlan(config, tuple(sorted(videos, key=lambda v: v.video_id)), settings_of(config))


def settings_of(config: ObserveConfig) -> ObserveSettings:
    """Return extractors and rules of a run.

    Raises:
        UserError: an extractor or setting does not exist, or masks have nothing to start from.
    """
    chosen = [extractor for name in SECTIONS.values() if (extractor := _chosen(config, name))]
    frames = tuple(one for one in chosen if isinstance(one, FrameExtractor))
    sound = next((one for one in chosen if isinstance(one, SoundExtractor)), None)
    masks: Any = next((one for one in chosen if isinstance(one, MaskExtractor)), None)
    store = place(str(config.out))
    reviewed = isinstance(store, Path) and layer_names(store)  # what people drew is tracked, too
    if masks and all(one.kind != "boxes" for one in frames) and not reviewed:
        raise errors.WrongUsage(
            "masks need boxes or clicks as prompts", where=masks.name,
            expected="--detect as well, or boxes or clicks of a reviewer in the store",
            fix="add --detect WEIGHTS, or point at tissues first: surgqa label choose STORE",
        )  # fmt: skip
    return ObserveSettings(
        store=str(absolute(place(config.out))),
        rate=config.rate,
        batch=config.batch,
        frames=frames,
        sound=sound,
        masks=masks,
        link=config.settings_of("link", LinkSettings),
        derive=config.settings_of("derive", DeriveSettings),
        curate=config.settings_of("curate", CurateSettings),
        piece_us=round(config.chunk_s * SECOND_US),
        said=config.settings_of("privacy", SaidSettings),
    )


def _chosen(config: ObserveConfig, section: str) -> Extractor | None:
    """Return a section's extractor; missing settings get the run's batch, device and precision."""
    given = getattr(config, section)
    if given is None:
        return None
    name = given.get(BY, section)
    made = extractor_class(name)
    if section_of(name) != section:
        raise errors.WrongUsage(
            f"the extractor {name!r} finds {made.kind}, which this section does not", where=section,
            expected=f"{BY}: {name} in the section {section_of(name)!r}", found=repr(section),
        )  # fmt: skip
    values = {"batch": config.batch, "device": config.device}
    known = {field.name for field in fields(made.Settings)}
    more = {key: values[key] for key in made.run_settings if key in known}
    settings: Any = config.settings_of(section, made.Settings, **more, **_precision(config, made))
    return extractor_of(name, made.pinned(settings))


def _precision(config: ObserveConfig, made: type[Extractor]) -> dict[str, str]:
    """Return the run's precision as the extractor's own setting (name: value); {} without one."""
    if not made.precisions or config.precision == "auto":
        return {}
    field, full, half = made.precisions
    return {field: full if config.precision == "full" else half}


def _own(run: VideoRun) -> ObserveTask:
    given = place(run.path)
    path = absolute(given)
    name = given.name if isinstance(given, Path) and given.is_symlink() else path.name
    if not path.is_file() and not path.is_dir():
        raise errors.FileMissing(f"{path.name} is missing", where=run.path,
                                 expected="a video or a folder of frames")  # fmt: skip
    kind = MediaKind.FRAMES if path.is_dir() else MediaKind.VIDEO
    if path.suffix.lower() in IMAGES and kind is MediaKind.VIDEO:
        kind = MediaKind.IMAGE
    if kind is MediaKind.FRAMES and run.fps is None:
        listing(path, path.name)  # a folder without frames needs no rate
        raise errors.RateMissing(
            "the rate of the frame numbers is not known", expected="a rate, such as 1 or 25",
            where=run.path, fix="give it with --frames-fps, or as 'fps' in the run file",
        )  # fmt: skip
    named = {"procedure": run.procedure, "specialty": run.specialty, "patient": run.patient}
    said = {key: value for key, value in named.items() if value is not None} | run.metadata
    fps = rate_of(run.fps) if run.fps else None
    return ObserveTask(OWN, run.id or safe_id(name), str(path.parent),
                       Media(kind, path.name), fps, _json(said))  # fmt: skip


def safe_id(name: str) -> str:
    """Return a file name as an id for the store; if characters are replaced, a digest is added."""
    stem = name.rsplit(".", 1)[0] if "." in name[1:] else name
    clean = _SAFE.sub("_", stem).lstrip(".") or "video"
    return clean if clean == stem else f"{clean}-{digest('video id', stem)[:KEPT]}"


def _of_dataset(run: DatasetRun) -> list[ObserveTask]:
    """Return the videos of an annotated dataset that have frames or video files."""
    root = place(run.root)
    reader = load_reader(run.name)(root, run.include_known_bad)
    found = [v for v in (run.videos or reader.videos()) if v not in run.exclude]
    tasks = []
    for video_id in sorted(found):
        video = reader.read(video_id).video
        if video.media.kind is not MediaKind.ABSENT:
            said = {"procedure": video.procedure, "specialty": video.specialty}
            tasks.append(ObserveTask(run.name, video_id, str(absolute(root)), video.media,
                                     video.fps, _json(said)))  # fmt: skip
    if not tasks:
        raise errors.MediaMissing(
            f"{run.name} has no frames to observe", expected="frames or videos under the root",
            found=f"labels of {len(found)} videos", where=run.root,
            fix=f"see 'surgqa show {run.name}'",
        )  # fmt: skip
    return tasks


def _json(said: dict[str, Any]) -> str:
    return orjson.dumps(said, option=orjson.OPT_SORT_KEYS).decode()


def _distinct(videos: Sequence[ObserveTask]) -> None:
    seen: dict[str, ObserveTask] = {}
    for video in videos:
        other = seen.setdefault(video.video_id, video)
        if other is not video:
            raise errors.NameTaken(
                f"two videos are called {video.video_id}",
                found=f"{other.root}/{other.media.path} and {video.root}/{video.media.path}",
                fix="give one of them another id in the run file",
            )
