"""Read JIGSAWS: one table per task with all its trials, one transcription of gestures per trial.

Two cameras record a trial.  The trial is one video, and the left camera's file is shown.
"""

from __future__ import annotations

from ontology.concepts import label_map
from ontology.errors import SourceMissing
from ontology.records import Clock, VideoEvidence
from ontology.times import period_us
from transforms.readers.base import Ledger, parsed_once
from transforms.readers.base import Reader as BaseReader
from transforms.readers.jigsaws.trials import FPS, LABELS_A_ROW, labels_of, segments_of, trials_of

TASKS = {
    "Knot_Tying": "knot tying on a bench model",
    "Needle_Passing": "needle passing on a bench model",
    "Suturing": "suturing on a bench model",
}


class Reader(BaseReader):
    """Reader of JIGSAWS; the dataset may be incomplete."""

    name = "jigsaws"
    version = 1
    replayable = True
    span_kinds = ("gesture",)
    label_kinds = ("experience", "rating")

    def found(self) -> list[str]:
        """Trials of the meta files whose transcription exists."""
        out = []
        for task, folder in self._folders().items():
            there = self._names(f"{folder}transcriptions")
            trials = parsed_once(*self._source(_meta(folder, task)), trials_of)
            out += [trial for trial in trials if f"{trial}.txt" in there]
        return sorted(out)

    def missing(self) -> list[str]:
        """Meta files and transcriptions that do not exist."""
        folders, found = self._folders(), self.found()
        metas = [_meta(f"{task}/", task) for task in TASKS if task not in folders]
        trials = [trial for trial in self.files.video_ids if trial not in found]
        return sorted([*metas, *(f"{_task(t)}/transcriptions/{t}.txt" for t in trials)])

    def read(self, video_id: str) -> VideoEvidence:
        """The evidence of one trial."""
        task = _task(video_id)
        folder = self._folders().get(task, f"{task}/")
        data, meta = self._source(_meta(folder, task))
        row = parsed_once(data, meta, trials_of).get(video_id)
        if row is None:
            raise SourceMissing(f"{meta.path} has no row for {video_id}", expected=video_id,
                                where=f"{meta.path}:1", fix=self.card.how_to_get)  # fmt: skip
        text, source = self._source(f"{folder}transcriptions/{video_id}.txt")
        film = self._recording(
            *(f"{folder}video/{video_id}_capture{camera}.avi" for camera in (1, 2)), probed=True
        )
        ledger = Ledger(f"{self.name}/{video_id}", "labels")
        known = label_map(self.card.label_map)
        spans, read = segments_of(text, source.path, known, film.duration_us, ledger)
        labels = labels_of(row, meta, known, ledger)
        # Without its video file, a trial ends where its gestures end.
        length = film.duration_us or max((span.end_us for span in spans), default=0)
        clock = Clock.TIME if length else Clock.WHOLE
        video = self._record(
            video_id, [meta, source], fps=FPS, duration_us=length or period_us(FPS), clock=clock,
            media=film.media, procedure=TASKS[task], split_group=f"{self.name}/{video_id[-4]}",
        )  # fmt: skip
        books = (ledger.books(read + LABELS_A_ROW, len(spans) + len(labels)),)
        return VideoEvidence(video, None, spans, ledger.entries(), books, labels)

    def _folders(self) -> dict[str, str]:
        """Task -> its folder; an unpacked archive contains the task's name once or twice."""
        places = [
            (task, folder) for task in TASKS for folder in ("", f"{task}/{task}/", f"{task}/")
        ]
        return {t: f for t, f in places if f"meta_file_{t}.txt" in self._names(f.rstrip("/"))}


def _meta(folder: str, task: str) -> str:
    return f"{folder}meta_file_{task}.txt"


def _task(trial: str) -> str:
    return next((task for task in TASKS if trial.startswith(f"{task}_")), next(iter(TASKS)))
