"""Real boxes of three cholecystectomies, with identities guessed from class and time.

No public set gives the true identities of these boxes: a stay of a class is one track,
two of a class at one instant are told apart from left to right.  That favours a linker
that looks at class and time, so the figure is no measure of quality, only a floor.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.linking import MILD, Known, detected, idf1, own
from surgqa.transforms.readers.cholect50.reader import Reader

STAY_US = 4_000_000


def guessed(table) -> Known:
    """Known tracks from an instrument table with boxes."""
    boxed = ~np.isnan(table.box_xyxy[:, 0])
    sample, label, box = (a[boxed] for a in (table.sample, table.label, table.box_xyxy))
    order = np.lexsort([box[:, 0], label, sample])
    sample, label, box = sample[order].astype(np.int64), label[order], box[order]
    names: dict[tuple[int, int, int], int] = {}
    stay, last, place, track = {}, {}, {}, []
    for at, code in zip(sample.tolist(), label.tolist(), strict=True):
        now = int(table.instants_us[at])
        if code not in last or now - last[code] > STAY_US:
            stay[code] = stay.get(code, -1) + 1
        place[code] = place.get(code, 0) + 1 if last.get(code) == now else 0
        last[code] = now
        track.append(names.setdefault((code, stay[code], place[code]), len(names)))
    return Known(
        table.instants_us, sample, np.array(track), label.astype(np.int64), box.clip(0, 1), 16 / 9
    )


@pytest.mark.parametrize("video", ["VID68", "VID73", "VID74"])
def test_real_boxes_with_noise(real_dataset, video):
    truth = guessed(Reader(real_dataset("cholect50-challenge-val")).read(video).instruments)
    told = [idf1(truth, own(truth, detected(truth, seed, MILD))) for seed in (100, 101, 102)]
    assert np.mean(told) >= 0.8
