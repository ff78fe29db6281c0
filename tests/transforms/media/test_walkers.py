"""Files made by hand: each walker finds what is damaged, and nothing in what is whole."""

from __future__ import annotations

import io
import zlib
from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np
import pytest

from surgqa.ontology.errors import SourceBroken
from surgqa.transforms.media import boxes, container, ebml, flv, gif, packets, riff
from surgqa.transforms.media.container import Packets, opened
from surgqa.transforms.media.vouched import doubtful
from tests.each import cases

PIECE, TRACK, TABLE = 188, 0x100, 0


def found(walker, data: bytes) -> list[tuple[int, int]]:
    return walker.bad_bytes(io.BytesIO(data), len(data))


# Matroska


def element(kind: int, content: bytes) -> bytes:
    name = kind.to_bytes((kind.bit_length() + 7) // 8, "big")
    return name + (len(content) | 1 << 28).to_bytes(4, "big") + content


def summed(kind: int, content: bytes) -> bytes:
    total = zlib.crc32(content).to_bytes(4, "little")
    return element(kind, bytes([ebml.CRC, 0x84]) + total + content)


def cluster(time: int) -> bytes:
    blocks = b"".join(element(0xA3, bytes([0x81, 0, n, 0x80]) + b"picture") for n in range(3))
    return summed(ebml.CLUSTER, element(0xE7, bytes([time])) + blocks)


HEAD = summed(ebml.INFO, element(0x2AD7B1, b"\x0f\x42\x40")) + summed(
    ebml.TRACKS, element(0xAE, b"track")
)
CLUSTERS = [cluster(n) for n in range(3)]
START = element(ebml.EBML, b"")
FIRST = len(START) + 8 + len(HEAD)
MKV = START + element(ebml.SEGMENT, HEAD + b"".join(CLUSTERS))
LONG = len(CLUSTERS[0])


def test_a_whole_matroska_has_no_bad_bytes():
    assert found(ebml, MKV) == []


def test_a_changed_cluster_is_bad_and_the_others_are_not():
    data = bytearray(MKV)
    data[FIRST + LONG + 30] ^= 1
    assert found(ebml, bytes(data)) == [(FIRST + LONG, FIRST + 2 * LONG)]


@pytest.mark.parametrize("part", [6, 7, 8, 9])
def test_the_next_cluster_is_found_wherever_reading_is_interrupted(part, monkeypatch):
    monkeypatch.setattr(ebml, "PART", part)
    data = bytearray(MKV)
    data[FIRST + LONG] ^= 1
    assert found(ebml, bytes(data)) == [(FIRST + LONG, FIRST + 2 * LONG)]


def test_without_its_header_no_time_of_a_matroska_is_sure():
    data = bytearray(MKV)
    data[len(START) + 8 + 16] ^= 1
    assert found(ebml, bytes(data)) == [(0, len(MKV))]


def test_a_cluster_that_the_end_cuts_off_is_good_up_to_its_last_block():
    data = MKV[:-3]
    last = element(0xA3, bytes(4) + b"picture")
    assert found(ebml, data) == [(len(MKV) - len(last), len(data))]


@pytest.mark.parametrize("lost", [len(element(0xA3, bytes(4) + b"picture")), LONG])
def test_what_should_follow_a_whole_block_or_cluster_is_missing(lost):
    data = MKV[:-lost]
    assert found(ebml, data) == [(len(data), len(MKV))]


# MP4


def box(kind: bytes, content: bytes) -> bytes:
    return (8 + len(content)).to_bytes(4, "big") + kind + content


def numbers(*values: int) -> bytes:
    return b"".join(value.to_bytes(4, "big") for value in values)


def mp4(
    times: Sequence[int] = (5, 10), lasts: int = 50, chunk: int = 5, scale: int = 1000
) -> bytes:
    table = (
        box(b"stts", numbers(0, 1, *times))
        + box(b"stsz", numbers(0, 0, 5, *[9] * 5))
        + box(b"stsc", numbers(0, 1, 1, chunk, 1))
        + box(b"stco", numbers(0, 1, 48))
    )
    inner = box(b"hdlr", numbers(0, 0) + b"vide") + box(b"mdhd", numbers(0, 0, 0, scale, lasts))
    media = box(b"mdia", inner + box(b"minf", box(b"stbl", table)))
    return box(b"ftyp", b"isom") + box(b"moov", box(b"trak", media))


@cases(
    ("changed", "words"),
    [
        ({}, ""),
        ({"times": (4, 10)}, "times of 4 frames and sizes of 5"),
        ({"chunk": 6}, "places of 6 frames"),
        ({"times": (5, 20)}, "lasts 100 ticks and the header says 50"),
        ({"lasts": 90}, "lasts 50 ticks and the header says 90"),
        ({"scale": 0}, "does not say how long a tick is"),
    ],
)
def test_an_index_must_agree_with_itself(changed, words):
    data = mp4(**changed)
    told = boxes.contradiction(io.BytesIO(data), len(data))
    assert words in told and bool(told) == bool(words)


def fragment(time: int, frames: int = 2, kind: bytes = b"moof") -> bytes:
    track = box(b"tfhd", numbers(0, 1)) + box(b"tfdt", numbers(0, time))
    body = box(b"mfhd", numbers(0, 1)) + box(b"traf", track + box(b"trun", numbers(0, frames)))
    return box(kind, body) + box(b"mdat", b"pictures")


@cases(
    ("second", "words"),
    [
        (fragment(20), ""),
        (fragment(20, frames=0), "fragment 2 does not say which frames"),
        (fragment(20).replace(b"trun", b"true"), "fragment 2 does not say which frames"),
        (fragment(0), "fragment 2 begins before"),
        (fragment(20, kind=b"ioof"), "where a fragment may have stood"),
    ],
)
def test_every_fragment_lists_its_frames_after_the_one_before(second, words):
    data = mp4() + fragment(0) + second
    told = boxes.contradiction(io.BytesIO(data), len(data))
    assert words in told and bool(told) == bool(words)


# AVI


def chunk(name: bytes, content: bytes) -> bytes:
    return name + len(content).to_bytes(4, "little") + content + bytes(len(content) % 2)


PICTURES = [chunk(b"00dc", bytes([n] * 5)) for n in range(4)]
AVI = chunk(
    b"RIFF", b"AVI " + chunk(b"LIST", b"hdrl") + chunk(b"LIST", b"movi" + b"".join(PICTURES))
)


def test_an_avi_is_counted_up_to_the_chunk_before_what_is_none():
    assert riff.broken_at(io.BytesIO(AVI), len(AVI)) is None
    assert riff.broken_at(io.BytesIO(AVI[:-3]), len(AVI) - 3) == AVI.index(PICTURES[3])
    second, third = AVI.index(PICTURES[1]), AVI.index(PICTURES[2])
    data = AVI[:third] + b"\xff" + AVI[third + 1 :]
    assert riff.broken_at(io.BytesIO(data), len(data)) == second
    for wrong in (3, 1 << 24):  # the chunk's own length leads astray
        data = AVI[: second + 4] + wrong.to_bytes(4, "little") + AVI[second + 8 :]
        assert riff.broken_at(io.BytesIO(data), len(data)) == second


# GIF


def gif_picture(codes: bytes = bytes([0x44, 0x01])) -> bytes:
    """One pixel: two bits a colour, a code to begin, the pixel, a code to end."""
    place = numbers(0, 0x01000100) + b"\x00"
    return bytes([gif.IMAGE]) + place + bytes([2, len(codes)]) + codes + b"\x00"


GIF = b"GIF89a" + bytes(7) + gif_picture() * 3 + bytes([gif.TRAILER])
SHOWN = len(gif_picture())


def test_a_picture_of_a_gif_has_exactly_its_pixels():
    assert found(gif, GIF) == []
    empty = gif_picture(bytes([0x2C, 0x00]))
    data = GIF[: 13 + SHOWN] + empty + GIF[13 + 2 * SHOWN :]
    assert found(gif, data) == [(13 + SHOWN, 13 + 2 * SHOWN)]


def test_a_gif_without_its_end_was_cut_off():
    data = GIF[: 13 + 2 * SHOWN]
    assert found(gif, data) == [(len(data), len(data) + 1)]
    assert found(gif, GIF[: 13 + SHOWN + 4]) == [(13 + SHOWN, 13 + SHOWN + 4)]


# Transport streams


def packet(count: int, start: bool = False, track: int = TRACK, body: bytes = b"") -> bytes:
    head = bytes([packets.SYNC, track >> 8 | start << 6, track & 255, 0x10 | count % 16])
    return head + ((b"\0\0\1\xe0" if start else b"") + body).ljust(PIECE - 4, b"\xaa")


TS = [packet(n, start=n % 2 == 0) for n in range(20)]


def at(number: int) -> int:
    return number * PIECE


def test_a_whole_transport_stream_has_no_bad_bytes():
    assert found(packets, b"".join(TS)) == []
    assert found(packets, b"".join(TS)[-at(15) - 50 :]) == [], "cut out of another one"
    wide = b"".join(bytes(4) + one for one in TS)
    assert found(packets, wide) == []
    assert found(packets, wide[: 192 * 6] + wide[192 * 7 :]) == [(192 * 6, 192 * 7)]


def test_a_lost_packet_is_bad_up_to_the_next_picture():
    assert found(packets, b"".join(TS[:5] + TS[6:])) == [(at(5), at(5))]
    assert found(packets, b"".join(TS[:6] + TS[7:])) == [(at(6), at(7))]


def test_a_picture_without_its_mark_is_bad():
    lost = TS[6].replace(b"\0\0\1\xe0", b"\0\0\2\xe0")
    assert found(packets, b"".join([*TS[:6], lost, *TS[7:]])) == [(at(6), at(8))]


def test_bytes_between_packets_and_half_ones_are_bad():
    data = b"".join(TS[:6]) + bytes(100) + b"".join(TS[6:])
    assert found(packets, data) == [(at(6), at(6) + 100)]
    assert found(packets, b"".join(TS)[:-7]) == [(at(19), at(20) - 7)]
    assert found(packets, bytes(1000) + b"".join(TS)) == [(0, 1000)]
    assert found(packets, bytes(1000)) == [(0, 1000)]


def test_tables_and_a_count_that_is_said_to_begin_anew_are_no_loss():
    table = [packet(n, start=True, track=TABLE, body=b"")[:4] + bytes(184) for n in (0, 9)]
    assert found(packets, b"".join([table[0], *TS[:6], table[1], *TS[6:]])) == []
    anew = bytearray(packet(3, start=True))
    anew[3] |= 0x20
    anew[4:10] = b"\x01\x80\0\0\1\xe0"
    assert found(packets, b"".join([*TS[:6], bytes(anew)])) == []


# FLV


def tag(number: int, kind: int = 9) -> bytes:
    body = bytes([0x17]) * (20 + number)
    head = bytes([kind]) + len(body).to_bytes(3, "big") + bytes([0, 0, number, 0, 0, 0, 0])
    return head + body + numbers(11 + len(body))


TAGS = [tag(n) for n in range(6)]
FLV = b"FLV\x01\x01" + numbers(9, 0) + b"".join(TAGS)
PLACES = [FLV.index(one) for one in TAGS]


def test_a_whole_flv_has_no_bad_bytes():
    assert found(flv, FLV) == []


@cases("byte", [0, 3, 9, 31])
def test_a_tag_that_says_two_lengths_is_bad(byte):
    data = bytearray(FLV)
    data[PLACES[2] + byte] ^= 0x10
    told = found(flv, bytes(data))
    assert told == ([] if byte == 31 else [(PLACES[2], PLACES[3])])


def test_an_flv_that_ends_within_a_tag():
    assert found(flv, FLV[:-5]) == [(PLACES[5], len(FLV) - 5)]


# What readers make of bad bytes


class _Source:
    """Packets of one track: place, size, whether a key, and when shown."""

    def __init__(self, *rows: tuple[int, int, bool, int]) -> None:
        self.rows = [
            SimpleNamespace(pos=pos, size=size, is_keyframe=key, pts=shown, is_corrupt=False)
            for pos, size, key, shown in rows
        ]

    def demux(self, *streams):
        return iter(self.rows)


def corrupt(bad: Sequence[tuple[int, int]], *rows: tuple[int, int, bool, int]) -> list[bool]:
    return [one.is_corrupt for one in Packets(_Source(*rows), bad=bad)]


def test_packets_in_bad_bytes_and_the_one_behind_them_are_corrupt():
    rows = [(0, 10, True, 0), (10, 10, False, 1), (20, 10, False, 2), (30, 10, False, 3)]
    assert corrupt([(12, 20)], *rows) == [False, True, True, False]
    assert corrupt([(20, 20)], *rows) == [False, False, True, False]


def test_a_key_frame_behind_bad_bytes_stands_by_itself_but_not_what_is_shown_before_it():
    rows = [(0, 10, False, 1), (10, 10, True, 5), (20, 10, False, 3), (30, 10, False, 4),
            (40, 10, False, 6)]  # fmt: skip
    assert corrupt([(10, 10)], *rows) == [False, False, True, True, False]


def test_a_film_without_a_codec_is_refused_in_words(tmp_path, clips, monkeypatch):
    track = SimpleNamespace(codec_context=None, disposition=0, type="video")
    monkeypatch.setattr(container, "picture_tracks", lambda _: [track])
    with (
        pytest.raises(SourceBroken, match="cannot be decoded here") as error,
        opened(clips("fast.mp4"), "fast.mp4"),
    ):
        pass
    assert error.value.where == "fast.mp4" and error.value.fix


def test_a_track_that_goes_away_ends_the_reading_with_its_reason():
    class Gone(_Source):
        def demux(self, *streams):
            raise IndexError("stream index 1 out of range")

    source = Packets(Gone())
    assert list(source) == [] and "out of range" in source.broke


# What the times themselves contradict

SHOWN_AT = np.arange(20) * 10


def unsure(shown: np.ndarray, runs: bool) -> list[int]:
    decoded = np.arange(len(shown)) * 10 - 20
    return np.flatnonzero(doubtful(np.sort(shown), [], decoded, 10, runs)).tolist()


@pytest.mark.parametrize("runs", [False, True])
def test_times_that_decoding_agrees_with_are_sure(runs):
    assert unsure(SHOWN_AT, runs) == []


def test_a_time_at_which_nothing_is_decoded_is_unsure_and_behind_it_all_in_runs():
    moved = np.where(SHOWN_AT == 80, 500, SHOWN_AT)
    assert unsure(moved, runs=False) == [19]
    near = np.where(SHOWN_AT == 80, 83, SHOWN_AT)
    assert unsure(near, runs=False) == [8]
    assert unsure(near, runs=True) == list(range(8, 20))


def test_all_times_count_from_the_first_one():
    early = np.where(SHOWN_AT == 0, -70, SHOWN_AT)
    assert unsure(early, runs=False) == list(range(20))
