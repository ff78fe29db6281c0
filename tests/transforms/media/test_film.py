"""Films of every shape: the right picture at the right time, the same however it is cut."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from dataclasses import asdict, replace
from fractions import Fraction

import cv2
import numpy as np
import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from surgqa.ontology.errors import SourceBroken, SourceMissing, UserError
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.media import SampleFault, film_of
from surgqa.transforms.media.frames import frame_at
from surgqa.transforms.media.sampling import plan_pieces, sample
from surgqa.transforms.media.table import frame_table

UNEVEN = [Fraction(k, 10) + Fraction(k % 7, 90) + (3 if k > 100 else 0) for k in range(240)]
PLAIN = {"preset": "ultrafast", "bf": "0", "g": "20"}


def damaged(path, render):
    render.write(path)
    data = bytearray(path.read_bytes())
    data[len(data) // 2 : len(data) // 2 + 2500] = bytes(2500)
    path.write_bytes(data)


def half(path, render):
    render.write(path)
    path.write_bytes(path.read_bytes()[: path.stat().st_size * 2 // 3])


FILMS = {
    "open.mp4": lambda p, r: r.write(p),
    "open.ts": lambda p, r: r.write(p),
    "order.avi": lambda p, r: r.write(p),
    "uneven.mkv": lambda p, r: r.write(p, times=UNEVEN),
    "turned.mp4": lambda p, r: r.write(p, rotate=90),
    "zeroed.mp4": damaged,
    "zeroed.ts": damaged,
    "half.mkv": half,
}


def digests(film, samples, size, first, last):
    out = []
    for batch in film.batches(samples, size, first, last):
        whole = hashlib.sha256(b"".join(one.tobytes() for one in batch.pictures))
        for part in (batch.times_us, batch.frames, batch.trusted, batch.faults):
            whole.update(part.tobytes())
        out.append((batch.number, len(batch.times_us), whole.hexdigest()))
    return out


@pytest.fixture(scope="module", params=list(FILMS))
def whole(request, tmp_path_factory, render):
    """A film, its samples, and the digests of its batches decoded in one go."""
    path = tmp_path_factory.mktemp("films") / request.param
    FILMS[request.param](path, render)
    film = film_of(path.parent, Media(MediaKind.VIDEO, path.name))
    samples = sample(film.table, Fraction(7))
    return film, samples, digests(film, samples, 8, 0, 10**9)


@settings(max_examples=6 if "SURGQA_LONG" in os.environ else 3, deadline=None, derandomize=True,
          suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
@given(data=st.data())
def test_any_partition_gives_the_same_to_the_bit(whole, data):
    film, samples, expected = whole
    inner = st.integers(0, len(expected))
    cuts = sorted({0, len(expected), *data.draw(st.lists(inner, max_size=4))})
    film = pickle.loads(pickle.dumps(film))
    found = [
        digest
        for first, last in zip(cuts, cuts[1:], strict=False)
        for digest in digests(film, samples, 8, first, last)
    ]
    assert found == expected


def test_what_is_cut_in_pieces_has_several_entries(whole):
    film, samples, expected = whole
    pieces = plan_pieces(film.table, samples, 8, 10_000_000)
    assert pieces[0][0] == 0 and pieces[-1][1] == len(expected)
    assert all(a[1] == b[0] for a, b in zip(pieces, pieces[1:], strict=False))
    if film.name.endswith(".avi"):
        assert film.table.restarts == (0,) and len(pieces) == 1
        assert film.facts["order_decoded"]
    else:
        assert len(film.table.restarts) > 1
        assert len(pieces) > 1 or film.name == "half.mkv"


def test_a_table_that_was_kept_gives_the_same_film(whole):
    film, samples, expected = whole
    arrays = {"starts_us", "ticks", "key"}
    told = {k: v for k, v in asdict(film.table).items() if k not in arrays}
    table = replace(film.table, **orjson.loads(orjson.dumps(told)))
    again = film_of(film.path.parent, Media(MediaKind.VIDEO, film.name), table=table)
    assert again.facts == film.facts and again.problems == film.problems
    assert digests(again, samples, 8, 1, 2) == expected[1:2]


@pytest.mark.parametrize("degrees", [90, 180, 270])
def test_a_camera_that_was_turned(tmp_path, render, degrees):
    render.write(tmp_path / "v.mp4", 12, options=PLAIN, rotate=degrees)
    film = film_of(tmp_path, Media(MediaKind.VIDEO, "v.mp4"))
    batch = next(film.batches(sample(film.table, None), 12))
    wide, high = render.size
    assert (film.width, film.height) == ((wide, high) if degrees == 180 else (high, wide))
    assert batch.pictures[0].shape == (film.height, film.width, 3) and batch.trusted.all()
    still = frame_at(tmp_path, Media(MediaKind.VIDEO, "v.mp4"), 300_000)
    assert np.array_equal(batch.pictures[3], still), "as a question shows it"
    back = np.rot90(batch.pictures[7], -film.facts["rotation"] // 90)
    assert render.number_in(np.ascontiguousarray(back)) == 7


ODD = {
    "ten_bits.mp4": {"options": {**PLAIN, "profile": "high10"}, "pixels": "yuv420p10le"},
    "padded.mp4": {"size": (194, 98), "options": PLAIN},
    "uneven_sizes.mkv": {"size": (193, 97), "codec": "ffv1", "options": {}, "pixels": "yuv444p"},
    "one_key.mp4": {"options": {**PLAIN, "g": "9999"}},
    "all_keys.mov": {"codec": "mjpeg", "options": {}, "pixels": "yuvj420p"},
    "grey.mkv": {"codec": "ffv1", "options": {}, "pixels": "gray"},
    "mpeg4.avi": {"codec": "mpeg4", "options": {"bf": "2", "g": "20"}},
    "program.mpg": {
        "codec": "mpeg2video",
        "options": {"bf": "2", "g": "15"},
        "form": "mpeg",
        "rate": 25,
    },
    "bare.h264": {"form": "h264"},
    "interlaced.ts": {"options": {**PLAIN, "flags": "+ilme+ildct"}},
    "film.mp4.bin": {"form": "mp4"},
    "wrong_name.avi": {"form": "matroska"},
    "late_start.mp4": {"times": [5 + Fraction(k, 10) for k in range(60)], "options": PLAIN},
    "before_zero.mp4": {"times": [Fraction(k - 20, 10) for k in range(60)], "options": PLAIN},
    "one.mp4": {"count": 1},
    "two.mkv": {"count": 2},
}


@pytest.mark.parametrize("name", list(ODD))
def test_odd_files_are_read_whole_and_right(tmp_path, render, look, name):
    count = ODD[name].get("count", 60)
    # A bare stream states no rate, and 25 is taken.
    rate = 25 if name in ("program.mpg", "bare.h264") else render.rate
    render.write(tmp_path / name, **{"count": 60, **ODD[name]})
    seen = look(tmp_path / name)
    shown = seen.numbers
    if name == "before_zero.mp4":
        # What an edit list cuts off is not shown.
        assert shown == list(range(shown[0], count)) and shown[0] <= 20
    else:
        assert shown == list(range(count)) and seen.film.problems == ()
        starts = [round(k * 1_000_000 / rate) for k in range(count)]
        assert seen.samples.times_us.tolist() == starts
    assert seen.film.table.starts_us[0] == 0
    assert seen.film.facts["frames"] == len(shown)


def test_uneven_times_are_exact_to_the_microsecond(tmp_path, render):
    times = [Fraction(t, 90_000) for t in (0, 1, 4, 3003, 6006, 90_000, 900_001)]
    render.write(tmp_path / "v.mp4", 7, times=times, options=PLAIN)
    table = frame_table(tmp_path / "v.mp4", "v.mp4")
    # 11.11, 44.44, 33366.67, 66733.33 and 10000011.11 microseconds, halves up.
    assert table.starts_us.tolist() == [0, 11, 44, 33_367, 66_733, 1_000_000, 10_000_011]


@pytest.mark.parametrize("name", ["v.mp4", "v.mkv"])
def test_the_rate_of_uneven_frames_is_their_mean_in_every_container(tmp_path, render, name):
    times = [Fraction(n * n, 100) for n in range(60)]
    render.write(tmp_path / name, 60, times=times, options=PLAIN)
    film = film_of(tmp_path, Media(MediaKind.VIDEO, name))
    assert abs(Fraction(*film.facts["fps"]) * film.table.end_us - 60_000_000) < 1
    assert 1.6 < Fraction(*film.facts["fps"]) < 1.8


def test_hidden_frames_of_vp8_are_no_frames(tmp_path, render, look):
    options = {"g": "60", "auto-alt-ref": "1", "lag-in-frames": "16", "deadline": "good",
               "cpu-used": "5", "b": "200k", "threads": "1"}  # fmt: skip
    render.write(tmp_path / "v.webm", 80, codec="libvpx", options=options)
    assert look(tmp_path / "v.webm").numbers == list(range(80))


def test_facts_are_plain_and_say_what_is_known(tmp_path, clips):
    film = film_of(clips("fast.mp4").parent, Media(MediaKind.VIDEO, "fast.mp4"))
    facts = orjson.loads(orjson.dumps(film.facts))
    assert facts == film.facts
    told = {"fps": [10, 1], "frames": 240, "promised": 240, "duration_us": 24_000_000,
            "codec": "h264", "rotation": 0, "constant_rate": True, "entries": 3}  # fmt: skip
    assert facts | told == facts
    assert [s["kind"] for s in facts["streams"]] == ["video"]


def test_types_are_imported_without_a_decoder():
    code = (
        "import sys; import surgqa.transforms.media, surgqa.transforms.evidence.base; "
        "assert not {'av', 'cv2'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def folder_of(path, render, names):
    path.mkdir()
    for name, number in names.items():
        data = cv2.imencode(".png", render.picture(number)[..., ::-1])[1].tobytes()
        (path / name).write_bytes(data)


def test_a_sparse_folder_with_copies_and_strangers(tmp_path, render, look):
    names = {f"{n:06d}.png": n for n in (3, 4, 9)} | {"000004 (1).png": 4, "4.jpg": 4}
    folder_of(tmp_path / "f", render, names)
    (tmp_path / "f" / "000010.png").write_bytes(b"no picture")
    (tmp_path / "f" / "notes.txt").write_text("x")
    seen = look(tmp_path / "f", MediaKind.FRAMES, Fraction(30))
    assert seen.numbers == [3, 4, 9, None] and seen.faults == [0, 0, 0, SampleFault.DAMAGED]
    assert seen.film.table.starts_us.tolist() == [100_000, 133_333, 300_000, 333_333]
    assert [p.count for p in seen.film.problems] == [2, 1]
    batch = next(seen.film.batches(seen.samples, 4))
    assert batch.frames.tolist() == [3, 4, 9, 10], "a folder's file numbers"
    by_second = sample(seen.film.table, Fraction(10))
    assert by_second.times_us.tolist() == [100_000, 300_000], "no samples where no frame lies"


def test_folders_that_cannot_be_used_say_why(tmp_path, render):
    folder_of(tmp_path / "f", render, {"000000.png": 0})
    (tmp_path / "e").mkdir()
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "000000.png").write_bytes(b"")
    with pytest.raises(UserError, match="rate"):
        film_of(tmp_path, Media(MediaKind.FRAMES, "f"))
    with pytest.raises(SourceMissing, match="no numbered pictures"):
        film_of(tmp_path, Media(MediaKind.FRAMES, "e"), Fraction(1))
    with pytest.raises(SourceMissing, match="missing"):
        film_of(tmp_path, Media(MediaKind.FRAMES, "gone"), Fraction(1))
    with pytest.raises(SourceBroken, match="no picture that can be decoded"):
        film_of(tmp_path, Media(MediaKind.FRAMES, "b"), Fraction(1))
    with pytest.raises(SourceMissing, match="no pictures"):
        film_of(tmp_path, Media(MediaKind.ABSENT))


def test_a_still_is_one_sample(tmp_path, render, look):
    folder_of(tmp_path / "f", render, {"any name.png": 77})
    assert look(tmp_path / "f" / "any name.png", MediaKind.IMAGE).numbers == [77]


REAL = (
    ("rvimlab-endoscopy", "*.mp4", (1280, 720, 250)),
    ("autolaparo", "Up-1_2.mp4", (1920, 1080, 250)),
    ("cholect50-cholec80-clips", "*.mp4", (854, 480, 800)),
)


@pytest.mark.parametrize(("name", "pattern", "facts"), REAL)
def test_real_films_are_read_whole(real_dataset, name, pattern, facts):
    path = sorted(real_dataset(name).rglob(pattern))[0]
    film = film_of(path.parent, Media(MediaKind.VIDEO, path.name))
    assert (film.width, film.height, len(film.table.ticks)) == facts and film.problems == ()
    samples = sample(film.table, Fraction(1))
    number = 14 if len(film.table.restarts) > 1 else 0
    (batch,) = film.batches(samples, 2, number, number + 1)
    assert batch.trusted.all() and np.std(batch.pictures) > 10
    still = frame_at(path.parent, Media(MediaKind.VIDEO, path.name), int(batch.times_us[-1]))
    assert np.array_equal(batch.pictures[-1], still)


@pytest.mark.parametrize(
    ("name", "folder", "count", "copies"),
    [
        ("pitvis", "docker_example/inputs/01", 5, 0),
        ("cataractsam2-frames", "data", 6, 0),
        ("cholect50-challenge-val", "videos/VID68", 266, None),
    ],
)
def test_real_folders(real_dataset, name, folder, count, copies):
    root = real_dataset(name)
    film = film_of(root, Media(MediaKind.FRAMES, folder), Fraction(1))
    assert len(film.table.ticks) == count
    assert copies is None or film.facts["copies"] == copies
    batch = next(film.batches(sample(film.table, None), 4))
    assert batch.trusted.all()
    first = frame_at(root, Media(MediaKind.FRAMES, folder), int(batch.times_us[0]), Fraction(1)) \
        if name.startswith("cholect50") else None  # fmt: skip
    assert first is None or np.array_equal(batch.pictures[0], first)
