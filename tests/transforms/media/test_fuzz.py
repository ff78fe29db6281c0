"""Films damaged at seeded places: no picture under another one's time, nothing short in silence.

Each picture carries its number, so that one that is shown at another's time is found.
Matroska with its check sums and GIF with its exact number of pixels tell every damage.  MP4
and AVI have no check sum of what a picture holds: a picture that its decoder finds no error
in may show what was before.  Of those a small share is allowed here.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from ontology.errors import UserError
from transforms.media import fault_problems

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
    "film.webm": {"codec": "libvpx", "options": {**CODED, "deadline": "realtime", "threads": "1"}},
}
SURE = ("film.mkv", "pictures.mkv", "film.gif")
UNSUMMED = ("film.webm",)
"""VP8 decodes anything, and WebM is written without check sums: what a picture holds cannot
be vouched for, and is not asked here."""
ALLOWED = 0.01
"""Share of trusted pictures that may show others' contents, where no check sum tells."""


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
def films(tmp_path_factory: pytest.TempPathFactory, render) -> Callable[[str], bytes]:
    folder = tmp_path_factory.mktemp("films")

    def film(name: str) -> bytes:
        path = folder / name
        if not path.is_file():
            render.write(path, COUNT, **KINDS[name])
        return path.read_bytes()

    return film


def examined(path: Path, look: Callable, rate: int) -> tuple[int, int]:
    """Trusted pictures of a damaged film, and those of them that show another's number."""
    try:
        seen = look(path)
    except UserError as error:
        assert error.where and error.summary
        return 0, 0
    starts = seen.samples.times_us.tolist()
    trusted = [(n, t) for n, t in zip(seen.numbers, starts, strict=True) if n is not None]
    told = [*seen.film.problems, *fault_problems(path.name, seen.samples.times_us, seen.faults)]
    assert told or len(trusted) >= COUNT, "pictures are lost and nothing says so"
    return len(trusted), sum(n != round(t * rate / 1_000_000) for n, t in trusted)


def check(
    name: str, seeds: range, allowed: float, films: Callable, look: Callable, render, folder: Path
) -> None:
    trusted = wrong = 0
    for seed in seeds:
        rng = random.Random(f"{name} {seed}")
        data = bytearray(films(name))
        HARMS[seed % len(HARMS)](data, rng)
        path = folder / f"{seed}-{name}"
        path.write_bytes(data)
        kept, off = examined(path, look, render.rate)
        trusted, wrong = trusted + kept, wrong + off
        assert name not in SURE or not off, f"{off} of {kept} pictures with seed {seed}"
        path.unlink()
    assert trusted, "all films were refused: nothing was tested"
    assert name in UNSUMMED or wrong <= trusted * allowed, f"{wrong} of {trusted}"


@pytest.mark.parametrize("name", KINDS)
def test_an_undamaged_film_is_trusted(name, films, look, tmp_path):
    path = tmp_path / name
    path.write_bytes(films(name))
    seen = look(path)
    assert seen.numbers == list(range(COUNT))
    assert seen.film.problems == ()


@pytest.mark.parametrize("name", KINDS)
def test_damaged_films(name, films, look, render, tmp_path):
    check(name, range(24, 48), 0.0, films, look, render, tmp_path)


@pytest.mark.nightly
@pytest.mark.parametrize("name", KINDS)
def test_many_damaged_films(name, films, look, render, tmp_path):
    check(name, range(48, 648), ALLOWED, films, look, render, tmp_path)
