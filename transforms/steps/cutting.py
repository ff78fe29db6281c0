"""Cut clips and frames as a Beam step: pieces of work, distributed over the workers."""

from __future__ import annotations

import apache_beam as beam

from surgqa.transforms.media.cutting import CutStore
from surgqa.transforms.steps.cut_piece import cut_piece
from surgqa.transforms.steps.pool import Spread


class CutPieces(beam.PTransform):
    """Cut the clips and frames that are not in the store yet; return the names of result files."""

    def __init__(self, store: CutStore, workers: int) -> None:
        super().__init__()
        self.store, self.workers = store, workers

    def expand(self, pieces):
        return (
            pieces
            | "Spread" >> beam.Reshuffle()
            | "Cut" >> beam.ParDo(Spread(cut_piece, self.workers, self.store))
        )
