"""Read an evidence store, which 'surgqa observe' made from user-supplied videos.

A detector finds instruments and boxes, but no verbs or targets: pairs are not annotated.  Instants
are the sampled frames that were decoded without damage.  An instrument without a box is absent only
where a person reviewed the frame, or where the detector is measured to be good enough.  Actions are
known if somebody spoke of them and a contact confirms it (moments).  Tissues are known as far as
they were detected (regions).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from surgqa.ontology.errors import SourceBroken, SourceChanged, StoreBroken
from surgqa.ontology.files import listed, read_text
from surgqa.ontology.fitness import FILE, Fitness, fitness_from
from surgqa.ontology.records import Books, Code, Rejected, Source, Span, Video, VideoEvidence
from surgqa.ontology.times import period_us
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.base import sorted_spans
from surgqa.transforms.readers.observed import tables as store
from surgqa.transforms.readers.observed.absence import CLASSES, doubts
from surgqa.transforms.readers.observed.actions import actions_of, narrated_anchors
from surgqa.transforms.readers.observed.facts import ObservedVideo, facts_of
from surgqa.transforms.readers.observed.moments import SpokenLimits, moments_of, observed
from surgqa.transforms.readers.observed.tables import KIND as TISSUE
from surgqa.transforms.readers.observed.watched import watched
from surgqa.transforms.store.evidence import DROPPED

ACTIONS = "actions told"
LAYERS = "layers"
UNAPPLIED = "a person corrected these frames after the video was observed"
UNSEEN = "it was told, and no one contact that it may be was seen"
NO_TARGET = "the ontology has no such tissue among its targets"


class Reader(BaseReader):
    """Reader of an evidence store, into which 'surgqa observe' wrote what it found in videos."""

    name = "observed"
    version = 12
    replayable = True
    limits = SpokenLimits()
    span_kinds = ("shot", "segment", "phase_anchor", "phase")
    region_kinds = (TISSUE,)

    def found(self) -> list[str]:
        """Return the videos in the store, also those whose files are incomplete."""
        folder = self.root / "videos"
        return [path.name for path in listed(folder)] if folder.is_dir() else []

    def known_bad(self) -> Mapping[str, str]:
        """Return the videos that curation left out: for each video id, the reason."""
        folder = self.root / DROPPED
        marks = listed(folder) if folder.is_dir() else []
        return {mark.stem: orjson.loads(mark.read_bytes())["reason"] for mark in marks}

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video."""
        data, source = self._source(f"videos/{video_id}/video.json")
        facts = facts_of(_json(data, source.path), source.path)
        columns, sources = self._tables(video_id, facts)
        table, fitness = None, Fitness()
        rejected: tuple[Rejected, ...] = ()
        books = [Books("read", "stretches", *_all(len(columns["stretches"]["start_us"])))]
        if facts.classes is not None:
            fitness, files = self._fitness(facts.made_by)
            table, account = store.instruments_of(
                columns["boxes"], columns["frames"], facts, fitness
            )
            rejected = doubts(f"{self.name}/{video_id}", facts, fitness, account)
            known = len(facts.classes) - sum(one.where == CLASSES for one in rejected)
            books[:0] = [account, Books("read", CLASSES, len(facts.classes), known,
                                        len(facts.classes) - known)]  # fmt: skip
            sources += files
        regions, shown = store.tissues_of(columns["boxes"], columns["frames"])
        books.append(shown)
        if shown.rejected:
            rejected += (Rejected("read", f"{self.name}/{video_id}", Code.UNKNOWN_LABEL, NO_TARGET,
                                  "boxes", shown.rejected),)  # fmt: skip
        spans = _spans(columns["stretches"], facts, sources[2])
        video = self._video(video_id, facts, (sources[0], source, *sources[1:]))
        seen = observed(columns, f"videos/{video_id}/", facts, self.limits)
        actions = actions_of(seen)
        lost = len(narrated_anchors(seen)) - len(actions)
        if "anchors" in columns:
            books.append(Books("read", ACTIONS, len(actions) + lost, len(actions), lost))
        newer = self._unapplied(video, facts)
        books += [Books("read", "newer corrected frames", one.count, 0, one.count) for one in newer]
        rejected += newer
        if lost:
            where = seen.file("anchors")
            rejected += (Rejected("read", video.key, Code.UNSEEN, UNSEEN, where, lost),)
        moments = moments_of(seen, [*actions, *watched(seen, actions, fitness)])
        return VideoEvidence(video, table, spans, rejected, tuple(books), regions=regions,
                             moments=moments)  # fmt: skip

    def _tables(
        self, video_id: str, facts: ObservedVideo
    ) -> tuple[dict[str, store.Columns], list[Source]]:
        """Return the columns of every kind that is read, and the files of these kinds.

        Raises:
            SourceBroken: a file is not the one that ``video.json`` describes.
        """
        columns, sources = {}, []
        for kind in (*store.NEEDED, *(more for more in store.SPOKEN if more in facts.digests)):
            raw, file = self._source(f"videos/{video_id}/{kind}.parquet")
            if file.sha256 != facts.digests.get(kind):
                raise _altered(file.path, facts.digests.get(kind), file.sha256)
            columns[kind] = store.columns_of(raw, kind, file.path)
            sources.append(file)
        return columns, sources

    def _fitness(self, made_by: str) -> tuple[Fitness, list[Source]]:
        """Return what was measured about the model that made a video's boxes, and its file."""
        found = self._optional(FILE)
        if found is None:
            return Fitness(), []
        try:
            fitness = fitness_from(_json(found[0], FILE))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise StoreBroken(
                f"{FILE} was not written by 'surgqa label evaluate', or was changed",
                found=f"{type(error).__name__}: {error}", where=f"{FILE}:1",
                fix="run: surgqa label evaluate STORE",
            ) from None  # fmt: skip
        return (fitness, [found[1]]) if fitness.made_by == made_by else (Fitness(), [])

    def _unapplied(self, video: Video, facts: ObservedVideo) -> tuple[Rejected, ...]:
        """Return an entry for each layer of corrections that the video's evidence lacks."""
        out = []
        for name in self._names(LAYERS):
            file = f"{LAYERS}/{name}/layer.json"
            found = None if name in facts.layers else self._optional(file)
            mine = _json(found[0], file)["reviewed"].get(video.video_id) if found else None
            if mine and mine.get("medium") == facts.media.sha256:
                out.append(Rejected("read", video.key, Code.UNAPPLIED, UNAPPLIED, file,
                                    len(mine["times_us"])))  # fmt: skip
        return tuple(out)

    def _video(self, video_id: str, facts: ObservedVideo, sources: tuple[Source, ...]) -> Video:
        own = facts.metadata
        patient = own.get("patient")
        group = f"{self.name}/{patient}" if patient else f"{self.name}/{video_id}"
        return self._record(
            video_id, sources, fps=facts.fps, duration_us=facts.duration_us, media=facts.media,
            vocabulary=facts.classes or (), period=period_us(facts.rate or facts.fps),
            procedure=str(own.get("procedure") or "unknown"), split_group=group,
            specialty=str(own.get("specialty") or "unknown"), label_source="model",
            licence=str(own.get("licence") or self.card.licence),
        )  # fmt: skip


def _all(count: int) -> tuple[int, int, int]:
    return count, count, 0


def _altered(name: str, written: str | None, found: str) -> SourceBroken:
    return SourceChanged(
        f"{name} was changed after it was written",
        expected=f"SHA-256 {written}",
        found=found,
        where=f"{name}:1",
        fix="run 'surgqa observe' for this video again",
    )


def _json(data: bytes, name: str) -> Mapping[str, Any]:
    text = read_text(data, name)
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise StoreBroken(
            f"{name} is not JSON", found=str(error), where=f"{name}:{error.lineno}",
            fix="run 'surgqa observe' for this video again",
        ) from None  # fmt: skip


def _spans(columns: Mapping[str, Any], facts: ObservedVideo, source: Source) -> tuple[Span, ...]:
    """Return shots, segments of the finest level, and phases from speech, as intervals."""
    rows = zip(*(columns[name] for name in ("kind", "label", "level", "start_us", "end_us")),
               strict=True)  # fmt: skip
    levels = [level or 0 for kind, level in zip(columns["kind"], columns["level"], strict=True)
              if kind == "segment"]  # fmt: skip
    finest = max(levels, default=0)
    chosen = []
    for number, (kind, label, level, start, end) in enumerate(rows):
        if kind in Reader.span_kinds and (kind != "segment" or level == finest):
            place = f"{source.path}#{number}"
            name = label or kind
            chosen.append(Span(kind, name, start, min(end, facts.duration_us), source.path, place))
    return sorted_spans(chosen)
