"""Prepare a video for questions: read its label files, link tracks, cut clips."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

from surgqa.ontology.observed import OWN
from surgqa.ontology.records import Books, Code, Rejected, VideoEvidence
from surgqa.ontology.splits import HELD_OUT, is_held, split_of
from surgqa.ontology.system_errors import system_errors_in_words
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.evidence.observers import observed
from surgqa.transforms.language import Program
from surgqa.transforms.places import Place, place, remove_tree
from surgqa.transforms.registry import load_reader
from surgqa.transforms.steps import cache
from surgqa.transforms.steps.beside import without
from surgqa.transforms.steps.beside.action_clips import with_action_clips
from surgqa.transforms.steps.beside.anomalies import with_anomalies
from surgqa.transforms.steps.dense import with_dense_boxes
from surgqa.transforms.steps.tasks import AskSettings, VideoTask, part_folder
from surgqa.transforms.timeline import Timeline, build_timeline
from surgqa.transforms.timeline.relation import Relation
from surgqa.transforms.timeline.relation.gather import relation_of
from surgqa.transforms.windows import Cut, cut_clips


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A video about which questions can be asked.

    Attributes:
        folder: its intermediate files during the run.
        known: results of an earlier run that are still valid.
        fresh: templates that still have to be asked.
        damaged: True if files of an earlier run have changed since they were written.
    """

    task: VideoTask
    folder: Place
    evidence: VideoEvidence
    timeline: Timeline | None
    cut: Cut
    split: str
    known: cache.CachedResult
    fresh: tuple[Program, ...]
    damaged: bool

    @property
    def size(self) -> int:
        """Approximate amount of work: the video's seconds plus the number of all its labels."""
        evidence, seconds = self.evidence, self.evidence.video.duration_us // SECOND_US
        tables = [one for one in (evidence.instruments, *evidence.regions.values()) if one]
        lists = (evidence.spans, evidence.labels, evidence.moments)
        return seconds + sum(len(one.instants_us) for one in tables) + sum(map(len, lists))


def opened(task: VideoTask, settings: AskSettings) -> Opened:
    """Read a video's labels, link its tracks and cut its clips, or reuse an earlier run's results.

    Raises:
        UserError: a file is missing or damaged.
    """
    folder = part_folder(settings, task)
    damaged = settings.cache is not None and cache.is_damaged(folder)
    if damaged:
        remove_tree(folder)
    evidence, timeline = _structured(task, settings, folder)
    of_clips = any(one.unit.kind == "clip" for one in settings.templates)
    cut = _cut(evidence, timeline, settings) if of_clips else _uncut(evidence)
    split, known = _split(task, evidence, settings), cache.CachedResult.nothing()
    if settings.cache:
        known = cache.load(folder, evidence, split, settings)
    fresh = tuple(one for one in settings.templates if one.id not in known.templates)
    return Opened(task, folder, evidence, timeline, cut, split, known, fresh, damaged)


def facts_of(one: Opened) -> Relation:
    """Return the table of facts of a video."""
    return relation_of([(one.evidence, one.timeline)])


def _split(task: VideoTask, evidence: VideoEvidence, settings: AskSettings) -> str:
    """Return the split of a video: held out, else the official split, else one drawn by a hash."""
    video = evidence.video
    named = {"dataset": video.dataset, "procedure": video.procedure, "specialty": video.specialty}
    if task.split == HELD_OUT or is_held(settings.held, named):
        return HELD_OUT
    return task.split or split_of(video.split_group, settings.seed, settings.shares)


def _structured(
    task: VideoTask, settings: AskSettings, folder: Place
) -> tuple[VideoEvidence, Timeline | None]:
    """Return evidence and timeline, from the label files or from the cache of an earlier run."""
    rate = None if task.rate is None else Fraction(task.rate)
    reader = load_reader(task.dataset)(place(task.root), task.include_known_bad, rate)
    # Evidence from a store is not part of the reader's cache key, so it is read on every run.
    laid_over = (task.evidence, task.anomalies, task.action_clips)
    kept = settings.cache is not None and all(one is None for one in laid_over)
    evidence = cache.recall(folder, reader) if kept else None
    if evidence is None:
        with system_errors_in_words():  # an unreadable file fails only its own video
            evidence = _observed_too(task, reader.read(task.video_id))
            if task.anomalies is not None:
                evidence = with_anomalies(evidence, place(task.anomalies))
            if task.action_clips is not None:
                evidence = with_action_clips(evidence, place(task.action_clips))
        if kept:
            cache.remember(folder, reader, evidence)
    evidence = observed(_on_own_terms(task, evidence), settings.observed)
    return evidence, build_timeline(evidence, settings.link)


def _observed_too(task: VideoTask, evidence: VideoEvidence) -> VideoEvidence:
    """Return the labels with the boxes of the run's evidence store, if it contains the video."""
    if task.evidence is None:
        return evidence
    store = load_reader(OWN)(place(task.evidence))
    if task.video_id in store.found():
        return with_dense_boxes(evidence, store.read(task.video_id))
    why = "the evidence store does not hold this video: it is asked about as it was labelled"
    return without(evidence, "observed videos", "evidence store", why)


def _on_own_terms(task: VideoTask, evidence: VideoEvidence) -> VideoEvidence:
    """Return the evidence; a licence and label source in the run's settings replace its own."""
    own = {"licence": task.licence, "label_source": task.label_source}
    own = {name: value for name, value in own.items() if value is not None}
    return replace(evidence, video=replace(evidence.video, **own)) if own else evidence


def _cut(evidence: VideoEvidence, timeline: Timeline | None, settings: AskSettings) -> Cut:
    if timeline is None:
        return _nothing_to_cut(evidence)
    return cut_clips(evidence.video, timeline.table.instants_us, settings.clips)


def _uncut(evidence: VideoEvidence) -> Cut:
    """Return no clips, because no template needs any; reject a video without labels."""
    labelled = (evidence.instruments or evidence.spans or evidence.labels or evidence.regions
                or evidence.moments)  # fmt: skip
    if labelled:
        return Cut((), (), Books("cut", "videos", 1, 1, 0))
    video = evidence.video
    reason = "nothing is labelled that a question could be about"
    reject = Rejected("cut", video.key, Code.NO_EVIDENCE, reason, video.key)
    return Cut((), (reject,), Books("cut", "videos", 1, 0, 1))


def _nothing_to_cut(evidence: VideoEvidence) -> Cut:
    """Return no clips and a rejection, for a video without instrument labels."""
    video, whole = evidence.video, evidence.video.duration_us
    reason = "no instruments are annotated at instants, and clips are cut around those"
    reject = Rejected("cut", video.key, Code.NO_EVIDENCE, reason, video.key, whole)
    return Cut((), (reject,), Books("cut", "microseconds", whole, 0, whole))
