"""Which phase is under way, as far as speech tells, and where nobody knows."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from surgqa.transforms.evidence.speech import WordContext, anchors, phases
from tests.transforms.evidence.speech.test_anchors import CHOLE, table

PREP, CLIP = "the preparation phase", "clipping and cutting"
Known = list[tuple[float, float, str]]


@pytest.fixture
def known(utterance: Callable[..., dict]) -> Callable[..., Known]:
    """Phases of sentences with their start and end in seconds."""

    def run(*said: tuple[str, float, float]) -> Known:
        rows = [(text, round(a * 1000), round(b * 1000)) for text, a, b in said]
        made = phases(anchors(table(utterance, *rows), WordContext(procedure=CHOLE)))
        assert set(made["kind"].to_pylist()) <= {"phase"}
        return [(r["start_us"] / 1e6, r["end_us"] / 1e6, r["label"]) for r in made.to_pylist()]

    return run


def test_a_phase_is_known_from_its_name_to_the_last_words_that_agree(known) -> None:
    said = (("this is clipping and cutting", 1, 3), ("we clip the cystic duct", 10, 12),
            ("we grasp the liver", 14, 15), ("we cut the cystic duct", 30, 32))  # fmt: skip
    assert known(*said) == [(3.5, 29.5, "clipping_and_cutting")]


@pytest.mark.parametrize(
    "said",
    [
        pytest.param([("we clip the cystic duct", 1, 3), ("we cut the cystic duct", 9, 11)],
                     id="what is done is a hint, and no name"),
        pytest.param([(CLIP, 1, 3)], id="named once"),
        pytest.param([(CLIP, 1, 3), (CLIP, 63.5, 65)], id="silence that is too long"),
        pytest.param([(CLIP, 1, 3), (f"{CLIP} is done", 9, 11)], id="over"),
        pytest.param([(CLIP, 1, 3), (f"this was {CLIP}", 9, 11)], id="past"),
        pytest.param([(f"this is not yet {CLIP}", 1, 3), ("we clip the cystic duct", 9, 11)],
                     id="not yet there"),
        pytest.param([(f"after {CLIP} we rest", 1, 3), ("we clip the cystic duct", 9, 11)],
                     id="another time"),
        pytest.param([(f"next comes {CLIP}", 1, 3), (f"next comes {CLIP}", 9, 11)],
                     id="announced again, so not begun before"),
        pytest.param([(CLIP, 1, 3), ("gallbladder dissection", 4, 5), (CLIP, 9, 11)],
                     id="another one in between"),
        pytest.param([(CLIP, 1, 3), ("we dissect the cystic plate", 4, 5), ("we cut the cystic"
                     " duct", 9, 11)], id="what is done belongs to another one"),
    ],
)  # fmt: skip
def test_nothing_is_known_where_sources_are_silent_or_disagree(known, said) -> None:
    assert known(*said) == []


def test_what_is_announced_begins_after_the_words(known) -> None:
    said = ((f"next comes {CLIP}", 1, 3), ("we clip the cystic duct", 12, 14))
    assert known(*said) == [(5.5, 11.5, "clipping_and_cutting")]


def test_between_two_phases_nobody_knows(known) -> None:
    said = ((PREP, 1, 3), (PREP, 9, 11), ("this is clipping and cutting", 20, 22),
            ("we clip the cystic duct", 30, 32))  # fmt: skip
    assert known(*said) == [(3.5, 8.5, "preparation"), (22.5, 29.5, "clipping_and_cutting")]
