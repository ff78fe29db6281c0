"""A clip has the colours of its recording: the same tags, and planes that go with them."""

from __future__ import annotations

from fractions import Fraction

import av
import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from surgqa.ontology.records import Media, MediaKind
from surgqa.transforms.media import film_of
from surgqa.transforms.media.colours import RED_BLUE, Colours, colours_of, planes
from surgqa.transforms.media.continuations import write_continuation

RATE = Fraction(25)
PATCHES = ((200, 40, 40), (40, 180, 60), (30, 60, 190), (235, 235, 235), (20, 20, 20))
SIZE = 32
"""Side of a patch."""


def patches():
    return np.concatenate([np.full((SIZE, SIZE, 3), one, np.uint8) for one in PATCHES], axis=1)


def record(path, told, made=None):
    """Ten frames of patches with these tags; FFmpeg's own conversion makes the planes.

    Args:
        made: matrix and range of the planes where they are others than the film tells.
    """
    matrix, span = made or told[:2]
    with av.open(str(path), "w") as box:
        stream = box.add_stream("libx264", rate=RATE, options={"qp": "1"})
        stream.height, stream.width, stream.pix_fmt = SIZE, SIZE * len(PATCHES), "yuv420p"
        codec = stream.codec_context
        codec.colorspace, codec.color_range = told[:2]
        codec.color_primaries, codec.color_trc = told[2:]
        for k in range(10):
            shown = av.VideoFrame.from_ndarray(patches(), format="rgb24")
            frame = shown.reformat(format="yuv420p", dst_colorspace=matrix, dst_color_range=span)
            frame.colorspace, frame.color_range, frame.pts = *told[:2], k
            box.mux(stream.encode(frame))
        box.mux(stream.encode(None))
    return film_of(path.parent, Media(MediaKind.VIDEO, path.name))


def tags(path):
    with av.open(str(path)) as box:
        frame = next(box.decode(video=0))
        told = frame.colorspace, frame.color_range, frame.color_primaries, frame.color_trc
        codec = box.streams.video[0].codec_context
        by_stream = (codec.colorspace, codec.color_range, codec.color_primaries, codec.color_trc)
        assert tuple(map(int, by_stream)) == tuple(map(int, told))
        return tuple(map(int, told)), middles(frame.to_ndarray(format="rgb24"))


def middles(picture):
    """The colour in the middle of each patch."""
    at = [SIZE // 2 + SIZE * k for k in range(len(PATCHES))]
    return picture[SIZE // 2, at].astype(int)


@pytest.mark.parametrize(
    "told",
    [(1, 1, 1, 1), (1, 2, 1, 1), (5, 1, 5, 6), (6, 1, 6, 6), (9, 1, 9, 14), (7, 1, 7, 7),
     (1, 1, 2, 13)],
    ids=str,
)  # fmt: skip
def test_tags_are_carried_over_and_colours_stay(tmp_path, told):
    source = record(tmp_path / "a.mp4", told)
    files = (tmp_path / "f.png", tmp_path / "c.mp4")
    write_continuation(source, 0, 10, RATE, *files)
    found, shown = tags(files[1])
    assert found == told
    assert np.abs(shown - middles(cv2.imread(str(files[0]))[..., ::-1])).max() <= 4
    assert np.abs(shown - PATCHES).max() <= 6


def test_without_tags_the_clip_says_the_matrix_it_is_written_in(tmp_path):
    source = record(tmp_path / "a.mp4", (2, 0, 2, 2), made=(5, 1))
    check_default(source, tmp_path)


def test_planes_of_red_green_and_blue_have_no_matrix_to_carry(tmp_path):
    with av.open(str(tmp_path / "a.mp4"), "w") as box:
        stream = box.add_stream("libx264rgb", rate=RATE, options={"qp": "1"})
        stream.height, stream.width, stream.pix_fmt = SIZE, SIZE * len(PATCHES), "rgb24"
        for _ in range(10):
            box.mux(stream.encode(av.VideoFrame.from_ndarray(patches(), format="rgb24")))
        box.mux(stream.encode(None))
    source = film_of(tmp_path, Media(MediaKind.VIDEO, "a.mp4"))
    with av.open(str(tmp_path / "a.mp4")) as box:
        assert box.streams.video[0].codec_context.format.is_rgb
    check_default(source, tmp_path)


def check_default(source, folder):
    assert colours_of(source) == Colours()
    files = (folder / "f.png", folder / "c.mp4")
    write_continuation(source, 0, 10, RATE, *files)
    found, shown = tags(files[1])
    assert found == (6, 1, 2, 2)
    assert np.abs(shown - middles(cv2.imread(str(files[0]))[..., ::-1])).max() <= 4
    assert np.abs(shown - PATCHES).max() <= 6


def test_images_have_the_default(tmp_path):
    (tmp_path / "v").mkdir()
    for k in range(12):
        cv2.imwrite(str(tmp_path / "v" / f"{k:06d}.png"), patches()[..., ::-1])
    source = film_of(tmp_path, Media(MediaKind.FRAMES, "v"), RATE)
    write_continuation(source, 0, 10, RATE, tmp_path / "f.png", tmp_path / "c.mp4")
    found, shown = tags(tmp_path / "c.mp4")
    assert found == (6, 1, 2, 2)
    assert np.abs(shown - PATCHES).max() <= 4


@given(
    colour=st.tuples(*[st.integers(0, 255)] * 3), matrix=st.sampled_from(sorted(RED_BLUE)),
    span=st.sampled_from([1, 2]),
)  # fmt: skip
def test_planes_are_the_standards(colour, matrix, span):
    red, blue = (one / 10_000 for one in RED_BLUE[matrix])
    r, g, b = (one / 255 for one in colour)
    bright = red * r + (1 - red - blue) * g + blue * b
    low, tall, wide = (16, 219, 224) if span == 1 else (0, 255, 255)
    expected = (low + tall * bright, 128 + wide * (b - bright) / (2 - 2 * blue),
                128 + wide * (r - bright) / (2 - 2 * red))  # fmt: skip
    found = planes(np.full((2, 4, 3), colour, np.uint8), Colours(matrix, span))
    assert [one.shape for one in found] == [(2, 4), (1, 2), (1, 2)]
    for plane, value in zip(found, expected, strict=True):
        assert len(np.unique(plane)) == 1
        assert abs(int(plane[0, 0]) - min(value, 255)) <= 0.51


@pytest.mark.parametrize("span", [1, 2])
@pytest.mark.parametrize("matrix", sorted(RED_BLUE))
def test_greys_have_no_colour_and_the_whole_range(matrix, span):
    for grey, bright in ((0, 16 if span == 1 else 0), (255, 235 if span == 1 else 255)):
        found = planes(np.full((34, 2, 3), grey, np.uint8), Colours(matrix, span))
        assert [set(one.reshape(-1)) for one in found] == [{bright}, {128}, {128}]


def test_a_colour_is_the_mean_of_four_pixels():
    picture = np.zeros((66, 4, 3), np.uint8)
    picture[::2, ::2] = (200, 40, 80)
    picture[1::2, 1::2] = (80, 0, 40)
    whole = planes(np.full((66, 4, 3), (70, 10, 30), np.uint8), Colours())
    assert all(
        (a == b).all() for a, b in zip(planes(picture, Colours())[1:], whole[1:], strict=True)
    )
