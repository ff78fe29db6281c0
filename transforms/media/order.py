"""Find the presentation order of frames whose packets do not state it.

AVI files and raw H.264 or HEVC streams contain no presentation times, and program streams only
some.  FFmpeg replaces them with times that are in decoding order or repeated.  Only decoding
shows the true order, so these files are decoded once for their table; other files are not.
"""

from __future__ import annotations

from collections.abc import Sequence

import av

from surgqa.transforms.media.container import Packets, opened, picture_track
from surgqa.transforms.media.trust import Decoded, Decoder
from surgqa.transforms.media.vouched import bad_bytes
from surgqa.transforms.places import Place

TIMELESS = ("avi", "mpeg")
CHUNK = 8
"""Bytes before the data of an AVI's frame."""
REORDERING = ("h264", "hevc", "mpeg1video", "mpeg2video")


def untimed(container: av.container.InputContainer, stream: av.VideoStream) -> bool:
    """Return whether the packets' presentation times are missing or made up by FFmpeg."""
    names = container.format.name.split(",")
    codec = stream.codec_context.name
    if codec in names or "mpegvideo" in names:
        return True
    return codec in REORDERING and any(name in TIMELESS for name in names)


def index_times(container: av.container.InputContainer, stream: av.VideoStream) -> dict[int, int]:
    """Decoding times by position in the file, from an AVI's index.

    The result is empty for other files. It is also empty if the index and the header state
    different numbers of frames, because the index is then damaged or cut off.
    """
    if container.format.name != "avi":
        return {}
    times = {entry.pos + CHUNK: entry.timestamp for entry in stream.index_entries}
    return times if len(times) == stream.frames else {}


def presentation_order(path: Place, name: str, places: Sequence[int]) -> tuple[list[int], set[int]]:
    """Packet numbers in the order in which their frames are shown.

    Args:
        places: numbers of the packets that contain frames, in decoding order.

    Returns:
        The same numbers in presentation order, and those of damaged or lost frames.  A frame
        that cannot be decoded is placed before the first frame that was decoded after it.
    """
    decoded: list[Decoded] = []
    with opened(path, name) as container:
        stream = picture_track(container)
        decoder = Decoder(stream)
        wanted = set(places)
        for number, packet in enumerate(Packets(container, stream, bad=bad_bytes(path, container))):
            decoded += [d._replace(frame=None) for d in decoder.feed(packet, number)]
        decoded += [d._replace(frame=None) for d in decoder.drain()]
    shown = [d.when for d in decoded if d.when in wanted]
    lost = sorted(wanted - set(shown), reverse=True)
    harmed = {d.when for d in decoded if not d.trusted}.union(lost) & wanted
    out: list[int] = []
    for number in dict.fromkeys(shown):
        while lost and lost[-1] < number:
            out.append(lost.pop())
        out.append(number)
    return out + lost[::-1], harmed
