"""The Beam graphs: from a list of videos to the files of a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import apache_beam as beam

from surgqa.pipeline.config import RunConfig
from surgqa.pipeline.engines.dataflow import accelerated
from surgqa.transforms.steps.build import (
    AskAboutVideos,
    MergeParts,
    PlanFiles,
    RecordAccounts,
    WriteFiles,
)
from surgqa.transforms.steps.tasks import AskSettings, VideoTask

if TYPE_CHECKING:
    from surgqa.transforms.media.cutting import CutRequests, CutStore
    from surgqa.transforms.steps.observing.tasks import ObserveSettings, ObserveTask


def build_graph(
    pipeline: beam.Pipeline,
    videos: Sequence[tuple[VideoTask, ...]],
    settings: AskSettings,
    config: RunConfig,
    forgiven: int,
) -> None:
    """Add the steps of one build to a pipeline.

    Args:
        videos: the planned videos; one element is a few videos or a piece of one.
        forgiven: number of failed videos up to which the run still writes its output.
    """
    workers, divided = config.workers, videos[0][0].pieces > 1
    (
        pipeline
        | "List videos" >> beam.Create(videos)
        | "Ask about videos" >> AskAboutVideos(settings, workers, divided)
        | "Merge parts" >> MergeParts(settings, forgiven, workers)
        | "Plan files"
        >> PlanFiles(settings, config.formats, config.shard_rows, forgiven, config.chooser)
        | "Write files" >> WriteFiles(settings.work, workers)
        | "Record accounts" >> RecordAccounts(settings.work)
    )


def observe_graph(
    pipeline: beam.Pipeline,
    videos: Sequence[ObserveTask],
    settings: ObserveSettings,
    workers: int,
    accelerator: str | None,
) -> None:
    """Add the steps of one observation to a pipeline: from videos to an evidence store.

    Args:
        videos: the videos that are not in the store yet.
        accelerator: resource that the steps with models request, on engines that support this.
    """
    # Imported here, because a build needs none of these modules.
    from surgqa.transforms.steps.observing.composites import (
        AssembleVideos,
        LookAndListen,
        LookTogether,
        PlanMasks,
        PlanPieces,
        RecordStore,
    )

    looked = (
        pipeline
        | "List media" >> beam.Create(videos)
        | "Plan pieces" >> PlanPieces(settings, workers)
        | "Look and listen" >> accelerated(LookAndListen(settings, workers), accelerator)
    )
    if settings.fills:
        together = LookTogether(settings, videos, workers)
        looked = looked | "Look together" >> accelerated(together, accelerator)
    (
        looked
        | "Plan masks" >> PlanMasks(settings, videos, workers)
        | "Segment" >> accelerated(LookAndListen(settings, workers), accelerator)
        | "Assemble videos" >> AssembleVideos(settings, videos, workers)
        | "Record store" >> RecordStore(settings, videos)
    )


def cut_graph(
    pipeline: beam.Pipeline, pieces: Sequence[CutRequests], store: CutStore, workers: int
) -> None:
    """Add the steps that cut clips and frames into a store.

    Args:
        pieces: requests, grouped by video.
    """
    from surgqa.transforms.steps.cutting import CutPieces

    _ = pipeline | "List pieces" >> beam.Create(pieces) | "Cut pieces" >> CutPieces(store, workers)
