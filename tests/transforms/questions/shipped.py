"""The shipped templates, and the evidence that they are held against."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from surgqa.ontology.records import Window
from surgqa.templates import __file__ as templates
from surgqa.transforms.language.load import parse_folder
from surgqa.transforms.language.program import Program
from surgqa.transforms.places import place
from surgqa.transforms.questions.units import Units, clips
from surgqa.transforms.registry import load_reader, load_sample
from surgqa.transforms.timeline import build_timeline
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.gather import relation_of
from surgqa.transforms.windows.clips import cut_clips

CLIP = 20_000_000

Known = tuple[Relation, Units]
"""Facts of some recordings, and their clips."""


@cache
def programs() -> tuple[Program, ...]:
    """Every template that is shipped, those of no benchmark among them."""
    folder = Path(templates).parent
    return tuple(parse_folder(folder)[0])


def cut(relation: Relation) -> Units:
    """Clips of twenty seconds, one after the other."""
    return clips([
        (video, Window("clip", f"{video} {start}", start, start + CLIP))
        for video, one in enumerate(relation.recordings)
        for start in range(0, one.duration_us - CLIP, CLIP)
    ])  # fmt: skip


def sample(name: str, root: Path) -> Known:
    """All recordings of a reader's miniature."""
    load_sample(name)(root)
    return next(recordings(name, root))


def recordings(name: str, root: Path, videos: tuple[str, ...] = ()) -> Iterator[Known]:
    """All recordings of a dataset at once, or some of them one by one."""
    reader = load_reader(name)(place(root))
    for many in [[one] for one in videos] or [list(reader.videos())]:
        known = [(one, build_timeline(one)) for one in map(reader.read, many)]
        windows = [
            (video, window)
            for video, (one, timeline) in enumerate(known)
            if timeline is not None
            for window in cut_clips(one.video, timeline.table.instants_us).windows
        ]
        yield relation_of(known), clips(windows)
