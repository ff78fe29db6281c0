"""What a worker does to cut a piece of a recording, without Beam, which workers do not need."""

from __future__ import annotations

from transforms.labelling.pictures import cleaner
from transforms.media.cutting import Piece, Store, do_piece


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


def import_cutting() -> None:
    """Import what a worker needs for it, which importing this module did."""
