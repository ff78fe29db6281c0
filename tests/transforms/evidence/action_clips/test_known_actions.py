"""Action clips of a video whose actions were told and seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from surgqa.ontology.absence import Absence
from surgqa.ontology.moments import Moment
from surgqa.ontology.records import (
    UNKNOWN,
    InstrumentTable,
    Media,
    MediaKind,
    Span,
    Video,
    VideoEvidence,
)
from surgqa.transforms.evidence.action_clips.derive import actions_table, derived_clips

S = 1_000_000
TOOLS = ("clipper", "scissors")
Deed = tuple[str, int, float, float]
"""Verb, instrument's number, from, to in seconds."""
CLIP, CUT = ("clip", 0, 2, 10), ("cut", 1, 11, 20)
NOBODY_LOOKED = "what else was done is not known"


def operation(
    deeds: Sequence[Deed] = (CLIP, CUT), watched: Sequence[tuple[float, float]] = ((0, 30),),
    pairs: int = UNKNOWN, fine_s: float = 0.3,
) -> VideoEvidence:  # fmt: skip
    """Half a minute at five pictures a second, with both instruments in view."""
    times = np.arange(150, dtype=np.int64) * S // 5
    rows = np.repeat(np.arange(150, dtype=np.int32), 2)
    label = np.tile(np.array([0, 1], np.int16), 150)
    box = np.tile([[0.4, 0.4, 0.5, 0.5], [0.5, 0.5, 0.6, 0.6]], (150, 1))
    table = InstrumentTable(
        times, np.arange(150), rows, label, box, np.ones(300), np.full(300, pairs, np.int16),
        label.astype(np.int32), np.tile(np.array([0, 1], np.int32), 150), TOOLS,
        () if pairs == UNKNOWN else ((("cut", "cystic_duct"),),), "detector", "{frame}",
    )  # fmt: skip
    video = Video("observed", "v", "cholecystectomy", "surgery", Fraction(5), S // 5, 30 * S,
                  Media(MediaKind.ABSENT), "v", "none", "model", (), TOOLS)  # fmt: skip
    fine = round(fine_s * S)
    moments = [
        Moment("action", verb, round(a * S), round(b * S), fine, "", "", verb=verb,
               tool=TOOLS[tool], target="cystic_duct", group=str(tool), origin="speech and tracks")
        for verb, tool, a, b in deeds
    ]  # fmt: skip
    moments += [Moment("watched", "tracks", round(a * S), round(b * S), S // 5, "", "")
                for a, b in watched]  # fmt: skip
    spans = (Span("phase", "clipping_and_cutting", 0, 30 * S, "", ""),)
    return VideoEvidence(video, table, spans, moments=tuple(moments))


def clips(evidence: VideoEvidence) -> list[tuple[int, int, str]]:
    return [(c.start, c.end, c.action) for c in derived_clips(evidence).clips.clips]


def test_clips_are_what_was_told_and_seen_second_by_second():
    assert clips(operation()) == [(0, 10, "vessel_clipping"), (11, 29, "dissection")]


def test_a_start_counts_from_the_first_second_that_certainly_shows_it():
    early, late = (CLIP, ("cut", 1, 11.4, 20)), (CLIP, ("cut", 1, 11.9, 20))
    assert clips(operation(early))[1][0] == 12
    assert clips(operation(late))[1][0] == 12


def test_a_start_that_is_not_known_to_the_second_is_a_break():
    made = derived_clips(operation((CLIP, ("cut", 1, 11.9, 20)), fine_s=0.95)).clips
    assert [one.start for one in made.clips] == [3, 13]
    assert made.following == 0


def test_what_outranks_the_rest_counts_while_both_go_on():
    both = (CLIP, ("cut", 1, 6, 20))
    assert clips(operation(both)) == [(0, 9, "vessel_clipping"), (10, 29, "dissection")]


def test_where_nobody_watched_nothing_is_known():
    found = clips(operation(watched=((1, 8), (9, 30))))
    assert [one[:2] for one in found] == [(1, 7), (9, 29)]
    model = operation(watched=())
    assert model.instruments is not None
    nothing = np.zeros((150, 2), bool)
    table = replace(model.instruments, absence=Absence(TOOLS, nothing, nothing))
    (why,) = derived_clips(replace(model, instruments=table)).rejected
    assert NOBODY_LOOKED in why.reason


@pytest.mark.parametrize("pairs", [0, UNKNOWN])
def test_labelled_verbs_stay_as_they_are(pairs: int):
    assert (actions_table(operation(pairs=pairs)) is None) == (pairs == 0)
