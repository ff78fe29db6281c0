"""Cut clips and frames as a Beam step: pieces of work, distributed over the workers."""

from __future__ import annotations

import apache_beam as beam

from surgqa.transforms.media.cutting import CutStore
from surgqa.transforms.steps.cut_piece import cut_piece
from surgqa.transforms.steps.pool import Spread


@beam.ptransform_fn
def CutPieces(pieces, store: CutStore, workers: int):
    """Cut the clips and frames that are not in the store yet; return the names of result files."""
    cutting = beam.ParDo(Spread(cut_piece, workers, store))
    return pieces | "Spread" >> beam.Reshuffle() | "Cut" >> cutting
