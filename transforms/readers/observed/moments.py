"""Moments of an observed video: utterances and events.

Events name tracks. The boxes of a track state which instrument or tissue it is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from surgqa.ontology.concepts import vocabulary
from surgqa.ontology.moments import Moment, moment_order
from surgqa.ontology.times import us_to_frame
from surgqa.transforms.readers.base.words import fold, names_of
from surgqa.transforms.readers.observed.facts import ObservedVideo
from surgqa.transforms.readers.observed.tables import Columns


@dataclass(frozen=True, slots=True)
class SpokenLimits:
    """Time limits for matching speech with contacts, in microseconds unless stated.

    Attributes:
        heard_us: uncertainty of the start of words.  Our choice: the largest error that
            the tests of the speech extractor allow, as for spoken intents.
        before_us: a contact begins at most this long before the words that describe it, but
            never before words that announce it.  Our choice: speakers describe an action
            a moment after it began.
        after_us: a contact begins at most this long after the words end.  Our choice: a cue comes
            0.5 s to 2 s before its action (SurgCoT), and one second more for slow actions.
        contact_us: shorter contacts are treated as a passing tool.  Our choice: the shortest
            contact that the measured figures of contacts count.
        slack_us: a contact gives no action if its start or end is known less precisely.  Our
            choice: shorter than the second between two labels in most datasets.
        gap_periods: instants that are further apart than this many periods do not belong to
            one sampled stretch.  Our choice, as for annotated instants.
    """

    heard_us: int = 500_000
    before_us: int = 1_000_000
    after_us: int = 3_000_000
    contact_us: int = 400_000
    slack_us: int = 1_000_000
    gap_periods: float = 1.5


Row = Mapping[str, Any]
CUES = {"approach": "approach", "positioned": "positioned", "camera_in": "camera"}
"""Kind of an observed happening -> the cue that it is; spoken intents are cues too."""
DOUBTFUL = "derive.tissue.doubtful"
ANOMALY = "anomaly"


@dataclass(frozen=True, slots=True)
class Observed:
    """Tables of one video, and the instrument or tissue of each track.

    Attributes:
        folder: path of the video's files relative to the root, with a slash at its end.
        tables: for each kind, the rows, in the order of their file.
        who: for each track, (kind, label) of its boxes.
    """

    folder: str
    facts: ObservedVideo
    tables: Mapping[str, Sequence[Row]]
    who: Mapping[int, tuple[str, str]]
    limits: SpokenLimits

    def file(self, kind: str) -> str:
        """Return the path of the file of one kind."""
        return f"{self.folder}{kind}.parquet"

    def tool(self, track: int | None) -> str:
        """Return the instrument of a track, '' if it is not an instrument."""
        kind, label = self.who.get(-1 if track is None else track, ("", ""))
        return label if kind == "instrument" else ""

    def tissue(self, track: int | None) -> str:
        """Return the tissue of a track, '' if it is not a tissue of the ontology."""
        kind, label = self.who.get(-1 if track is None else track, ("", ""))
        return label if kind == "tissue" and label in vocabulary("targets") else ""

    def moment(
        self, kind: str, label: str, span: tuple[int, int], resolution_us: int, pointer: str,
        table: str = "happenings", **more: Any,
    ) -> Iterator[Moment]:  # fmt: skip
        """Yield a moment, cut to the recording; nothing if it begins after the recording's end."""
        length = self.facts.duration_us
        start, end = max(0, span[0]), min(max(span), length)
        if start < length:
            yield Moment(kind, label, start, max(start, end), max(1, resolution_us),
                         self.file(table), pointer, **more)  # fmt: skip


def observed(
    columns: Mapping[str, Columns], folder: str, facts: ObservedVideo, limits: SpokenLimits
) -> Observed:
    """Return the tables of one video, row by row."""
    tables = {kind: rows_of(found) for kind, found in columns.items()}
    votes: dict[int, Counter[tuple[str, str]]] = {}
    for box in tables["boxes"]:
        if box["track"] is not None:
            votes.setdefault(box["track"], Counter())[box["kind"], box["label"]] += 1
    who = {track: min(found, key=lambda one: (-found[one], one)) for track, found in votes.items()}
    return Observed(folder, facts, tables, who, limits)


def rows_of(columns: Columns) -> list[Row]:
    """Return the columns as rows."""
    return [dict(zip(columns, values, strict=True))
            for values in zip(*columns.values(), strict=True)]  # fmt: skip


def moments_of(seen: Observed, more: Iterable[Moment] = ()) -> tuple[Moment, ...]:
    """Return all moments of a video in order: those in its tables, and ``more``."""
    found = [*more, *_said(seen), *_happened(seen), *_intents(seen), *_anomalies(seen)]
    return tuple(sorted(found, key=moment_order))


def place(kind: str, row: int) -> str:
    """Return the position of a row, counted from 0."""
    return f"{kind}.parquet, row {row}"


def box_of(row: Row) -> tuple[float, float, float, float] | None:
    """Return the corners of a row's box, None without a box."""
    corners = (row["x1"], row["y1"], row["x2"], row["y2"])
    return None if None in corners else corners


def _said(seen: Observed) -> Iterator[Moment]:
    for number, row in enumerate(seen.tables.get("utterances", ())):
        span = row["start_us"], row["end_us"]
        yield from seen.moment("said", "", span, seen.limits.heard_us, place("utterances", number),
                               "utterances", text=row["text"] or "", origin="speech")  # fmt: skip


def _happened(seen: Observed) -> Iterator[Moment]:
    """Yield contacts, cues of instruments and the camera, and states of tissues."""
    for number, row in enumerate(seen.tables.get("happenings", ())):
        kind, span = row["kind"], (row["time_us"], row["end_us"])
        at, fine = place("happenings", number), row["resolution_us"]
        group = "" if row["track"] is None else str(row["track"])
        more: dict[str, Any] = {"box_xyxy": box_of(row), "group": group, "origin": "tracks"}
        if fine is not None and (kind == "contact" or kind in CUES):
            name = "contact" if kind == "contact" else "cue"
            yield from seen.moment(
                name, CUES.get(kind, ""), span, fine, at, tool=seen.tool(row["track"]),
                target=seen.tissue(row["other_track"]), value=row["value"], **more,
            )  # fmt: skip
        elif kind == "tissue_state" and row["source"] != DOUBTFUL:
            yield from seen.moment(
                "state", row["label"], span, fine, at, tool=seen.tool(row["other_track"]),
                target=seen.tissue(row["track"]), value=row["value"], **more,
            )  # fmt: skip


def _intents(seen: Observed) -> Iterator[Moment]:
    """Yield spoken intents, with the tool and tissue that their anchor names."""
    said: dict[tuple[Any, ...], int] = {}
    for number, row in enumerate(seen.tables.get("anchors", ())):
        if row["intent"]:
            said.setdefault((row["start_us"], row["end_us"], row["action"]), number)
    for number, row in enumerate(seen.tables.get("happenings", ())):
        if row["kind"] != "intent" or row["label"] not in vocabulary("verbs"):
            continue
        span, at = (row["time_us"], row["end_us"]), place("happenings", number)
        more = {}
        anchor = said.get((*span, row["label"]))
        if anchor is not None:
            at = f"{place('anchors', anchor)}; {at}"
            more = named(seen.tables["anchors"][anchor])
        yield from seen.moment("cue", "intent", span, row["resolution_us"], at, verb=row["label"],
                               origin="speech", **more)  # fmt: skip


def named(anchor: Row) -> dict[str, str]:
    """Return the tool and the tissue that an anchor names, if the ontology has them."""
    tool, tissue = anchor["tool"], anchor["tissue"]
    return {
        "tool": tool if tool in vocabulary("instruments") else "",
        "target": tissue if tissue in vocabulary("targets") else "",
    }


def _anomalies(seen: Observed) -> Iterator[Moment]:
    """Yield the store's imported anomalies; rows of one anomaly share their source."""
    groups: dict[str, list[tuple[int, Row]]] = {}
    for number, row in enumerate(seen.tables.get("happenings", ())):
        if row["kind"].partition("_")[0] == ANOMALY:
            groups.setdefault(row["source"], []).append((number, row))
    for source, rows in groups.items():
        labels = {row["kind"]: row["label"] for _, row in rows}
        event = names_of("event").get(fold(labels.get(ANOMALY) or ""), ())
        if len(event) == 1:
            yield from _anomaly(seen, source.removeprefix("anomaly:"), event[0], rows, labels)


def _anomaly(
    seen: Observed,
    name: str,
    event: str,
    rows: Sequence[tuple[int, Row]],
    labels: Mapping[str, Any],
) -> Iterator[Moment]:
    tissue = names_of("target").get(fold(labels.get("anomaly_tissue") or ""), ())
    words = [
        labels[f"anomaly_{what}"] for what in ("cause", "location") if f"anomaly_{what}" in labels
    ]
    sizes = {row["time_us"]: row["label"] for _, row in rows if row["kind"] == "anomaly_size"}
    more = {"target": tissue[0] if len(tissue) == 1 else "", "group": name, "origin": "imported"}
    for number, row in rows:
        span, fine, at = (row["time_us"], row["end_us"]), row["resolution_us"], number
        if row["kind"] == ANOMALY:
            yield from seen.moment("anomaly", event, span, fine, place("happenings", at),
                                   box_xyxy=box_of(row), text=", ".join(words),
                                   **more)  # fmt: skip
        elif row["kind"] == "anomaly_key":
            frame = us_to_frame(row["time_us"], seen.facts.fps)
            yield from seen.moment(
                "roi", row["label"] or "", span, fine, place("happenings", at),
                box_xyxy=box_of(row), value=float(frame), text=sizes.get(row["time_us"]) or "",
                **more,
            )  # fmt: skip
