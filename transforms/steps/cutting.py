"""Cutting clips and pictures as a step: pieces of work, spread over the workers."""

from __future__ import annotations

import apache_beam as beam

from transforms.labelling.pictures import cleaner
from transforms.media.cutting import Piece, Store, do_piece
from transforms.steps.pool import Spread


def cut_piece(piece: Piece, store: Store) -> str:
    """Cut what is not in the store yet, with faces and texts hidden where the store says so.

    Returns:
        The name of the outcome's file.

    Raises:
        SourceMissing: what finds faces and texts is not installed.
    """
    if not store.hides(piece.recording.dataset):
        return do_piece(piece, store)
    clean = cleaner(True)
    return do_piece(piece, store, lambda picture: clean(picture)[0])


class CutPieces(beam.PTransform):
    """Cut what is not in the store yet; gives the names of the outcomes."""

    def __init__(self, store: Store, workers: int) -> None:
        super().__init__()
        self.store, self.workers = store, workers

    def expand(self, pieces):
        return (
            pieces
            | "Spread" >> beam.Reshuffle()
            | "Cut" >> beam.ParDo(Spread(cut_piece, self.workers, self.store))
        )


def import_cutting() -> None:
    """Import what a worker needs for it."""
    import transforms.media.cutting  # noqa: F401
