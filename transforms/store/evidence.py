"""Read the evidence store that ``surgqa observe`` writes: one folder per video.

::

    STORE/
      store.json                      what was observed, with which models and settings
      videos/<video_id>/video.json    medium, facts and row counts of one video
      videos/<video_id>/<kind>.parquet
      dropped/<video_id>.json         why curation excludes a video
      duplicates.parquet              pairs of videos that show the same recording
      rejected/observe.jsonl          what could not be read or was not trusted, if anything
      raw/<extractor>/<key>.arrow     output of each model, kept for the next run, with its
                                      facts (.json) and the digests of both files (.seal)
      layers/                         people's corrections (see transforms.labelling)
      local.json                      folders of the media on this machine; not in the digest

A store contains one dataset; user-supplied videos are the dataset ``observed``.
"""

from __future__ import annotations

from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.errors import NotADataset, OutputBroken
from surgqa.ontology.files import listed
from surgqa.ontology.observed import KINDS, TRANSIENT
from surgqa.transforms.places import Place, below, place
from surgqa.transforms.store.folder import readable

SCHEMA = "surgqa/evidence-v1"
STORE, LOCAL, VIDEO, DROPPED = "store.json", "local.json", "video.json", "dropped"


def stored_schema(kind: str) -> pa.Schema:
    """Return the schema of a stored kind of evidence, without columns that only linking needs."""
    return pa.schema([field for field in KINDS[kind] if field.name not in TRANSIENT])


class EvidenceStore:
    """A store that ``surgqa observe`` wrote.

    Args:
        path: the store's folder, local or in remote storage.
        record: contents of ``store.json``, if the store is still being written.

    Raises:
        OutputBroken: there is no store in the folder, or ``store.json`` cannot be read.
    """

    def __init__(self, path: Place | str, record: dict[str, Any] | None = None) -> None:
        self.path = place(path)
        self.record: dict[str, Any] = self._recorded() if record is None else record

    def _recorded(self) -> dict[str, Any]:
        record = self.path / STORE
        if not record.is_file():
            raise NotADataset(
                f"{self.path} is not an evidence store",
                expected=STORE,
                found="no such file",
                where=str(self.path),
                fix="name the folder given to 'surgqa observe --out', or run it again",
            )
        return _json(record)

    @property
    def dataset(self) -> str:
        """The dataset whose videos were observed."""
        return self.record["dataset"]

    def videos(self) -> list[str]:
        """Return the ids of the videos with evidence, sorted."""
        return video_ids(self.path)

    def facts(self, video_id: str) -> dict[str, Any]:
        """Return the contents of ``video.json``: file, facts, models that were run, row counts.

        Raises:
            OutputBroken: the store has no such video.
        """
        return _json(video_folder(self.path, video_id) / VIDEO)

    def medium(self, video_id: str) -> str:
        """Return the SHA-256 of the content of a video's file, or of its folder of frames."""
        return self.facts(video_id)["medium"]["sha256"]

    def root(self, video_id: str) -> str | None:
        """Return the folder that a video's path is relative to, on the machine that observed it."""
        local = self.path / LOCAL
        return _json(local)["roots"].get(video_id) if local.is_file() else None

    def table(self, video_id: str, kind: str) -> pa.Table:
        """Return one kind of evidence of one video; empty if no model for this kind was run."""
        path = video_folder(self.path, video_id) / f"{kind}.parquet"
        if not path.is_file():
            return stored_schema(kind).empty_table()
        return pq.read_table(readable(path))


def video_folder(store: Place, video_id: str) -> Place:
    """Return the folder with the evidence of one video."""
    return below(store, f"videos/{video_id}")


def video_ids(store: Place) -> list[str]:
    """Return the ids of the videos with complete evidence, sorted."""
    videos = store / "videos"
    if not videos.is_dir():
        return []
    return [folder.name for folder in listed(videos) if (folder / VIDEO).is_file()]


def _json(path: Place) -> dict[str, Any]:
    try:
        return orjson.loads(path.read_bytes())
    except FileNotFoundError:
        raise OutputBroken(f"{path.name} is missing", where=str(path)) from None
    except orjson.JSONDecodeError as error:
        raise OutputBroken(f"{path.name} is not JSON", found=str(error), where=str(path)) from None
