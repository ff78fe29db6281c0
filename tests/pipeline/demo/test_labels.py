"""The rendered dataset's labels: CholecT50's layout, and true to what is drawn."""

from __future__ import annotations

import json
import os
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology.errors import UserError
from surgqa.pipeline.demo import labels
from surgqa.pipeline.demo.anatomy import HEIGHT, SCOPE_CENTRE, SCOPE_RADIUS, WIDTH
from surgqa.pipeline.demo.labels import (
    NOTICE,
    label_file,
    refuse_foreign,
    rows_at,
    triplet_ids,
    write_demo_dataset,
)
from surgqa.pipeline.demo.scene import prepare, render
from surgqa.pipeline.demo.script import acts_at, pose_at, scripts, visible
from surgqa.pipeline.demo.tools import draw_tip, tip_box
from surgqa.transforms.media.frames import frame_at
from surgqa.transforms.media.probe import probe
from surgqa.transforms.readers.base.triplets import (
    INSTRUMENTS,
    PHASES,
    TARGETS,
    VERBS,
    mapping_text,
)

REPOSITORY = Path(__file__).resolve().parents[3]
CLIP_S = 20


@pytest.fixture(scope="module")
def dataset(demo: Path) -> Path:
    """The folder that ``surgqa demo`` has rendered."""
    return demo / "dataset"


def rows():
    """(script, second, row) of every labelled second of every video."""
    for script in scripts():
        for second, found in label_file(script)["annotations"].items():
            for row in found:
                yield script, int(second), row


def test_the_folder_is_laid_out_like_the_challenge_part(dataset):
    assert [script.video_id for script in scripts()] == ["VID901", "VID902", "VID903"]
    for script in scripts():
        frames = sorted(p.name for p in (dataset / "videos" / script.video_id).iterdir())
        assert frames == [f"{k:06d}.jpg" for k in range(script.seconds)]
        assert (dataset / "video" / f"{script.video_id}.mp4").is_file()
    size = sum(p.stat().st_size for p in dataset.rglob("*") if p.is_file())
    assert size < 15_000_000


def test_every_row_has_fifteen_numbers_in_range():
    ids = triplet_ids()
    names = {number: parts for parts, number in ids.items()}
    assert sorted(names) == list(range(100))
    for script, second, row in rows():
        assert len(row) == 15, (script.video_id, second)
        assert 0 <= row[14] < len(PHASES)
        assert row[10:14] in ([-1.0] * 4, [-1] * 4)
        if row[0] == -1:
            assert row[:14] == [-1] * 14
            continue
        parts = (INSTRUMENTS[row[1]], VERBS[row[7]], TARGETS[row[8]])
        assert names[row[0]] == parts, "the triplet is the one its parts make"
        x, y, w, h = row[3:7]
        assert x >= 0 and y >= 0 and w > 0.01 and h > 0.01
        assert x + w <= 1 and y + h <= 1


def test_one_phase_per_second_and_all_rows_of_a_second_agree():
    for script in scripts():
        for found in label_file(script)["annotations"].values():
            assert len({row[14] for row in found}) == 1
        assert len(script.phases) >= 2


def test_seconds_are_complete_but_for_the_gap_that_is_meant():
    for script in scripts():
        file = label_file(script)
        seconds = [int(k) for k in file["annotations"]]
        assert file["num_frames"] == len(seconds)
        missing = sorted(set(range(script.seconds)) - set(seconds))
        assert missing == list(script.unannotated)
        breaks = [-1, *missing, script.seconds]
        longest = max(b - a - 1 for a, b in zip(breaks, breaks[1:], strict=False))
        assert longest >= CLIP_S
    assert sum(bool(s.unannotated) for s in scripts()) == 1


def test_the_scenes_hold_what_questions_need():
    all_rows = list(rows())
    verbs = {VERBS[r[7]] for _, _, r in all_rows if r[0] >= 0}
    assert verbs == set(VERBS), "every verb occurs, idling too"
    assert {r[1] for _, _, r in all_rows} == {-1, 0, 1, 2, 3, 4, 5}, "every tool, and none"
    per_second: dict[tuple[str, int], list] = {}
    for script, second, row in all_rows:
        per_second.setdefault((script.video_id, second), []).append(row)
    both = [
        1 for found in per_second.values() if len({tuple(r[3:7]) for r in found if r[1] == 0}) == 2
    ]
    assert len(both) >= 5, "two graspers at once"
    shared = [
        1
        for found in per_second.values()
        if len({r[1] for r in found if r[8] == TARGETS.index("gallbladder")}) == 2
    ]
    assert len(shared) >= 5, "two instruments on one target"
    double = [
        1
        for found in per_second.values()
        if len(found) > len({(r[1], tuple(r[3:7])) for r in found})
    ]
    assert len(double) >= 2, "one instrument with two actions"


def centre(row) -> tuple[float, float]:
    return row[3] + row[5] / 2, row[4] + row[6] / 2


def test_instruments_stand_still_cross_the_picture_and_close_in():
    still = far = near = 0
    for script in scripts():
        tracks: dict[int, list[tuple[int, tuple[float, float]]]] = {}
        for second in range(script.seconds):
            for number, role in enumerate(script.roles):
                pose = pose_at(role, second)
                if visible(pose):
                    x1, y1, x2, y2 = tip_box(role.instrument, pose)
                    middle = ((x1 + x2) / 2 / WIDTH, (y1 + y2) / 2 / HEIGHT)
                    tracks.setdefault(number, []).append((second, middle))
        for track in tracks.values():
            steps = [
                np.hypot(b[0] - a[0], b[1] - a[1])
                for (_, a), (_, b) in zip(track, track[1:], strict=False)
            ]
            assert max(steps, default=0) < 0.6, "nothing outruns the continuity limit"
            still += sum(s < 0.018 for s in steps)
            xs = [m[0] for _, m in track]
            far += max(xs) - min(xs) > 0.2
        for a in tracks.values():
            for b in tracks.values():
                gaps = {s: np.hypot(p[0] - q[0], p[1] - q[1]) for s, p in a for t, q in b if s == t}
                near += bool(gaps) and max(gaps.values()) - min(gaps.values()) > 0.32
    assert still >= 20 and far >= 5 and near >= 2


@pytest.mark.parametrize("instrument", INSTRUMENTS)
def test_a_box_is_the_drawn_tip_and_nothing_more(instrument):
    seen = 0
    for script in scripts():
        for role in script.roles:
            if role.instrument != instrument:
                continue
            for second in range(script.seconds):
                pose = pose_at(role, second)
                if not visible(pose):
                    continue
                canvas = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
                draw_tip(canvas, instrument, pose)
                y, x = np.nonzero(canvas.any(axis=2))
                round_ = (x - SCOPE_CENTRE[0]) ** 2 + (y - SCOPE_CENTRE[1]) ** 2
                inside = round_ <= SCOPE_RADIUS**2
                drawn = (x[inside].min(), y[inside].min(), x[inside].max() + 1, y[inside].max() + 1)
                box = tip_box(instrument, pose)
                assert np.abs(np.subtract(drawn, box)).max() <= 3, (script.video_id, second)
                seen += 1
    assert seen >= 10


def test_the_tip_covers_its_box_in_the_written_frames(dataset):
    script = scripts()[0]
    media = {"kind": "frames", "path": "videos/VID901", "fps_num": 1, "fps_den": 1}
    empty = frame_at(dataset, media, 0).astype(int)
    assert rows_at(script, 0)[0][0] == -1, "nothing is in view at the start"
    hook = INSTRUMENTS.index("hook")
    for second in (12, 16, 20, 24):
        picture = frame_at(dataset, media, second * 1_000_000).astype(int)
        row = next(r for r in rows_at(script, second) if r[1] == hook)
        x, y, w, h = (round(v * s) for v, s in zip(row[3:7], (WIDTH, HEIGHT) * 2, strict=True))
        changed = np.abs(picture - empty).max(axis=2)[y : y + h, x : x + w] > 40
        assert changed.mean() > 0.10
        bright = picture.min(axis=2)[y : y + h, x : x + w] > 120
        assert bright.any(), "the hook's metal is bright and grey; no tissue is"


def test_folder_and_film_show_the_same_second(dataset):
    frames = {"kind": "frames", "path": "videos/VID902", "fps_num": 1, "fps_den": 1}
    film = {"kind": "video", "path": "video/VID902.mp4"}
    for second in (0, 7, 24, 48, 65):
        still = frame_at(dataset, frames, second * 1_000_000).astype(int)
        moving = frame_at(dataset, film, second * 1_000_000).astype(int)
        other = frame_at(dataset, frames, (second + 9) % 66 * 1_000_000).astype(int)
        same = np.abs(still - moving).mean()
        assert same < 4.0 and same < np.abs(other - moving).mean()
        clock = np.s_[448:476, 8:90]
        assert (
            np.abs(still[clock] - moving[clock]).mean()
            < np.abs(other[clock] - moving[clock]).mean()
        )
    facts = probe(dataset / "video/VID902.mp4", "video/VID902.mp4", count=True)
    assert (facts.fps, facts.frames, facts.duration_us) == (Fraction(5), 330, 66_000_000)
    assert facts.constant_rate and (facts.width, facts.height) == (WIDTH, HEIGHT)


def test_the_corner_outside_the_scope_is_black_but_for_the_clock():
    picture = render(prepare(scripts()[0]), 12.0)
    assert picture[:60, :60].max() == 0 and picture[:60, -60:].max() == 0
    assert picture[-60:, -60:].max() == 0
    assert picture[440:, :90].max() > 150, "the clock"


def test_written_bytes_are_the_same_twice_and_progress_counts_up(dataset, tmp_path, monkeypatch):
    """Of one video, which another process has written before."""
    script, calls = scripts()[2], list[tuple[str, int, int]]()
    name = script.video_id
    monkeypatch.setattr(labels, "scripts", lambda: (script,))
    made = write_demo_dataset(tmp_path, lambda *call: calls.append(call))
    assert (made.root, made.videos, made.seconds) == (tmp_path, (name,), script.seconds)
    written = {path.relative_to(tmp_path) for path in tmp_path.rglob("*") if path.is_file()}
    assert len(written) == script.seconds + 4
    for path in written:
        assert (tmp_path / path).read_bytes() == (dataset / path).read_bytes()
    steps = [(done, total) for video, done, total in calls if video == name]
    assert steps == sorted(steps) and steps[-1][0] == steps[-1][1]
    assert len(steps) == len(calls) >= 50


def test_the_mapping_file_counts_as_the_real_one_does():
    lines = mapping_text().splitlines()
    assert lines[0] == "# IVT, I, V, T, IV, IT" and len(lines) == 101
    assert lines[1] == "0,0,2,1,2,1"
    assert lines[95] == "94,0,9,14,9,14" and lines[96] == "95,1,9,14,19,29"


def test_the_mapping_file_equals_the_real_one():
    base = Path(os.environ.get("SURGQA_REAL_DATA", REPOSITORY.parent / "shared" / "data"))
    real = base / "cholect50-challenge-val" / "label_mapping.txt"
    if not real.is_file():
        pytest.skip("the CholecT50 challenge files are not on this machine")
    assert real.read_text().split() == mapping_text().split()
    names = json.loads((real.parent / "labels" / "VID68.json").read_text())["categories"]
    assert names == label_file(scripts()[0])["categories"]


def test_acts_are_inside_their_parts_and_hold_only_allowed_triplets():
    ids = triplet_ids()
    for script in scripts():
        for role in script.roles:
            times = [t for t, _, _ in role.path]
            assert times == sorted(set(times))
            for act in role.acts:
                assert (role.instrument, act.verb, act.target) in ids
                assert times[0] <= act.start_s < act.end_s <= times[-1]
                assert any(a == act for a in acts_at(role, act.start_s))


@pytest.mark.parametrize("name", ["dataset/README.md", "dataset/mine.txt", "page"])
def test_files_of_somebody_else_are_not_written_over(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("mine")
    with pytest.raises(UserError, match="exists already"):
        refuse_foreign(tmp_path / "dataset", tmp_path / "page")


def test_a_demonstration_may_be_drawn_again(tmp_path: Path) -> None:
    refuse_foreign(tmp_path / "dataset", tmp_path / "page")
    (tmp_path / "dataset").mkdir()
    (tmp_path / "dataset" / "README.md").write_bytes(NOTICE.encode())
    (tmp_path / "page").mkdir()
    (tmp_path / "page" / "data.js").write_bytes(b"drawn before")
    refuse_foreign(tmp_path / "dataset", tmp_path / "page")
    (tmp_path / "page" / "data.js").rename(tmp_path / "page" / "mine.txt")
    with pytest.raises(UserError, match="page exists already"):
        refuse_foreign(tmp_path / "dataset", tmp_path / "page")
