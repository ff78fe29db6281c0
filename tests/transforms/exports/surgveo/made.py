"""A finished dataset of SurgVeo's items, made up, and recordings that go with it.

Every recording has two stages of 27 s, or one of 14 s; a sample begins 2 s into its stage.
"""

import json
from fractions import Fraction

import pyarrow as pa
import pyarrow.parquet as pq

from surgqa.ontology.continuations import LAPAROSCOPIC, LENGTH_US, NEUROSURGICAL, TRACKS
from surgqa.ontology.keys import digest
from surgqa.ontology.rows import FACTS, ITEM, SEGMENTS, VIDEOS
from surgqa.ontology.times import SECOND_US, us_to_frame
from surgqa.transforms.exports.surgveo.extension import LETTERS
from surgqa.transforms.exports.surgveo.samples import Continuation
from tests.transforms.media.conftest import write

PLAIN = {"preset": "ultrafast", "bf": "0", "g": "25"}
RATES = {"autolaparo": 25, "pitvis": 24}
TRACK_OF = {"autolaparo": LAPAROSCOPIC, "pitvis": NEUROSURGICAL}
LASTS_S = 27
TASK = "future/continuation"
ORDERS = ((1, 0, 2), (2, 0, 1))
"""Places of the pictures A, B and C in time."""
OTHERS = ("ABC", "ACB", "BAC", "BCA")


def begins(video):
    """The number that a recording's first picture carries: no two show the same."""
    return 2000 if video.endswith("02") else 0


def sample(dataset, video_id, k, fps=None):
    """The k-th stage's sample of a recording."""
    rate = Fraction(fps or RATES[dataset])
    track = TRACKS[TRACK_OF[dataset]]
    begin, key = LASTS_S * k, f"{dataset}/{video_id}"
    return Continuation(
        digest("item", key, track.stages[k], TASK), track.name, key, track.stages[k], rate,
        int((begin + 2) * rate), us_to_frame(LENGTH_US, rate), "surgveo.continuation",
        (begin * SECOND_US, (begin + LASTS_S) * SECOND_US),
    )  # fmt: skip


def fact_of(one):
    """The fact that its stage is in ``evidence/``."""
    dataset, video = one.video.split("/")
    start_us, end_us = one.interval
    return dict.fromkeys(FACTS.names) | {
        "dataset": dataset, "video_id": video, "kind": TRACKS[one.track].kind, "label": one.stage,
        "s_us": start_us, "e_us": end_us, "marks": [],
    }  # fmt: skip


def _row(one, task, kind, value, start_us=None, end_us=None, **more):
    dataset, video_id = one.video.split("/")
    name, args = next(iter(value)), {"answer": dict.fromkeys(value, kind)}
    at_us = end_us or one.start_us
    return dict.fromkeys(ITEM.names) | {
        "item_id": digest("item", one.video, one.stage, task), "benchmark": "surgveo",
        "task": task, "form": "choice", "template_id": f"surgveo.{task.rpartition('/')[2]}",
        "dataset": dataset, "video_id": video_id, "split": "train", "unit": "now", "rule": name,
        "rule_args": json.dumps(args), "answer_value": json.dumps(value), "slots": "{}",
        "procedure": TRACKS[one.track].procedure, "start_us": one.start_us, "end_us": at_us + 1,
        "query_us": at_us, "resolution_us": SECOND_US,
        "media": {"path": f"{video_id}.mp4", "kind": "video", "first": 0} | _rate(one, dataset),
        "rounds": [], "options": [], "temporal_mode": task.partition("/")[0],
        "task_mode": "single_turn", "label_source": "original_annotation",
        "licence": f"licence of {dataset}",
    } | more  # fmt: skip


def _rate(one, dataset):
    """Only a video that was read has a size, and states its own rate, not that of the labels."""
    read = one.fps != RATES[dataset]
    return {"fps_num": int(one.fps) if read else 1, "fps_den": 1, "width": 96 if read else None}


def _options(texts, right):
    found = [{"key": key, "text": text, "is_answer": text == right, "kind": ""}
             for key, text in zip(LETTERS, texts, strict=False)]  # fmt: skip
    return {"options": found, "answer_key": next(one["key"] for one in found if one["is_answer"])}


def rows_of(one):
    """The sample, and two of the questions beside it."""
    stages = TRACKS[one.track].stages
    begin = one.start_us
    yield _row(one, TASK, {"type": "stretch", "of": ""},
               {"reference": {"start": begin, "end": begin + LENGTH_US}}, form="continuation",
               question="Go on.", answer="the recording")  # fmt: skip
    yield _row(one, "present/stage_now", {"type": "label", "of": "phase"},
               {"here.label": one.stage}, question="Which stage is this?", answer=one.stage,
               **_options([*stages[2:5], one.stage], one.stage))  # fmt: skip
    order = [begin + s * SECOND_US for s in (1, 4, 7)]
    times = [order[k] for k in ORDERS[stages.index(one.stage) % len(ORDERS)]]
    right = "".join("ABC"[times.index(at)] for at in order)
    yield _row(one, "retrospective/frame_order", {"type": "sequence", "of": "instant"},
               {"order": order}, end_us=order[-1], question="In which order?", answer=right,
               slots=json.dumps({"shown_us": times}),
               **_options([right, *(o for o in OTHERS if o != right)], right))  # fmt: skip


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
    facts = pa.Table.from_pylist([fact_of(one) for one in samples], FACTS)
    pq.write_table(facts, folder / "evidence" / "facts.parquet")
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
        fps = rate or int(next(one.fps for one in samples if one.video == video))
        path = root / dataset / f"{video_id}.mp4"
        write(path, count=last * fps, rate=fps, options=PLAIN, first=begins(video))
    return root


def generated(folder, samples, count=None):
    """Videos that stand for a model's: black ones of another size."""
    from surgqa.ontology.continuations import PROMPTS

    folder.mkdir()
    for one in samples:
        for k, prompt in enumerate(PROMPTS):
            write(folder / f"{one.sample_id}.{prompt}.mp4", count=count or one.frames,
                  rate=int(one.fps), options=PLAIN, size=(96, 96), first=1000 + k)  # fmt: skip
    return folder
