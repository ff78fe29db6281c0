"""A finished dataset of SurgVeo's items, made up, and recordings that go with it.

Every recording has two stages of 27 s, or one of 14 s; a sample begins 2 s into its stage.
"""

import json
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq

from ontology.continuations import LAPAROSCOPIC, NEUROSURGICAL, TRACKS
from ontology.keys import digest
from ontology.rows import ITEM, SEGMENTS, VIDEOS
from ontology.times import SECOND_US, frame_to_us
from tests.transforms.media.conftest import write
from transforms.exports.surgveo.continuations import Continuation, frame_count
from transforms.exports.surgveo.which_clip import LETTERS, frame_order

PLAIN = {"preset": "ultrafast", "bf": "0", "g": "25"}
RATES = {"autolaparo": 25, "pitvis": 24}
TRACK_OF = {"autolaparo": LAPAROSCOPIC, "pitvis": NEUROSURGICAL}
LASTS_S = 27


def begins(video):
    """The number that a recording's first picture carries: no two show the same."""
    return 2000 if video.endswith("02") else 0


def sample(dataset, video_id, k, fps=None):
    """The k-th stage's sample of a recording."""
    rate = Fraction(fps or RATES[dataset])
    track = TRACKS[TRACK_OF[dataset]]
    stage = track.stages[k]
    begin = LASTS_S * k
    return Continuation(
        digest("continuation", f"{dataset}/{video_id}", track.name, stage), track.name,
        f"{dataset}/{video_id}", stage, rate, int((begin + 2) * rate), frame_count(rate), "middle",
        (begin * SECOND_US, (begin + LASTS_S) * SECOND_US),
    )  # fmt: skip


def _row(one, task, **more):
    dataset, video_id = one.video.split("/")
    track = TRACKS[one.track]
    slots = {
        "about": {"kind": track.kind}, "track": one.track, "sample_id": one.sample_id,
        "frame": one.frame, "frames": one.frames, "fps": str(one.fps), "found_by": one.found_by,
        "interval": list(one.interval), **more.pop("slots", {}),
    }  # fmt: skip
    row = dict.fromkeys(ITEM.names)
    return row | {
        "item_id": digest("item", one.sample_id, task), "benchmark": "surgveo", "task": task,
        "form": "choice", "template_id": f"surgveo.{task.rpartition('/')[2]}",
        "dataset": dataset, "video_id": video_id, "split": "train",
        "procedure": track.procedure, "start_us": one.start_us, "end_us": one.start_us,
        "query_us": one.start_us,
        "media": {"path": f"{video_id}.mp4", "kind": "video", "fps_num": 1, "fps_den": 1,
                  "first": 0},
        "rounds": [], "options": [], "temporal_mode": task.partition("/")[0],
        "task_mode": "single_turn", "label_source": "original_annotation",
        "licence": f"licence of {dataset}",
    } | {"slots": json.dumps(slots)} | more  # fmt: skip


def _options(texts, right):
    found = [{"key": key, "text": text, "is_answer": text == right, "kind": ""}
             for key, text in zip(LETTERS, texts, strict=False)]  # fmt: skip
    return {"options": found, "answer_key": next(one["key"] for one in found if one["is_answer"])}


def rows_of(one):
    """The sample, and two of the questions beside it."""
    stages = TRACKS[one.track].stages
    yield _row(one, "future/continuation", form="continuation", question="Go on.",
               answer="the recording", slots={"stage": one.stage},
               answer_value=json.dumps({"stage": one.stage}))  # fmt: skip
    yield _row(one, "present/stage_now", question="Which stage is this?", answer=one.stage,
               answer_value=json.dumps({"label": one.stage}),
               **_options([*stages[2:5], one.stage], one.stage))  # fmt: skip
    item = frame_order(one)
    times = [frame_to_us(shown.frame, one.fps) for shown in item.shown]
    right = next(c.value for c in item.choices if c.key == item.answer)
    yield _row(one, "retrospective/frame_order", question="In which order?", answer=right,
               query_us=max(times), start_us=min(times), end_us=max(times),
               slots={"shown_us": times}, answer_value=json.dumps({"order": list(right)}),
               **_options([c.value for c in item.choices], right))  # fmt: skip


def finished(folder, samples, hidden=(), tasks=None):
    """A folder as a build leaves it, with the rows of these samples.

    Args:
        hidden: (dataset, video id, start, end) in seconds.
        tasks: only rows of these.
    """
    (folder / "data" / "surgveo").mkdir(parents=True)
    (folder / "evidence").mkdir()
    rows = [row for one in samples for row in rows_of(one) if not tasks or row["task"] in tasks]
    path = folder / "data" / "surgveo" / "train-00000-of-00001.parquet"
    pq.write_table(pa.Table.from_pylist(rows, ITEM), path)
    dark = [{"dataset": d, "video_id": v, "segment_id": f"h{k}", "kind": "event",
             "label": "out_of_body", "start_us": a * SECOND_US, "end_us": b * SECOND_US}
            for k, (d, v, a, b) in enumerate(hidden)]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(dark, SEGMENTS), folder / "evidence" / "segments.parquet")
    videos = [{"dataset": d, "video_id": v, "clock": "time", "period_us": SECOND_US}
              for d, v in sorted({tuple(one.video.split("/")) for one in samples})]  # fmt: skip
    pq.write_table(pa.Table.from_pylist(videos, VIDEOS), folder / "evidence" / "videos.parquet")
    (folder / "manifest.json").write_text('{"digest": "d"}', encoding="utf-8")
    return folder


def recordings(root, samples, rate=None):
    """A film for every recording: picture k carries the number begins(recording) + k."""
    for video in sorted({one.video for one in samples}):
        dataset, video_id = video.split("/")
        last = max(one.interval[1] for one in samples if one.video == video) // SECOND_US
        (root / dataset).mkdir(parents=True, exist_ok=True)
        fps = rate or RATES[dataset]
        path = root / dataset / f"{video_id}.mp4"
        write(path, count=last * fps, rate=fps, options=PLAIN, first=begins(video))
    return root


def generated(folder, samples, count=None):
    """Videos that stand for a model's: black ones of another size."""
    from ontology.continuations import PROMPTS

    folder.mkdir()
    for one in samples:
        for k, prompt in enumerate(PROMPTS):
            write(folder / f"{one.sample_id}.{prompt}.mp4", count=count or one.frames,
                  rate=int(one.fps), options=PLAIN, size=(96, 96), first=1000 + k)  # fmt: skip
    return folder
