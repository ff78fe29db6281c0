"""Compute all derived rows of one video from its observed evidence."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby

import pyarrow as pa

from surgqa.ontology.observed import KINDS
from surgqa.transforms.evidence.derive.camera import camera_moves
from surgqa.transforms.evidence.derive.contact import contact_rows, contacts, onsets, switches
from surgqa.transforms.evidence.derive.cues import approaches, intents, positioned
from surgqa.transforms.evidence.derive.hierarchy import candidates, phrases, segments
from surgqa.transforms.evidence.derive.motion import motion_of, peaks, stops
from surgqa.transforms.evidence.derive.pairs import pairs_of
from surgqa.transforms.evidence.derive.presence import presences
from surgqa.transforms.evidence.derive.rows import Happening, happenings_table, stretches_table
from surgqa.transforms.evidence.derive.settings import DeriveSettings
from surgqa.transforms.evidence.derive.shots import changes_of_picture, shots
from surgqa.transforms.evidence.derive.tissue import tissue_rows
from surgqa.transforms.evidence.derive.tracks import INSTRUMENT, TISSUE, grid_of, tracks_of


def derive(
    tables: Mapping[str, pa.Table], duration_us: int, settings: DeriveSettings
) -> dict[str, pa.Table]:
    """Return happenings and stretches of one video.

    Args:
        tables: tables by the names of :data:`ontology.observed.KINDS`, without kinds that were not
            observed. Boxes are linked. If frames have no thumbnails and histograms, ``luma_step``
            and ``colour_step`` must be filled in, and fades are not found.
        duration_us: end of the last frame.
        settings: the limits.

    Returns:
        The tables ``happenings`` and ``stretches``, with only the rows found here: the caller adds
        those of other packages.
    """
    whole = {name: tables.get(name, schema.empty_table()) for name, schema in KINDS.items()}
    pictured = changes_of_picture(whole["frames"], settings.shots)
    found = [*pictured, *_moved(whole, settings), *intents(whole["anchors"], settings.cues)]
    spoken = phrases(whole["anchors"], settings.hierarchy)
    stretches = [
        *shots(pictured, duration_us),
        *segments(candidates(found, spoken), spoken, duration_us, settings.hierarchy),
    ]
    return {"happenings": happenings_table(found), "stretches": stretches_table(stretches)}


def _moved(tables: Mapping[str, pa.Table], settings: DeriveSettings) -> Iterator[Happening]:
    """Yield happenings of tools, tissues and the camera."""
    grid, tracks = grid_of(tables), tracks_of(tables["boxes"])
    tools = [t for t in tracks if t.kind == INSTRUMENT]
    tissues = [t for t in tracks if t.kind == TISSUE]
    period, masks = grid.period_us, tables["masks"]
    motions = {t.number: motion_of(t, masks, period, settings.motion) for t in tools}
    for tool in tools:
        yield from peaks(tool, motions[tool.number], settings.motion)
        yield from stops(tool, motions[tool.number], period, settings.motion)
    yield from presences(tools, grid, settings.presence)
    yield from camera_moves(tracks, period, settings.motion, settings.cues)
    for tissue in tissues:
        yield from tissue_rows(tissue, tools, motions, period, settings.tissue)
    pairs = pairs_of(tools, tissues, motions, masks, period, settings)
    for _, own in groupby(pairs, key=lambda pair: pair.tool.number):
        of_tool = list(own)
        found = [contacts(pair, settings.contact) for pair in of_tool]
        yield from switches(of_tool, found, settings.contact)
        for pair, of_pair in zip(of_tool, found, strict=True):
            yield from contact_rows(pair, of_pair, settings.contact)
            yield from onsets(pair, of_pair, settings)
            yield from approaches(pair, settings.contact, settings.cues)
            yield from positioned(pair, settings)
