"""What follows from a question is worked out once, and again for another question."""

from __future__ import annotations

from surgqa.transforms.checks.proof.rows import once_a_question


def test_it_is_made_again_for_other_objects_though_they_are_equal():
    made: list[tuple[list[int], ...]] = []

    @once_a_question
    def length(*of: list[int]) -> int:
        made.append(of)
        return sum(map(len, of))

    one, equal, other = [1, 2], [1, 2], [3]
    assert [length(one), length(one), length(one, other), length(one, other)] == [2, 2, 3, 3]
    assert len(made) == 2
    assert [length(one), length(equal), length(other), length(one)] == [2, 2, 1, 2]
    assert len(made) == 6
