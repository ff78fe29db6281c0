"""Films damaged at seeded places: no picture under another one's time, nothing short in silence.

A picture that differs from the one of its time is one of two things.  It is another frame's
picture: then its time is wrong, and there may be none.  Or it is a damaged picture of its
time.  Matroska with its check sums and GIF with its exact number of pixels tell every damage;
of the other formats none has a check sum of what a picture holds, and a decoder finds most
errors and not all.  Of those a small share is allowed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from surgqa.ontology.errors import UserError
from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.media import Film, film_of
from surgqa.transforms.media.accounts import fault_problems
from surgqa.transforms.media.frames import frame_at
from surgqa.transforms.media.sampling import sample

COUNT, GOP = 30, 10
RUN_LENGTHS = (1, 8, 64, 512, 4000)
CODED = {"g": str(GOP)}
KINDS = {
    "film.mp4": {},
    "front.mp4": {"mux": {"movflags": "faststart"}},
    "pieces.mp4": {"mux": {"movflags": "frag_keyframe+empty_moov"}},
    "film.mkv": {},
    "pictures.mkv": {"codec": "mjpeg", "options": {}, "pixels": "yuvj420p"},
    "film.avi": {},
    "old.avi": {"codec": "mpeg4", "options": CODED},
    "film.gif": {"codec": "gif", "options": {}, "pixels": "rgb8"},
    "film.ts": {},
    "film.flv": {},
    "film.webm": {"codec": "libvpx", "options": {**CODED, "deadline": "realtime", "threads": "1"}},
}
SURE = ("film.mkv", "pictures.mkv", "film.gif")
UNSUMMED = ("film.webm",)
"""VP8 decodes anything, and WebM is written without check sums: what a picture holds cannot
be vouched for, and is not asked here."""
ALIKE = 2.0
"""Mean grey levels up to which two pictures are the same; two frames differ by four times that."""
EXACT = 0.1
"""The same where damage alone may turn a picture into one that is much like an earlier one."""
ALLOWED = 0.01
"""Share of trusted pictures that may be damaged, where no check sum tells."""
PACKET = 188
"""Bytes; a transport stream that ends with one does not say that more should follow."""


def flipped(data: bytearray, rng: random.Random) -> None:
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def changed(data: bytearray, rng: random.Random) -> None:
    for _ in range(rng.choice((3, 10, 40))):
        data[rng.randrange(len(data))] = rng.randrange(256)


def zeroed(data: bytearray, rng: random.Random) -> None:
    first = rng.randrange(len(data))
    last = min(first + rng.choice(RUN_LENGTHS), len(data))
    data[first:last] = bytes(last - first)


def cut(data: bytearray, rng: random.Random) -> None:
    del data[rng.randrange(len(data)) :]


def dropped(data: bytearray, rng: random.Random) -> None:
    first = rng.randrange(len(data))
    del data[first : first + rng.choice(RUN_LENGTHS)]


def swapped(data: bytearray, rng: random.Random) -> None:
    one, two = sorted((rng.randrange(len(data)), rng.randrange(len(data))))
    long = rng.choice((16, 256))
    data[one : one + long], data[two : two + long] = data[two : two + long], data[one : one + long]


HARMS = (flipped, changed, zeroed, cut, dropped, swapped)


@pytest.fixture(scope="module")
def films(tmp_path_factory: pytest.TempPathFactory, render) -> Callable[[str], Path]:
    folder = tmp_path_factory.mktemp("films")

    def film(name: str) -> Path:
        path = folder / name
        return path if path.is_file() else render.write(path, COUNT, **KINDS[name])

    return film


def shown(path: Path) -> tuple[Film, list[int], list[np.ndarray | None]]:
    """A film, and of each frame its time in microseconds and its picture if it is trusted."""
    film = film_of(path.parent, Media(MediaKind.VIDEO, path.name))
    times, pictures, faults = [], [], []
    samples = sample(film.table, None)
    for batch in film.batches(samples, COUNT):
        times += batch.times_us.tolist()
        faults += batch.faults.tolist()
        pairs = zip(batch.pictures, batch.trusted, strict=True)
        pictures += [one.astype(np.int16) if sure else None for one, sure in pairs]
    told = [*film.problems, *fault_problems(path.name, samples.times_us, np.array(faults))]
    full = sum(one is not None for one in pictures) >= COUNT
    silent_end = path.suffix == ".ts" and path.stat().st_size % PACKET == 0
    assert told or full or silent_end, "pictures are lost and nothing says so"
    return film, times, pictures


def judged(
    picture: np.ndarray, frame: int, whole: Sequence[np.ndarray], number_in, alike: float = ALIKE
) -> str:
    """What a picture that is shown at a frame's time is, beside the film's own ones."""
    if picture.shape != whole[0].shape:  # turned by a damaged header
        return "damaged"
    apart = [float(np.abs(picture - one).mean()) for one in whole]
    near = int(np.argmin(apart))
    if apart[near] <= alike:
        return "right" if near == frame else "another"
    return "right" if number_in(picture) == frame else "damaged"


def check(name: str, seeds: range, films: Callable, render, folder: Path) -> tuple[int, int]:
    """Trusted pictures of damaged films, and how many of them are damaged."""
    trusted = damaged = 0
    _, _, whole = shown(films(name))
    alike = EXACT if name in UNSUMMED else ALIKE
    for seed in seeds:
        rng = random.Random(f"{name} {seed}")
        data = bytearray(films(name).read_bytes())
        HARMS[seed % len(HARMS)](data, rng)
        path = folder / f"{seed}-{name}"
        path.write_bytes(data)
        try:
            film, times, pictures = shown(path)
        except UserError as error:
            assert error.where and error.summary
            continue
        assert not film.table.unsure or film.problems
        kept = [(t, one) for t, one in zip(times, pictures, strict=True) if one is not None]
        found = [
            judged(one, round(t * render.rate / 1_000_000), whole, render.number_in, alike)
            for t, one in kept
        ]
        assert "another" not in found, f"seed {seed}: {found}"
        assert name not in SURE or "damaged" not in found, f"seed {seed}: {found}"
        trusted, damaged = trusted + len(found), damaged + found.count("damaged")
        path.unlink()
    assert trusted, "all films were refused: nothing was tested"
    return trusted, damaged


@pytest.mark.parametrize("name", KINDS)
def test_an_undamaged_film_is_trusted(name, films, look):
    seen = look(films(name))
    assert seen.numbers == list(range(COUNT))
    assert seen.film.problems == ()


@pytest.mark.parametrize("name", KINDS)
def test_damaged_films(name, films, render, tmp_path):
    check(name, range(12), films, render, tmp_path)


def test_a_bare_stream_under_the_name_of_a_container_has_no_times(films, tmp_path):
    """Of an AVI whose first bytes are damaged the coded stream is found, and not its clock."""
    data = bytearray(films("film.avi").read_bytes())
    data[11] = 0xFF
    path = tmp_path / "film.avi"
    path.write_bytes(data)
    film, _, pictures = shown(path)
    assert "bare stream" in film.table.unsure_why and not any(one is not None for one in pictures)


@pytest.mark.nightly
@pytest.mark.parametrize("name", KINDS)
def test_many_damaged_films(name, films, render, tmp_path):
    trusted, damaged = check(name, range(12, 624), films, render, tmp_path)
    assert name in UNSUMMED or damaged <= trusted * ALLOWED, f"{damaged} of {trusted}"


@pytest.mark.parametrize("name", KINDS)
def test_single_pictures_are_those_of_the_whole_film(name, films, tmp_path):
    for seed in range(6):
        rng = random.Random(f"{name} {seed}")
        data = bytearray(films(name).read_bytes())
        HARMS[seed % len(HARMS)](data, rng)
        path = tmp_path / f"{seed}-{name}"
        path.write_bytes(data)
        try:
            _, times, pictures = shown(path)
        except UserError:
            times, pictures = [0], [None]
        media = Media(MediaKind.VIDEO, path.name)
        for time_us, whole in zip(times[:: COUNT // 6], pictures[:: COUNT // 6], strict=True):
            if whole is None:
                with pytest.raises(UserError):
                    frame_at(tmp_path, media, time_us)
            else:
                assert np.array_equal(frame_at(tmp_path, media, time_us), whole)
