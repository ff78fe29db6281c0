"""Read a folder of files in SurgCoT's unified JSON, one file for each video."""

from __future__ import annotations

from dataclasses import replace

from surgqa.ontology.moments import moment_order
from surgqa.ontology.records import (
    Code,
    InstrumentTable,
    Media,
    MediaKind,
    Source,
    Video,
    VideoEvidence,
    VideoLabel,
)
from surgqa.transforms.readers.base import Ledger
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.base.intervals import sorted_spans
from surgqa.transforms.readers.base.own_videos import FILMS
from surgqa.transforms.readers.base.unified.anomalies import anomalies_of
from surgqa.transforms.readers.base.unified.entries import Intake
from surgqa.transforms.readers.base.unified.header import (
    UnifiedHeader,
    exact_json,
    header_of,
    named,
    specialty_of,
)
from surgqa.transforms.readers.base.words import fold, names_of
from surgqa.transforms.readers.unified.anchors import anchors_of, lose_unread
from surgqa.transforms.readers.unified.moments import moments_of, part, phases_of
from surgqa.transforms.readers.unified.tracks import (
    instruments_of,
    states_of,
    tools_of,
    usual_gap_us,
)

SUFFIX = ".json"
"""Suffix of a video's file; the name without it is the video's id."""


class Reader(BaseReader):
    """Reader of a folder of unified JSON files; video files may be next to them."""

    name = "unified"
    version = 2
    replayable = True
    span_kinds = ("phase", "phase_anchor")
    label_kinds = ("experience", "phase")

    def found(self) -> list[str]:
        """Return the videos that have a JSON file."""
        return sorted(name.removesuffix(SUFFIX) for name in self._listing("")
                      if name.endswith(SUFFIX))  # fmt: skip

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video."""
        data, source = self._source(f"{video_id}{SUFFIX}")
        tree = exact_json(data, source.path)
        header = header_of(tree, source.path, self.rate)
        ledger = Ledger(f"{self.name}/{video_id}", "entries")
        intake = Intake(source.path, header, ledger)
        spatial = part(tree, "spatial_evidence")
        tools = tools_of(spatial.get("tool_tracks"), intake)
        observed = moments_of(tree, intake)
        spoken, anchored = anchors_of(tree, observed, intake)
        moments = [
            *observed, *spoken,
            *states_of(spatial.get("tissue_tracks"), tools, intake),
            *anomalies_of(part(tree, "anomaly_evidence").get("anomalies"),
                          "anomaly_evidence.anomalies", intake),
        ]  # fmt: skip
        (phases, order), table = phases_of(tree, intake), instruments_of(tools, intake)
        lose_unread(tree, intake)
        labels = (*_experience(header, ledger, source), *order)
        return VideoEvidence(
            self._video(video_id, header, source, table), table, sorted_spans(phases + anchored),
            ledger.entries(), (ledger.books(intake.read, intake.kept),), labels,
            moments=tuple(sorted(moments, key=moment_order)),
        )  # fmt: skip

    def _video(
        self, video_id: str, header: UnifiedHeader, source: Source, table: InstrumentTable | None
    ) -> Video:
        metadata = header.metadata
        procedure = named(metadata, "procedures", metadata.get("procedure"))
        specialty = named(metadata, "specialties", metadata.get("specialty")) or specialty_of(
            procedure
        )
        return self._record(
            video_id, [source], fps=header.fps, duration_us=header.duration_us,
            period=usual_gap_us(table, header.period_us),
            media=self._medium(video_id, header),
            vocabulary=() if table is None else table.labels,
            procedure=procedure or "unknown", specialty=specialty or "unknown",
        )  # fmt: skip

    def _medium(self, video_id: str, header: UnifiedHeader) -> Media:
        """Return the video file next to the JSON file, with the frame size that boxes refer to."""
        films = [name for name in self._names("") if name.lower().endswith(FILMS)
                 and name.rpartition(".")[0] == video_id]  # fmt: skip
        media = self._recording(*films).media if films else Media(MediaKind.ABSENT)
        width, height = header.size or (None, None)
        return replace(media, width=width, height=height)


def _experience(header: UnifiedHeader, ledger: Ledger, source: Source) -> tuple[VideoLabel, ...]:
    """Return ``surgeon_experience`` as a concept of the ontology; () if missing or unknown."""
    value, place = header.metadata.get("surgeon_experience"), "video_metadata.surgeon_experience"
    if value is None:
        return ()
    meant = names_of("experience").get(fold(str(value)), ())
    if len(meant) != 1:
        reason = f"experience {value!r:.40} is not known, and nothing is said of it"
        ledger.repair((0,), Code.UNKNOWN_LABEL, reason, f"{source.path} {place}")
        return ()
    return (VideoLabel("experience", meant[0], None, "", source.path, f"{source.path} {place}"),)
