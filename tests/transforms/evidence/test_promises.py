"""Pictures that the contract of extractors draws."""

from __future__ import annotations

import numpy as np

from surgqa.transforms.evidence.promises import HEIGHT, WIDTH, _drawn


def test_drawn_pictures_are_plain_sloping_squared_and_a_disc():
    pictures = _drawn()
    assert all(one.shape == (HEIGHT, WIDTH, 3) and one.dtype == np.uint8 for one in pictures)
    assert all((one == one[:, :, :1]).all() for one in pictures)
    black, white, slope, squares, disc = (one[:, :, 0] for one in pictures)
    assert not black.any() and (white == 255).all()
    assert set(slope.ravel().tolist()) == set(range(256))
    assert (np.diff(slope.astype(int), axis=1) >= 0).all()
    assert (squares[:16, :16] == 0).all() and (squares[:16, 16:32] == 255).all()
    assert (squares[16:32, :16] == 255).all() and squares.mean() == 127.5
    assert set(disc.ravel().tolist()) == {0, 240} and disc[30, 60] == 240
    assert abs((disc > 0).sum() - np.pi * 400) < 20
