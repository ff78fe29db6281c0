"""Packets as they are listed, with what their container leaves out."""

from __future__ import annotations

import av

from surgqa.transforms.media.reading import PacketList


def test_a_packet_without_length_and_position_is_listed_with_zeros():
    """A length of 0 is known as missing; one of 1 tick would move the end of the film."""
    found, packet = PacketList(), av.Packet(7)
    assert not packet.duration and packet.pos in (None, -1)
    packet.duration = None
    found.add(packet, 40, 3)
    assert (found.ticks, found.lengths, found.places) == ([40], [0], [3])
    assert found.decoding == [None]
