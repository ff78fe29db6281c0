"""Generate the same dataset without surgqa, as a competent user would write it by hand today.

    python -m benchmarks.plain_script LABELS OUT [--profile paper|current] [--seed 42]

The script parses label files in CholecT50's format, links instruments, cuts clips and asks the
questions of SurgSTU: for each template and clip, it draws and checks, a limited number of times.
It writes JSON Lines, Parquet, evidence tables, counts of rejects and digests.  It uses one process,
one seeded generator, json, loops, dicts, str.format, and pandas for Parquet, with everything in
memory at the end.  It is neither tuned nor slowed down.

It lacks the main features of surgqa: answers are not recomputed, the questions about a video depend
on all videos before it, and nothing streams.
"""

import argparse
import hashlib
import json
import random
import time
from collections import Counter
from pathlib import Path

import pandas as pd

from benchmarks import plain_later, plain_questions, plain_relations
from benchmarks.plain_clips import PERIOD, US, Clip, load
from benchmarks.plain_wordings import WORDINGS

TRIES = 50

GROUNDING, CAPTIONING = "spatial_temporal_grounding", "interaction_captioning"
PAPER = [  # name, core task, form
    ("trajectory", GROUNDING, "box"),
    ("window", GROUNDING, "interval"),
    ("locate", GROUNDING, "box"),
    ("segment", GROUNDING, "text"),
    ("closest", GROUNDING, "text"),
    ("next_action", CAPTIONING, "text"),
    ("action_status", CAPTIONING, "text"),
    ("movement_status", CAPTIONING, "text"),
    ("target_interaction", CAPTIONING, "text"),
    ("identify_bbox", CAPTIONING, "text"),
    ("rel_pos", "relation_comparison", "text"),
    ("rel_change", "relation_comparison", "text"),
    ("comparison", "relation_comparison", "text"),
    ("velocity", "velocity_estimation", "number"),
    ("counting_distinct", "counting", "choice"),
    ("counting_concurrent", "counting", "choice"),
    ("existence_global", "existence", "yes_no"),
    ("existence_local_inst", "existence", "yes_no"),
    ("existence_local_target", "existence", "yes_no"),
    ("classes", "classes", "choice"),
    ("trajectory_reasoning", "chain_of_thought", "text"),
]
WITHDRAWN = ("velocity", "movement_status", "trajectory_reasoning")
LATER = [
    ("counting_specific", "counting", "choice"),
    ("locate_by_action", GROUNDING, "box"),
    ("locate_by_target", GROUNDING, "box"),
    ("refusal_absent_instrument", GROUNDING, "text"),
    ("refusal_no_specific_action", CAPTIONING, "text"),
    ("reverse_target", CAPTIONING, "text"),
    ("interaction_duration", CAPTIONING, "number"),
    ("interaction_count", CAPTIONING, "number"),
    ("longest_continuous_action", CAPTIONING, "interval"),
    ("idle_duration", CAPTIONING, "text"),
    ("first_appearance_time", CAPTIONING, "time"),
    ("last_appearance_time", CAPTIONING, "time"),
    ("first_action", CAPTIONING, "text"),
    ("action_sequence", CAPTIONING, "text"),
    ("most_active_instrument", CAPTIONING, "text"),
    ("most_target_diversity_instrument", CAPTIONING, "text"),
    ("dominant_verb", CAPTIONING, "text"),
    ("distinct_targets_touched", CAPTIONING, "text"),
]
PROFILES = {"paper": PAPER, "current": [q for q in PAPER if q[0] not in WITHDRAWN] + LATER}


def function_of(name):
    for module in (plain_questions, plain_relations, plain_later):
        if hasattr(module, name):
            return getattr(module, name)
    raise KeyError(name)


def ask(clip, name, attempt, rng, rejects):
    """Return one question of one template about one clip, or None after TRIES draws."""
    reason = "no_filling"
    for _ in range(TRIES):
        found = attempt(clip, rng)
        if not isinstance(found, str):
            return found
        reason = found
    rejects["ask/" + name, reason] += 1
    return None


def compact(value):
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def make_row(video, clip, name, task, form, found, rng):
    slots = compact(found["slots"])
    template = "surgstu." + name
    key = "\x1f".join((template, "1", "cholect50", video["id"], clip.name, slots))
    right = [o["key"] for o in found["options"] if o["is_answer"]]
    return {
        "item_id": hashlib.sha256(key.encode()).hexdigest()[:32],
        "benchmark": "surgstu",
        "task": f"{task}/{name}",
        "form": form,
        "template_id": template,
        "template_version": 1,
        "dataset": "cholect50",
        "video_id": video["id"],
        "split_group": video["id"],
        "procedure": "laparoscopic cholecystectomy",
        "window_id": clip.name,
        "start_us": clip.start * US,
        "end_us": clip.end * US,
        "resolution_us": PERIOD * US,
        "question": rng.choice(WORDINGS[name]).format(**found["words"]),
        "answer": found["answer"],
        "options": found["options"],
        "answer_key": right[0] if right else None,
        "answer_value": compact(found["value"]),
        "slots": slots,
        "evidence": found["evidence"],
        "reasoning": found["reasoning"],
        "checks": found["checks"],
        "licence": "CC BY-NC-SA 4.0",
    }


def make_rows(videos, profile, seed, rejects):
    rng = random.Random(seed)
    questions = [(name, task, form, function_of(name)) for name, task, form in PROFILES[profile]]
    rows = []
    for video in videos:
        for start, end in video["clips"]:
            clip = Clip(video, start, end)
            for name, task, form, attempt in questions:
                found = ask(clip, name, attempt, rng, rejects)
                if found is not None:
                    rows.append(make_row(video, clip, name, task, form, found, rng))
    return rows


def event_rows(video):
    for t in video["times"]:
        for event in video["at"][t]:
            x1, y1, x2, y2 = event["box"]
            yield {
                "dataset": "cholect50", "video_id": video["id"], "event_id": event["id"],
                "time_us": t * US, "frame": t, "label": event["label"],
                "track_id": event["track"], "x1": x1, "y1": y1, "x2": x2, "y2": y2,
                "pairs": [{"verb": v, "target": o} for v, o in event["pairs"]], "score": 1.0,
                "box_origin": "manual", "source_path": video["file"],
                "source_sha256": video["sha256"], "pointer": event["pointer"],
            }  # fmt: skip
        if not video["at"][t]:  # annotated: nothing is visible
            yield {
                "dataset": "cholect50", "video_id": video["id"], "event_id": f"{t}-none",
                "time_us": t * US, "frame": t, "source_path": video["file"],
                "source_sha256": video["sha256"], "pointer": f"annotations/{t}",
            }  # fmt: skip


def track_rows(video):
    for track, events in video["tracks"].items():
        yield {
            "dataset": "cholect50", "video_id": video["id"], "track_id": track,
            "label": events[0]["label"], "first_us": events[0]["t"] * US,
            "last_us": events[-1]["t"] * US, "samples": len(events),
        }  # fmt: skip


def segment_rows(video):
    base = {"dataset": "cholect50", "video_id": video["id"]}
    times, begin = video["times"], 0
    for i in range(1, len(times) + 1):
        phase = video["phases"][times[begin]]
        if i == len(times) or video["phases"][times[i]] != phase:
            start, end = times[begin] * US, (times[i - 1] + PERIOD) * US
            yield {**base, "kind": "phase", "label": phase, "start_us": start, "end_us": end}
            begin = i
    for start, end in video["clips"]:
        name = f"{video['id']}_{start}_{end}"
        yield {**base, "kind": "clip", "label": name, "start_us": start * US, "end_us": end * US}


def write_all(out, rows, videos, rejects):
    (out / "data").mkdir(parents=True, exist_ok=True)
    (out / "evidence").mkdir(exist_ok=True)
    with (out / "data" / "surgstu.jsonl").open("w", encoding="utf-8") as lines:
        for row in rows:
            lines.write(json.dumps(row, ensure_ascii=False) + "\n")
    pd.DataFrame(rows).to_parquet(out / "data" / "surgstu.parquet", compression="zstd")
    for kind, make in (("events", event_rows), ("tracks", track_rows), ("segments", segment_rows)):
        table = pd.DataFrame([row for video in videos for row in make(video)])
        table.to_parquet(out / "evidence" / f"{kind}.parquet", compression="zstd")
    with (out / "rejected.jsonl").open("w") as lines:
        for (stage, code), count in sorted(rejects.items()):
            lines.write(compact({"stage": stage, "code": code, "count": count}) + "\n")
    digests = {
        str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(out.rglob("*"))
        if path.is_file() and path.name != "digests.json"
    }
    (out / "digests.json").write_text(json.dumps(digests, indent=1))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("labels", type=Path, help="folder with labels/VIDnnn.json")
    parser.add_argument("out", type=Path)
    parser.add_argument("--profile", choices=sorted(PROFILES), default="paper")
    parser.add_argument("--seed", type=int, default=42)
    args = parser.parse_args()
    started = time.perf_counter()
    rejects = Counter()
    videos = load(args.labels, rejects)
    rows = make_rows(videos, args.profile, args.seed, rejects)
    write_all(args.out, rows, videos, rejects)
    per_template = Counter(row["template_id"] for row in rows)
    for name, _, _ in PROFILES[args.profile]:
        print(f"{name:<34}{per_template['surgstu.' + name]:>8}")
    clips = sum(len(video["clips"]) for video in videos)
    seconds = time.perf_counter() - started
    print(f"{len(rows)} items, {clips} clips, {seconds:.2f} seconds")


if __name__ == "__main__":
    main()
