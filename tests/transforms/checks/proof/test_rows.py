"""Values that the texts of a row are printed from."""

from __future__ import annotations

from tests.transforms.checks.proof.made import CLIP, NOW, S, asked, clip_row, now_row


def test_a_row_with_a_query_time_has_it_as_now_and_another_has_none():
    clip, now = asked(CLIP, clip_row()), asked(NOW, now_row())
    assert now.known().values["now"] == 60 * S
    assert "now" not in clip.known().values
    for one, row in ((clip, clip_row()), (now, now_row())):
        values = one.known().values
        assert values["window"] == {"start": row["start_us"], "end": row["end_us"]}
        assert values["video"] == {"procedure": "cholecystectomy"}
        assert values["answer"] == one.answer
