"""Where tissues are in an observed recording, and what is not concluded from it."""

from __future__ import annotations

import numpy as np

from surgqa.ontology.records import VideoEvidence
from surgqa.transforms.readers.observed.tables import WANTED, tissues_of
from surgqa.transforms.timeline.relation.gather import relation_of
from tests.transforms.timeline.videos import S, video

FRAMES = {"time_us": [t * S for t in range(8)], "frame": list(range(8)), "trusted": [True] * 8}
BOX = (0.1, 0.2, 0.3, 0.4)


def columns(*rows: tuple[int, str, str, str]) -> dict[str, list]:
    """(second, kind, label, origin) of each box."""
    corners = dict(zip(("x1", "y1", "x2", "y2"), BOX, strict=True))
    made = [
        {"time_us": t * S, "frame": t, "kind": kind, "label": label, **corners, "score": 0.8,
         "track": 7, "origin": origin}
        for t, kind, label, origin in rows
    ]  # fmt: skip
    return {name: [row[name] for row in made] for name in WANTED["boxes"]}


def seen(*told: tuple[int, str]) -> VideoEvidence:
    rows = [(t, "tissue", label, "mask") for t, label in told]
    return VideoEvidence(video(S), None, regions=tissues_of(columns(*rows), FRAMES)[0])


def test_tissues_are_listed_where_they_were_seen_and_nowhere_else() -> None:
    rows = [(1, "tissue", "liver", "mask"), (1, "instrument", "hook", "detector"),
            (4, "tissue", "gallbladder", "manual"), (4, "tissue", "moon", "detector")]  # fmt: skip
    regions, account = tissues_of(columns(*rows), FRAMES)
    table = regions["tissue"]
    assert table.labels == ("gallbladder", "liver")
    assert table.instants_us.tolist() == [S, 4 * S]
    assert table.box_xyxy.tolist() == [list(BOX)] * 2 and table.track.tolist() == [7, 7]
    assert (account.read, account.kept, account.rejected) == (3, 2, 1)
    none, account = tissues_of(columns((1, "instrument", "hook", "detector")), FRAMES)
    assert none == {} and account.read == 0


def test_a_tissue_that_was_not_seen_is_not_absent_and_there_is_one_of_some() -> None:
    table = seen((1, "liver"), (2, "adhesion")).regions["tissue"]
    assert table.absence is not None and not table.absence.gone.any()
    known = dict(zip(table.absence.labels, table.absence.alone.T.tolist(), strict=True))
    assert known == {"adhesion": [False, False], "liver": [True, True]}


def holes(evidence: VideoEvidence, label: str) -> list[tuple[float, float]]:
    """(from, to) in seconds within the recording in which nothing is known of a tissue."""
    known = relation_of([(evidence, None)])
    table, code = known.holes, known.codes.known(label)
    mine = np.flatnonzero(table.label == code).tolist()
    assert {known.codes.name(table.kind[i]) for i in mine} <= {"tissue"}
    return [(max(table.u0[i].item() / S, -1), min(table.u1[i].item() / S, 99)) for i in mine]


def test_nothing_is_known_between_and_beside_what_was_seen() -> None:
    found = seen((1, "liver"), (2, "liver"), (5, "liver"), (2, "adhesion"))
    assert holes(found, "liver") == [(-1, 1), (2.000001, 5), (5.000001, 99)]
    assert holes(found, "adhesion") == [(-1, 99)]  # there may be another one
    known = relation_of([(found, None)])
    facts = known.facts
    assert {known.codes.name(kind) for kind in facts.kind.tolist()} == {"tissue"}
    mine = facts.label == known.codes.known("liver")
    assert (facts.s1[mine] // S).tolist() == [1, 5] and (facts.e0[mine] // S).tolist() == [2, 5]
    assert len(set(facts.grp[mine].tolist())) == 1  # both may be one stay in view
