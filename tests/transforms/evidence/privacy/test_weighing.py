"""Names that a recogniser split in two."""

from __future__ import annotations

from surgqa.transforms.evidence.privacy.weighing import weighed
from tests.each import cases


@cases(
    ("text", "name"),
    [
        ("kowa -lewsky holds", "kowa -lewsky"),  # in no list, but like a name
        ("the -resa holds", "the -resa"),  # a given name, whatever its first part is
        ("then -rickson holds", None),  # in no list, and nobody's name begins with "then"
        ("pull -back now", None),
    ],
)
def test_a_name_in_two_parts(text: str, name: str | None):
    assert [text[a:b] for a, b, _ in weighed(text)] == ([] if name is None else [name])
