"""The composites that observing is made of, one verb each."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import apache_beam as beam

from transforms.steps.observing.assemble import assemble_video, plan_masks
from transforms.steps.observing.pieces import do_piece, look_together
from transforms.steps.observing.plan import plan_video
from transforms.steps.observing.record import record_store
from transforms.steps.observing.tasks import Info, ObserveSettings, ObserveTask, Piece
from transforms.steps.pool import Spread, Together

TOGETHER = 16
"""Videos that one worker looks through for short ones, at least: some must be left for others."""


class PlanPieces(beam.PTransform):
    """Open each video and give the pieces of work on it, spread over the workers."""

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
    """Decode once and hand pictures and sound to the models; gives the names of the pieces."""

    def __init__(self, settings: ObserveSettings, workers: int) -> None:
        super().__init__()
        self.settings, self.workers = settings, workers

    def expand(self, pieces):
        return pieces | "Observe" >> beam.ParDo(Spread(do_piece, self.workers, self.settings))


class WaitFor(beam.PTransform):
    """Elements that are known beforehand, when all that comes before is done; spread over the
    workers."""

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
    """Look at short videos when all longer pieces are done, several at once.

    Which ones go together does not depend on the number of workers.
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
    """Link boxes when all pieces are done, and give the windows to segment."""

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
    """Put each video's evidence together when all windows are done."""

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
    """Write the store's record when all videos are in it."""

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
    """The elements; that ``done`` is here says that what comes before is over."""
    return elements


def _record(infos: list[Info], settings: ObserveSettings, tasks: tuple[ObserveTask, ...]) -> Info:
    return record_store(settings, tasks)
