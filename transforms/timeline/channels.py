"""From a video's evidence to its channels of facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from ontology.records import IDLE, UNKNOWN, InstrumentTable, Span, Video, VideoEvidence
from transforms.timeline.facts import (
    EXCLUSIVE,
    GAP_PERIODS,
    Channel,
    Fact,
    FactBook,
    merged,
    stretches,
)
from transforms.timeline.ids import moment_ids, region_ids, segment_ids
from transforms.timeline.timeline import Timeline

Sighting = tuple[int, str, str]
"""(instant's place, label, row id)."""


def fact_book(evidence: VideoEvidence, timeline: Timeline | None) -> FactBook:
    """All that is labelled of a video, as facts.

    Regions whose kind is labelled by spans as well are the channel ``<kind>_region``.
    """
    channels = {}
    by_kind: dict[str, list[tuple[Span, str]]] = defaultdict(list)
    spans = tuple(zip(evidence.spans, segment_ids(evidence.spans), strict=True))
    for span, name in spans:
        by_kind[span.kind].append((span, name))
    for kind in sorted(by_kind):
        channels[kind] = _of_spans(kind, by_kind[kind], evidence)
    if timeline is not None:
        channels["instrument"] = _instruments(timeline)
        channels |= {c.kind: c for c in _interactions(timeline)}
    for kind in sorted(evidence.regions):
        name = f"{kind}_region" if kind in channels else kind
        channels[name] = _regions(name, kind, evidence.regions[kind], evidence)
    moments = tuple(zip(evidence.moments, moment_ids(evidence.moments), strict=True))
    return FactBook(evidence.video, channels, evidence.labels, evidence.regions, spans, moments,
                    timeline)  # fmt: skip


def _of_spans(kind: str, spans: Sequence[tuple[Span, str]], evidence: VideoEvidence) -> Channel:
    """Spans as they are.

    Kinds that exclude one another are known where one of them holds; of the others,
    nothing is known to be there wherever the video is labelled at all.
    """
    facts = [
        Fact(s.label, s.start_us, s.end_us, "segments", ((s.start_us, name),),
             place_of(s.source, s.pointer), s.subject, s.value, s.rater)
        for s, name in spans
    ]  # fmt: skip
    around = [s for s, _ in spans] if kind in EXCLUSIVE else evidence.spans
    known = merged((s.start_us, s.end_us) for s in around)
    return Channel(kind, _sorted(facts), known, None, None, evidence.video.period_us)


def _sorted(facts: Iterable[Fact]) -> tuple[Fact, ...]:
    return tuple(sorted(facts, key=lambda f: (f.start_us, f.last_us, f.label, f.subject, f.rater)))


def place_of(source: str, pointer: str) -> str:
    """Source and place in it, where the place does not name the source itself."""
    return pointer if source and pointer.startswith(source) else f"{source} {pointer}".strip()


def _instruments(timeline: Timeline) -> Channel:
    table = timeline.table
    labels, ids = table.label.tolist(), timeline.event_ids
    sightings = [
        (sample, table.labels[labels[row]], ids[row])
        for row, sample in enumerate(table.sample.tolist())
    ]
    instants = table.instants_us.tolist()
    every = range(len(instants))
    return _of_instants("instrument", sightings, every, timeline.video.vocabulary, table,
                        timeline.video, "events")  # fmt: skip


def _interactions(timeline: Timeline) -> Iterator[Channel]:
    """Triplets and targets, at instants where the interaction of every instance is known."""
    table = timeline.table
    if not table.pair_sets:
        return
    unknown = {s for s, pair in zip(table.sample.tolist(), table.pairs.tolist(), strict=True)
               if pair == UNKNOWN}  # fmt: skip
    known = [k for k in range(len(table.instants_us)) if k not in unknown]
    triplets: list[Sighting] = []
    targets: list[Sighting] = []
    ids = timeline.event_ids
    for row, (sample, pair) in enumerate(zip(table.sample.tolist(), table.pairs.tolist(),
                                             strict=True)):  # fmt: skip
        for verb, target in table.pair_sets[pair] if pair != UNKNOWN else ():
            if (verb, target) == IDLE or verb == IDLE[0]:
                continue
            tool = table.labels[int(table.label[row])]
            triplets.append((sample, f"{tool},{verb},{target}", ids[row]))
            if target != IDLE[1]:
                targets.append((sample, target, ids[row]))
    for kind, found in (("triplet", triplets), ("target", targets)):
        yield _of_instants(kind, found, known, None, table, timeline.video, "events")


def _regions(name: str, kind: str, table: InstrumentTable, evidence: VideoEvidence) -> Channel:
    labels = [table.labels[code] for code in table.label.tolist()]
    frames = [int(table.frames[sample]) for sample in table.sample.tolist()]
    ids = region_ids(kind, frames, labels)
    sightings = list(zip(table.sample.tolist(), labels, ids, strict=True))
    every = range(len(table.instants_us))
    return _of_instants(name, sightings, every, table.labels, table, evidence.video, "regions")


def _of_instants(
    kind: str, sightings: Iterable[Sighting], known: Iterable[int],
    looked_for: tuple[str, ...] | None, table: InstrumentTable, video: Video, rows: str,
) -> Channel:  # fmt: skip
    """Runs of each label over neighbouring known instants."""
    instants = table.instants_us.tolist()
    places = list(known)
    rank = {place: i for i, place in enumerate(places)}
    seen: dict[str, dict[int, str]] = defaultdict(dict)
    for sample, label, name in sightings:
        if sample in rank:
            seen[label].setdefault(sample, name)
    times = [instants[place] for place in places]
    facts = []
    source = video.sources[0].path if video.sources else ""
    for label in sorted(seen):
        for run in _runs(sorted(seen[label]), rank, instants, video.period_us):
            marks = tuple((instants[place], seen[label][place]) for place in run)
            first, last = (int(table.frames[run[end]]) for end in (0, -1))
            said = f"frame {first}" if first == last else f"frames {first} to {last}"
            facts.append(Fact(label, marks[0][0], marks[-1][0], rows, marks,
                              place_of(source, said)))  # fmt: skip
    return Channel(kind, _sorted(facts), stretches(times, video.period_us), looked_for,
                   tuple(times), video.period_us)  # fmt: skip


def _runs(
    places: Sequence[int], rank: dict[int, int], instants: Sequence[int], period_us: int
) -> Iterator[list[int]]:
    """Places without a known instant between them and no wide gap."""
    run: list[int] = []
    for place in places:
        apart = run and (
            rank[place] != rank[run[-1]] + 1
            or instants[place] - instants[run[-1]] > GAP_PERIODS * period_us
        )
        if apart:
            yield run
            run = []
        run.append(place)
    if run:
        yield run
