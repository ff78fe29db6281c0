"""The plain script's later questions (profile ``current``), about whole clips and blocks."""

from collections import Counter, defaultdict

from benchmarks.plain_clips import IDLE, PERIOD, US, show
from benchmarks.plain_questions import (
    INSTRUMENTS,
    TARGETS,
    box_text,
    check,
    draft,
    draw_moment,
    event_of,
    events_at,
    moment,
    name,
    secs,
    span_slot,
    track_of,
    whole_clip,
)
from benchmarks.plain_relations import counted, set_text

BUCKETS = [(0, "0-10"), (0.10, "10-25"), (0.25, "25-50"), (0.50, "50-100")]
MARGIN = 0.10


def counting_specific(clip, rng):
    if not clip.labels:
        return "no_filling"
    t, label = rng.choice(clip.times), rng.choice(clip.labels)
    number = sum(e["label"] == label for e in clip.at[t])
    most = max(sum(e["label"] == label for e in events) for events in clip.at.values())
    words = {"t": secs(clip, t), "kind": show(label)}
    slots = {"moment": moment(t), "kind": {"label": label}}
    return counted(clip, slots, words, number, most, rng, events_at(clip, t))


def locate_by(clip, rng, position, what):
    t = draw_moment(clip, rng)
    if t is None:
        return "no_filling"
    event = rng.choice(clip.at[t])
    label = rng.choice(event["pairs"])[position]
    if label.startswith("null"):
        return "not_none"
    if sum(any(p[position] == label for p in e["pairs"]) for e in clip.at[t]) > 1:
        return "only"
    tool = clip.tool(event["track"], t, t)
    return draft(
        {"moment": moment(t), what: {"label": label}},
        {**tool, "time_us": t * US, "box_xyxy": event["box"]},
        {"t": secs(clip, t), what: show(label)},
        "{}: {}".format(name(tool), box_text(event["box"])), event_of(event),
    )  # fmt: skip


def locate_by_action(clip, rng):
    return locate_by(clip, rng, 0, "verb")


def locate_by_target(clip, rng):
    return locate_by(clip, rng, 1, "target")


def refusal_absent_instrument(clip, rng):
    t, label = rng.choice(clip.times), rng.choice(INSTRUMENTS)
    if label in clip.labels:
        return "absent"
    return draft(
        {"moment": moment(t), "kind": {"label": label}}, {"refusal": True, "label": label},
        {"t": secs(clip, t), "tool": show(label)},
        f"The {show(label)} does not appear in this clip; there is no box.", whole_clip(clip),
    )  # fmt: skip


def refusal_no_specific_action(clip, rng):
    t = draw_moment(clip, rng)
    if t is None:
        return "no_filling"
    event = rng.choice(clip.at[t])
    track = event["track"]
    around = [clip.by_time[track].get(u) for u in clip.times if abs(u - t) <= 2]
    if any(e is None or e["pairs"] != [IDLE] for e in around):
        return "idle_around"
    tool = clip.tool(track, t, t)
    return draft(
        {"moment": moment(t), "tool": tool}, {"verb": "null_verb"},
        {"t": secs(clip, t), "tool": name(tool)}, "idle", [track_of(track, t - 2, t + 2)],
        [check("idle_around", 2, ">= 2")],
    )  # fmt: skip


def reverse_target(clip, rng):
    t1, t2 = sorted((rng.choice(clip.times), rng.choice(clip.times)))
    if t2 - t1 < 2:
        return "no_filling"
    target = rng.choice(clip.targets or TARGETS)
    labels = sorted(
        {
            e["label"] for t in range(t1, t2 + 1) for e in clip.at.get(t, ())
            if any(p[1] == target for p in e["pairs"])
        }
    )  # fmt: skip
    evidence = [{"kind": "window", "id": clip.name, "start_us": t1 * US, "end_us": t2 * US}]
    return draft(
        {"target": {"label": target}, "span": span_slot(t1, t2)}, {"labels": labels},
        {"target": show(target), "start": secs(clip, t1), "end": secs(clip, t2)},
        set_text(labels) or "none", evidence, [check("lasts", t2 - t1, ">= 2")],
    )  # fmt: skip


def draw_track(clip, rng):
    """Return a track that its name identifies and whose samples have one pair each, or None."""
    if not clip.track_ids:
        return None
    track = rng.choice(clip.track_ids)
    if clip.tracks[track][0]["label"] not in clip.identified:
        return None
    return track if all(len(b["pairs"]) == 1 for b in clip.blocks[track]) else None


def of_clip(clip, track, value, answer, slots=None, words=None, checks=()):
    """Return a question about one instrument over the whole clip."""
    tool = clip.tool(track, clip.start, clip.end)
    return draft(
        {"tool": tool, **(slots or {})}, value, {"tool": name(tool), **(words or {})}, answer,
        [track_of(track, clip.start, clip.end)], checks,
    )  # fmt: skip


def interaction(clip, rng, text):
    track = draw_track(clip, rng)
    if track is None:
        return "no_filling"
    pair = rng.choice(clip.blocks[track])["pairs"][0]
    if pair == IDLE:
        return "not_idle"
    mine = [b for b in clip.blocks[track] if pair in b["pairs"]]
    value = {"seconds": sum(b["seconds"] for b in mine), "count": len(mine)}
    slots = {"verb": {"label": pair[0]}, "target": {"label": pair[1]}}
    words = {"verb": show(pair[0]), "target": show(pair[1])}
    return of_clip(clip, track, value, text.format(**value), slots, words)


def interaction_duration(clip, rng):
    return interaction(clip, rng, "{seconds:.2f} s in {count} stretch(es)")


def interaction_count(clip, rng):
    return interaction(clip, rng, "{count} time(s), {seconds:.2f} s in all")


def verb_runs(clip, track, verb):
    runs = []
    for block in clip.blocks[track]:
        if block["pairs"][0][0] != verb:
            continue
        if runs and block["first"] - runs[-1][1]["last"] <= 1.5 * PERIOD:
            runs[-1][1] = block
        else:
            runs.append([block, block])
    return sorted(
        ((b["end"] - a["start"], a["start"], b["end"]) for a, b in runs),
        key=lambda r: (-r[0], r[1]),
    )


def longest_continuous_action(clip, rng):
    track = draw_track(clip, rng)
    if track is None:
        return "no_filling"
    verb = rng.choice(clip.blocks[track])["pairs"][0][0]
    if verb == "null_verb":
        return "not_idle"
    runs = verb_runs(clip, track, verb)
    seconds, start, end = runs[0]
    if seconds < 2 or (len(runs) > 1 and runs[1][0] == seconds):
        return "longest_by"
    value = {"seconds": seconds, "start_us": int(start * US), "end_us": int(end * US)}
    answer = f"{seconds:.2f} s, from {secs(clip, start)} to {secs(clip, end)}"
    slots, words = {"verb": {"label": verb}}, {"verb": show(verb)}
    return of_clip(clip, track, value, answer, slots, words, [check("longest", seconds, ">= 2")])


def visible_seconds(clip, track):
    return sum(b["seconds"] for b in clip.blocks[track])


def idle_duration(clip, rng):
    track = draw_track(clip, rng)
    if track is None:
        return "no_filling"
    seen = visible_seconds(clip, track)
    idle = sum(b["seconds"] for b in clip.blocks[track] if b["pairs"] == [IDLE])
    share = idle / seen
    if seen < 2 or any(edge and abs(share - edge) < 0.01 for edge, _ in BUCKETS):
        return "idle_share_clear"
    of_all = idle / (clip.end - clip.start)
    bucket = [text for edge, text in BUCKETS if share >= edge][-1]
    value = {"seconds": idle, "share_visible": share, "share_clip": of_all, "bucket": bucket}
    answer = (
        f"{idle:.2f} s idle: {share * 100:.0f} % of the visible time and {of_all * 100:.0f} % "
        f"of the clip ({bucket} %)"
    )
    return of_clip(clip, track, value, answer, checks=[check("visible_seconds", seen, ">= 2")])


def appearance(clip, rng, which):
    if not clip.labels:
        return "no_filling"
    label = rng.choice(clip.labels)
    times = [t for t in clip.times if any(e["label"] == label for e in clip.at[t])]
    t = times[which]
    inside = t - clip.start if which == 0 else clip.end - PERIOD - t
    if inside <= PERIOD:
        return "inside"
    return draft(
        {"kind": {"label": label}}, moment(t), {"kind": show(label)}, secs(clip, t),
        whole_clip(clip), [check("inside", inside, "> 1")],
    )  # fmt: skip


def first_appearance_time(clip, rng):
    return appearance(clip, rng, 0)


def last_appearance_time(clip, rng):
    return appearance(clip, rng, -1)


def first_action(clip, rng):
    track = draw_track(clip, rng)
    if track is None:
        return "no_filling"
    acting = [b for b in clip.blocks[track] if b["pairs"] != [IDLE]]
    if not acting or acting[0]["first"] - clip.start <= PERIOD:
        return "first_action_inside"
    (verb, target), t = acting[0]["pairs"][0], acting[0]["first"]
    value = {"verb": verb, "target": target, **moment(t)}
    return of_clip(clip, track, value, f"{show(verb)} {show(target)} at {secs(clip, t)}")


def action_sequence(clip, rng):
    track = draw_track(clip, rng)
    if track is None:
        return "no_filling"
    blocks = [b for b in clip.blocks[track] if b["seconds"] >= 1]
    if not 2 <= len(blocks) <= 8:
        return "actions"
    steps, lines = [], []
    for block in blocks:
        verb, target = block["pairs"][0]
        steps.append({"start_us": int(block["start"] * US), "verb": verb, "target": target})
        lines.append("({}) {} {}".format(secs(clip, block["start"]), show(verb), show(target)))
    checks = [check("actions", len(blocks), "2 to 8")]
    return of_clip(clip, track, {"steps": steps}, " → ".join(lines), checks=checks)


def leader(counts):
    """Return the largest (key, value), or None if its lead is less than the margin."""
    ranked = sorted(counts.items(), key=lambda kv: (-kv[1], kv[0]))
    if not ranked or ranked[0][1] <= 0:
        return None
    if len(ranked) > 1 and ranked[0][1] - ranked[1][1] < MARGIN * ranked[0][1]:
        return None
    return ranked[0]


def most_active_instrument(clip, rng):
    if len(clip.labels) < 2:
        return "classes_seen"
    active = Counter()
    for track, blocks in clip.blocks.items():
        label = clip.tracks[track][0]["label"]
        active[label] += sum(b["seconds"] for b in blocks if b["pairs"] != [IDLE])
    best = leader(active)
    if best is None:
        return "leads_by"
    value, answer = {"label": best[0], "seconds": best[1]}, f"{show(best[0])} ({best[1]:.2f} s)"
    return draft({}, value, {}, answer, whole_clip(clip), [check("leads_by", MARGIN, ">= 0.1")])


def most_target_diversity_instrument(clip, rng):
    if len(clip.labels) < 2:
        return "classes_seen"
    touched = defaultdict(set)
    for track, blocks in clip.blocks.items():
        targets = {p[1] for b in blocks for p in b["pairs"]} - {"null_target"}
        touched[clip.tracks[track][0]["label"]] |= targets
    best = leader({label: len(targets) for label, targets in touched.items()})
    if best is None:
        return "leads_by"
    value, answer = {"label": best[0], "count": best[1]}, f"{show(best[0])} ({best[1]} target(s))"
    return draft({}, value, {}, answer, whole_clip(clip), [check("leads_by", MARGIN, ">= 0.1")])


def dominant_verb(clip, rng):
    track = draw_track(clip, rng)
    if track is None:
        return "no_filling"
    seconds = Counter()
    for block in clip.blocks[track]:
        seconds[block["pairs"][0][0]] += block["seconds"]
    best = leader(seconds)
    if best is None:
        return "leads_by"
    share = best[1] / visible_seconds(clip, track)
    value = {"verb": best[0], "seconds": best[1], "share": share}
    answer = f"{show(best[0])} ({best[1]:.2f} s, {share * 100:.0f} % of the visible time)"
    return of_clip(clip, track, value, answer, checks=[check("leads_by", MARGIN, ">= 0.1")])


def distinct_targets_touched(clip, rng):
    track = draw_track(clip, rng)
    if track is None:
        return "no_filling"
    labels = sorted({p[1] for b in clip.blocks[track] for p in b["pairs"]} - {"null_target"})
    if not labels:
        return "targets_touched"
    value = {"labels": labels, "count": len(labels)}
    return of_clip(clip, track, value, f"{len(labels)}: {set_text(labels)}")
