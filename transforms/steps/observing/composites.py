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
"""Least number of videos in a group for :func:`LookTogether`; more could leave workers idle."""


@beam.ptransform_fn
def PlanPieces(videos, settings: ObserveSettings, workers: int):
    """Open each video and return its pieces of work, distributed over the workers."""
    planning = beam.ParDo(Spread(plan_video, workers, settings)).with_output_types(Piece)
    return videos | "Plan" >> planning | "Spread pieces" >> beam.Reshuffle()


@beam.ptransform_fn
def LookAndListen(pieces, settings: ObserveSettings, workers: int):
    """Decode each piece (a range of frames or sound), run models on it, return its name."""
    return pieces | "Observe" >> beam.ParDo(Spread(do_piece, workers, settings))


@beam.ptransform_fn
def WaitFor(done, elements: Sequence[Any], of: type):
    """Output given elements when the whole input is done; they are distributed over the workers."""
    return (
        done
        | "All" >> Together()
        | "Each" >> beam.FlatMap(_all_of, tuple(elements)).with_output_types(of)
        | "Spread" >> beam.Reshuffle()
    )


@beam.ptransform_fn
def LookTogether(done, settings: ObserveSettings, tasks: Sequence[ObserveTask], workers: int):
    """Run the frame models on short videos, several in one batch, after all longer pieces are done.

    The grouping of videos does not depend on the number of workers.
    """
    each = max(TOGETHER, settings.batch)
    groups = [tuple(tasks[n : n + each]) for n in range(0, len(tasks), each)]
    looking = beam.ParDo(Spread(look_together, workers, settings))
    return done | "Wait" >> WaitFor(groups, tuple) | "Look" >> looking


@beam.ptransform_fn
def PlanMasks(done, settings: ObserveSettings, tasks: Sequence[ObserveTask], workers: int):
    """Link the boxes of each video after all models; return the windows of frames to segment."""
    linking = beam.ParDo(Spread(plan_masks, workers, settings)).with_output_types(Piece)
    return (
        done
        | "Wait" >> WaitFor(tasks, ObserveTask)
        | "Link" >> linking
        | "Spread windows" >> beam.Reshuffle()
    )


@beam.ptransform_fn
def AssembleVideos(done, settings: ObserveSettings, tasks: Sequence[ObserveTask], workers: int):
    """Make the evidence of each video once all windows are segmented."""
    assembling = beam.ParDo(Spread(assemble_video, workers, settings))
    return done | "Wait" >> WaitFor(tasks, ObserveTask) | "Assemble" >> assembling


@beam.ptransform_fn
def RecordStore(infos, settings: ObserveSettings, tasks: Sequence[ObserveTask]):
    """Write the list of all videos in the store once each video's evidence is written."""
    return (
        infos | "All videos" >> Together() | "Record" >> beam.Map(_record, settings, tuple(tasks))
    )


def _all_of(done: list[str], elements: tuple[Any, ...]) -> Iterable[Any]:
    """Return ``elements``. Because ``done`` is an argument, Beam calls this after that work."""
    return elements


def _record(infos: list[Info], settings: ObserveSettings, tasks: tuple[ObserveTask, ...]) -> Info:
    return record_store(settings, tasks)
