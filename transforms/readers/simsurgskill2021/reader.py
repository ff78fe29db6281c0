"""Read SimSurgSkill 2021: boxes at every second and skill metrics.

The id of a video is the official part and the number of the case, such as ``train_v1_000001``."""

from __future__ import annotations

import re
from fractions import Fraction
from functools import partial

from surgqa.ontology.concepts import label_map
from surgqa.ontology.records import Code, VideoEvidence
from surgqa.ontology.times import SECOND_US
from surgqa.transforms.readers.base import Ledger, parsed_once, read_json
from surgqa.transforms.readers.base import Reader as BaseReader
from surgqa.transforms.readers.base.whole_frames import WholeFrames
from surgqa.transforms.readers.simsurgskill2021 import rows

PARTS = {"test": ("test/",), "train_v1": ("train_v1/", "Release_v1/"), "train_v2": ("train_v2/",)}
ABOVE = ("", "simsurgskill_2021_dataset/")
BOXES, METRICS = "annotations/bounding_box_gt", "annotations/skill_metric_gt.csv"


class Reader(BaseReader):
    """Reader of SimSurgSkill 2021; the folder may hold only some of its videos."""

    name = "simsurgskill2021"
    version = 1
    replayable = True
    label_kinds = ("count",)
    region_kinds = ("structure",)

    def found(self) -> list[str]:
        """Return the videos that have a file of boxes."""
        return sorted(self._files())

    def missing(self) -> list[str]:
        """Return missing files, including boxes of cases that a table of metrics lists."""
        files, out = self._files(), set(super().missing())
        for part, table in ((p, table) for p in PARTS for table in self._metrics(p)):
            boxes = table.replace(METRICS, BOXES)
            cases = [f"{case:06d}" for case in parsed_once(*self._source(table), rows.metrics_of)]
            out |= {f"{boxes}/caseid_{c}_fps1.json" for c in cases if f"{part}_{c}" not in files}
        return sorted(out)

    def read(self, video_id: str) -> VideoEvidence:
        """Return the evidence of one video."""
        part, _, case = video_id.rpartition("_")
        name = self._files().get(video_id, f"{part}/{BOXES}/caseid_{case}_fps1.json")
        data, source = self._source(name)
        ledger = Ledger(f"{self.name}/{video_id}", "labels")
        known = label_map(self.card.label_map)
        entries, frames = read_json(data, name).data, WholeFrames(ledger)
        for number, (key, entry) in enumerate(entries.items()):
            frame, where = rows.frame_of(entry), f"{name} {key!r:.20}"
            if frame is None:
                ledger.reject((1, number), Code.BAD_FRAME, "frame_id is not 1, 2, 3, …", where)
            else:
                frames.add(frame, (1, number), where, partial(rows.box_of, entry, known))
        pointer = f"frame {{frame}} of {video_id} counted from 0, box {{row}} of the frame"
        kinds = {kind: sorted({*known[kind].values()}) for kind in rows.KINDS}
        tables, kept = frames.close(kinds, Fraction(1), pointer)
        drivers, regions = tables["instrument"], {"structure": tables["structure"]}
        metrics = [self._source(table) for table in self._metrics(part)]
        labels, cells = rows.counts_of(metrics, int(case), known["count"], ledger)
        folder = name.partition("annotations/")[0]
        films = (f"fps1/caseid_{case}_fps1", f"fps1/caseid_{case}_fp1", f"fps30/caseid_{case}")
        film = self._recording(*(f"{folder}videos/{film}.mp4" for film in films), probed=True)
        end = int(drivers.instants_us.max(initial=0)) + SECOND_US
        video = self._record(
            video_id, [source, *(found for _, found in metrics)], fps=Fraction(1),
            duration_us=max(film.duration_us or 0, end),
            media=film.media, vocabulary=drivers.labels, split_group=f"{self.name}/{case}",
        )  # fmt: skip
        books = (ledger.books(len(entries) + cells, kept + len(labels)),)
        return VideoEvidence(video, drivers, (), ledger.entries(), books, labels, regions)

    def _files(self) -> dict[str, str]:
        """Return, for each video, its file of boxes."""
        out: dict[str, str] = {}
        for part, folder in ((p, a + f) for p in PARTS for f in PARTS[p] for a in ABOVE):
            for file in self._names(f"{folder}{BOXES}"):
                match = re.fullmatch(r"caseid_(\d{1,9})(\D.*)?\.json", file)
                if match:
                    out.setdefault(f"{part}_{int(match[1]):06d}", f"{folder}{BOXES}/{file}")
        return out

    def _metrics(self, part: str) -> list[str]:
        """Return the path of a part's table of metrics as a list, empty if there is no table."""
        names = [f"{a}{f}{METRICS}" for f in PARTS.get(part, ()) for a in ABOVE]
        return [n for n in names if n.split("/")[-1] in self._names(n.rpartition("/")[0])][:1]
