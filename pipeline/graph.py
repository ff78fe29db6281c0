"""The diagram in code: from a list of videos to the files of a dataset."""

from __future__ import annotations

from collections.abc import Sequence

import apache_beam as beam

from pipeline.config import RunConfig
from transforms.steps.build import (
    AskAboutVideos,
    MergeParts,
    PlanFiles,
    RecordAccounts,
    WriteFiles,
)
from transforms.steps.tasks import AskSettings, VideoTask


def build_graph(
    pipeline: beam.Pipeline,
    videos: Sequence[VideoTask],
    settings: AskSettings,
    config: RunConfig,
    forgiven: int,
) -> None:
    """Lay out one build.

    Args:
        videos: what to ask about, planned beforehand.
        forgiven: failed videos with which the run still writes its output.
    """
    cap = config.balance.modal_cap if config.balance else None
    workers = config.workers
    (
        pipeline
        | "List videos" >> beam.Create(videos)
        | "Ask about videos" >> AskAboutVideos(settings, workers)
        | "Merge parts" >> MergeParts(settings, forgiven, workers)
        | "Plan files" >> PlanFiles(settings, config.formats, config.shard_rows, forgiven, cap)
        | "Write files" >> WriteFiles(settings.work, workers)
        | "Record accounts" >> RecordAccounts(settings.work)
    )
