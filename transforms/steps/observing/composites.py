"""The composite Beam transforms of ``surgqa observe``, in the order in which they run."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import apache_beam as beam

from surgqa.transforms.steps.observing.assemble import assemble_video, plan_masks
from surgqa.transforms.steps.observing.pieces import do_piece, look_together
from surgqa.transforms.steps.observing.plan import plan_video
from surgqa.transforms.steps.observing.record import record_store
from surgqa.transforms.steps.observing.tasks import Info, ObserveSettings, ObserveTask, Piece
from surgqa.transforms.steps.pool import Spread, Together

TOGETHER = 16
"""Least number of videos in a group for :class:`LookTogether`; more could leave workers idle."""


class PlanPieces(beam.PTransform):
    """Open each video and return its pieces of work, distributed over the workers."""

    def __init__(self, settings: ObserveSettings, workers: int) -> None:
        super().__init__()
        self.settings, self.workers = settings, workers

    def expand(self, videos):
        return (
            videos
            | "Plan"
            >> beam.ParDo(Spread(plan_video, self.workers, self.settings)).with_output_types(Piece)
            | "Spread pieces" >> beam.Reshuffle()
        )


class LookAndListen(beam.PTransform):
    """Decode each piece (a range of frames or sound), run models on it, return its name."""

    def __init__(self, settings: ObserveSettings, workers: int) -> None:
        super().__init__()
        self.settings, self.workers = settings, workers

    def expand(self, pieces):
        return pieces | "Observe" >> beam.ParDo(Spread(do_piece, self.workers, self.settings))


class WaitFor(beam.PTransform):
    """Output given elements when the whole input is done; they are distributed over the workers."""

    def __init__(self, elements: Sequence[Any], of: type) -> None:
        super().__init__()
        self.elements, self.of = tuple(elements), of

    def expand(self, done):
        return (
            done
            | "All" >> Together()
            | "Each" >> beam.FlatMap(_all_of, self.elements).with_output_types(self.of)
            | "Spread" >> beam.Reshuffle()
        )


class LookTogether(beam.PTransform):
    """Run the frame models on short videos, several in one batch, after all longer pieces are done.

    The grouping of videos does not depend on the number of workers.
    """

    def __init__(
        self, settings: ObserveSettings, tasks: Sequence[ObserveTask], workers: int
    ) -> None:
        super().__init__()
        self.settings, self.tasks, self.workers = settings, tuple(tasks), workers

    def expand(self, done):
        each = max(TOGETHER, self.settings.batch)
        groups = [self.tasks[n : n + each] for n in range(0, len(self.tasks), each)]
        return (
            done
            | "Wait" >> WaitFor(groups, tuple)
            | "Look" >> beam.ParDo(Spread(look_together, self.workers, self.settings))
        )


class PlanMasks(beam.PTransform):
    """Link the boxes of each video after all models; return the windows of frames to segment."""

    def __init__(
        self, settings: ObserveSettings, tasks: Sequence[ObserveTask], workers: int
    ) -> None:
        super().__init__()
        self.settings, self.tasks, self.workers = settings, tuple(tasks), workers

    def expand(self, done):
        return (
            done
            | "Wait" >> WaitFor(self.tasks, ObserveTask)
            | "Link"
            >> beam.ParDo(Spread(plan_masks, self.workers, self.settings)).with_output_types(Piece)
            | "Spread windows" >> beam.Reshuffle()
        )


class AssembleVideos(beam.PTransform):
    """Make the evidence of each video once all windows are segmented."""

    def __init__(
        self, settings: ObserveSettings, tasks: Sequence[ObserveTask], workers: int
    ) -> None:
        super().__init__()
        self.settings, self.tasks, self.workers = settings, tuple(tasks), workers

    def expand(self, done):
        return (
            done
            | "Wait" >> WaitFor(self.tasks, ObserveTask)
            | "Assemble" >> beam.ParDo(Spread(assemble_video, self.workers, self.settings))
        )


class RecordStore(beam.PTransform):
    """Write the list of all videos in the store once each video's evidence is written."""

    def __init__(self, settings: ObserveSettings, tasks: Sequence[ObserveTask]) -> None:
        super().__init__()
        self.settings, self.tasks = settings, tuple(tasks)

    def expand(self, infos):
        return (
            infos
            | "All videos" >> Together()
            | "Record" >> beam.Map(_record, self.settings, self.tasks)
        )


def _all_of(done: list[str], elements: tuple[Any, ...]) -> Iterable[Any]:
    """Return ``elements``. Because ``done`` is an argument, Beam calls this after that work."""
    return elements


def _record(infos: list[Info], settings: ObserveSettings, tasks: tuple[ObserveTask, ...]) -> Info:
    return record_store(settings, tasks)
