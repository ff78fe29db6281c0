"""Items of rows that do not state how they are asked."""

from __future__ import annotations

from surgqa.transforms.scoring.outputs.items import item_of
from tests.each import cases
from tests.transforms.scoring.medstream.samples import closed, stream, watch


@cases(("make", "mode"), [(closed, "present"), (stream, "future"), (watch, "proactive")])
def test_rounds_make_a_future_item_and_alerts_a_proactive_one(make, mode: str):
    row = make()
    assert item_of({**row, "temporal_mode": None}).mode == mode
    assert item_of({**row, "temporal_mode": "retrospective"}).mode == "retrospective"
