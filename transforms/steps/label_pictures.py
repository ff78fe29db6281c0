"""Write the frames that people will label: decoded, blurred, and saved by several processes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from surgqa.transforms.labelling.pictures import Cleaner, cleaner, write_pictures
from surgqa.transforms.labelling.sheet import SheetFrame
from surgqa.transforms.labelling.view import StoreView
from surgqa.transforms.steps.workers import close_pools, dead_worker_as_error, submit, warm_up

FRAMES = 4
"""Number of frames that a worker writes at a time; a labelling round has some dozens."""


@dataclass(frozen=True)
class Workers:
    """Callable that writes frames like :func:`write_pictures`, with several processes.

    Attributes:
        number: number of processes.
        store: folder of the store that contains the frames.
        blur: True to hide faces and texts.
    """

    number: int
    store: Path
    blur: bool

    def __call__(
        self, view: StoreView, frames: Iterable[SheetFrame], folder: Path, clean: Cleaner
    ) -> int:
        """Write every frame; return the number of blurred regions.

        Raises:
            UserError: a frame cannot be read, or a worker process died.
        """
        if self.number == 1:
            return write_pictures(view, frames, folder, clean)
        ordered = sorted(frames, key=lambda one: (one.video_id, one.time_us))
        parts = [tuple(ordered[n : n + FRAMES]) for n in range(0, len(ordered), FRAMES)]
        try:
            warm_up(self.number, imports=_imported)
            asked = str(self.store), str(folder), self.blur
            waiting = [submit(self.number, write_part, part, *asked) for part in parts]
            with dead_worker_as_error():
                return sum(one.result() for one in waiting)
        except BaseException:
            close_pools(now=True)
            raise
        finally:
            close_pools()


def write_part(frames: Sequence[SheetFrame], store: str, folder: str, blur: bool) -> int:
    """Write some of the frames on a worker."""
    return write_pictures(_view(store), frames, Path(folder), _clean(blur))


_view, _clean = cache(StoreView), cache(cleaner)


def _imported() -> None:
    """Do nothing; importing this module has imported what a worker needs."""
