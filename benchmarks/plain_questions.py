"""The plain script's 21 questions of the SurgSTU paper: draw, check, answer.

Each function makes one attempt on one clip.  It returns a dict with the parts of the question, or
the name of the check that failed.  The caller draws again, a limited number of times.
"""

from benchmarks.plain_clips import SPEED, US, distance, show

SPEED_WORDS = [(0.0, "stationary"), (0.02, "slow"), (0.05, "moderate"), (0.15, "fast")]
PATH_WORDS = [(0.0, "negligible"), (0.05, "short"), (0.5, "medium"), (1.0, "long")]
INSTRUMENTS = ["bipolar", "clipper", "grasper", "hook", "irrigator", "scissors"]
TARGETS = [
    "gallbladder", "cystic_plate", "cystic_duct", "cystic_artery", "cystic_pedicle",
    "blood_vessel", "fluid", "abdominal_wall_cavity", "liver", "adhesion", "omentum",
    "peritoneum", "gut", "specimen_bag",
]  # fmt: skip


def secs(clip, t):
    return f"{t - clip.start:.2f} s"


def box_text(box):
    return "[{}, {}, {}, {}]".format(*(int(v * 1000 + 0.5) for v in box))


def name(tool):
    suffix = "" if tool["instance"] is None else " (instance {})".format(tool["instance"])
    return show(tool["label"]) + suffix


def moment(t):
    return {"time_us": t * US}


def span_slot(t1, t2):
    return {"start_us": t1 * US, "end_us": t2 * US}


def check(what, measured, limit):
    return {"name": what, "measured": float(measured), "limit": limit}


def events_at(clip, t):
    return [
        {"kind": "events", "id": e["id"], "start_us": t * US, "end_us": t * US} for e in clip.at[t]
    ]


def event_of(event):
    t = event["t"] * US
    return [{"kind": "events", "id": event["id"], "start_us": t, "end_us": t}]


def track_of(track, t1, t2):
    return {"kind": "tracks", "id": track, "start_us": t1 * US, "end_us": t2 * US}


def whole_clip(clip):
    return [
        {"kind": "window", "id": clip.name, "start_us": clip.start * US, "end_us": clip.end * US}
    ]


def draft(slots, value, words, answer, evidence, checks=(), options=(), reasoning=()):
    return {
        "slots": slots, "value": value, "words": words, "answer": answer, "evidence": evidence,
        "checks": list(checks), "options": list(options), "reasoning": list(reasoning),
    }  # fmt: skip


def draw_span(clip, rng, track, shortest=2):
    """Return a track and two of its seconds at least ``shortest`` apart, or None."""
    if not clip.track_ids:
        return None
    track = track or rng.choice(clip.track_ids)
    samples = clip.tracks[track]
    t1, t2 = sorted((rng.choice(samples)["t"], rng.choice(samples)["t"]))
    return None if t2 - t1 < shortest else (track, t1, t2)


def draw_moment(clip, rng, classes=1):
    t = rng.choice(clip.times)
    return t if len({e["label"] for e in clip.at[t]}) >= classes else None


def lettered(options):
    return [
        {"key": "ABCD"[i], "text": text, "is_answer": right, "kind": kind}
        for i, (text, right, kind) in enumerate(options)
    ]


def yes_no(yes):
    return lettered([("Yes", yes, "fixed"), ("No", not yes, "fixed")])


def letter_answer(options):
    right = next(o for o in options if o["is_answer"])
    return "{key}) {text}".format(**right)


def word(value, words):
    return [w for bound, w in words if value >= bound][-1]


def near_boundary(value, words, margin=0.10):
    return any(bound and abs(value - bound) <= margin * bound for bound, _ in words)


# -- A: grounding --------------------------------------------------------------------------


def trajectory(clip, rng):
    drawn = draw_span(clip, rng, None)
    if drawn is None:
        return "no_filling"
    track, t1, t2 = drawn
    samples = clip.continuous(track, t1, t2)
    if samples is None:
        return "continuous"
    k = rng.randrange(2)
    values = [e["centre"][k] for e in samples]
    travel = max(values) - min(values)
    if travel < 0.20:
        return "travel"
    low, high = samples[values.index(min(values))], samples[values.index(max(values))]
    for best in (low, high):
        for e in samples:
            near = abs(e["centre"][k] - best["centre"][k]) < 0.01
            if near and abs(e["t"] - best["t"]) > 0.5:
                return "distinct_extremes"
    sides = (("left", "right"), ("top", "bottom"))[k]
    tool = clip.tool(track, t1, t2)
    axis = ("horizontal", "vertical")[k]
    extremes = [
        {"side": side, "time_us": e["t"] * US, "box_xyxy": e["box"]}
        for side, e in zip(sides, (low, high), strict=True)
    ]
    answer = "; ".join(
        "Extreme {}: {} at t={}".format(side, box_text(e["box"]), secs(clip, e["t"]))
        for side, e in zip(sides, (low, high), strict=True)
    )
    return draft(
        {"tool": tool, "span": span_slot(t1, t2), "axis": axis},
        {"axis": axis, "extremes": extremes},
        {"tool": name(tool), "start": secs(clip, t1), "end": secs(clip, t2), "axis": axis},
        answer, [track_of(track, t1, t2)],
        [check("continuous", len(samples), "all"), check("travel", travel, ">= 0.2")],
    )  # fmt: skip


def window(clip, rng):
    t = draw_moment(clip, rng)
    if t is None:
        return "no_filling"
    found, lines, evidence, shortest = [], [], [], 1e9
    for event in clip.at[t]:
        first, last = clip.run(event["track"], t)
        shortest = min(shortest, last - first)
        tool = clip.tool(event["track"], clip.start, clip.end)
        a, b = clip.by_time[event["track"]][first], clip.by_time[event["track"]][last]
        found.append(
            {**tool, "start_us": first * US, "end_us": last * US, "start_box_xyxy": a["box"],
             "end_box_xyxy": b["box"]}
        )  # fmt: skip
        evidence.append(track_of(event["track"], first, last))
    if shortest < 2:
        return "runs_last"
    found.sort(key=lambda r: (r["label"], r["instance"] or 0))
    for r in found:
        lines.append(
            "{}: Window [{} – {}], Start BBox {}, End BBox {}".format(
                name(r), secs(clip, r["start_us"] // US), secs(clip, r["end_us"] // US),
                box_text(r["start_box_xyxy"]), box_text(r["end_box_xyxy"]),
            )
        )  # fmt: skip
    return draft(
        {"moment": moment(t)}, {"instruments": found}, {"t": secs(clip, t)}, "\n".join(lines),
        evidence, [check("runs_last", shortest, ">= 2")],
    )  # fmt: skip


def draw_event(clip, rng):
    t = draw_moment(clip, rng)
    if t is None:
        return None, None, None
    event = rng.choice(clip.at[t])
    return t, event, clip.tool(event["track"], t, t)


def locate(clip, rng):
    t, event, tool = draw_event(clip, rng)
    if t is None:
        return "no_filling"
    return draft(
        {"moment": moment(t), "tool": tool},
        {**tool, "time_us": t * US, "box_xyxy": event["box"]},
        {"tool": name(tool), "t": secs(clip, t)}, box_text(event["box"]), event_of(event),
    )  # fmt: skip


def segment(clip, rng):
    t, event, tool = draw_event(clip, rng)
    if t is None:
        return "no_filling"
    x, y = event["centre"]
    off = min(abs(v - line) for v in (x, y) for line in (1 / 3, 2 / 3))
    if off < 0.02:
        return "off_lines"
    across = "left" if x < 1 / 3 else "centre" if x < 2 / 3 else "right"
    down = "top" if y < 1 / 3 else "middle" if y < 2 / 3 else "bottom"
    return draft(
        {"moment": moment(t), "tool": tool}, {"horizontal": across, "vertical": down},
        {"tool": name(tool), "t": secs(clip, t)}, f"{across}, {down}", event_of(event),
        [check("off_lines", off, ">= 0.02")],
    )  # fmt: skip


def closest(clip, rng):
    t = draw_moment(clip, rng, classes=2)
    if t is None:
        return "no_filling"
    x = rng.randint(1, 9) / 10 + rng.randint(-30, 30) / 1000
    y = rng.randint(1, 9) / 10 + rng.randint(-30, 30) / 1000
    ranked = sorted(clip.at[t], key=lambda e: distance(e["centre"], (x, y)))
    near, second = (distance(e["centre"], (x, y)) for e in ranked[:2])
    if second - near < 0.10:
        return "nearest_by"
    tool = clip.tool(ranked[0]["track"], t, t)
    return draft(
        {"moment": moment(t), "point": {"x": x, "y": y}}, tool,
        {"t": secs(clip, t), "x": int(x * 1000 + 0.5), "y": int(y * 1000 + 0.5)}, name(tool),
        events_at(clip, t), [check("nearest_by", second - near, ">= 0.1")],
    )  # fmt: skip


# -- B: interactions ------------------------------------------------------------------------


def next_action(clip, rng):
    if not clip.track_ids:
        return "no_filling"
    track = rng.choice(clip.track_ids)
    blocks = clip.blocks[track]
    if len(blocks) < 2:
        return "no_filling"
    i = rng.randrange(len(blocks) - 1)
    old, new = blocks[i], blocks[i + 1]
    if len(old["pairs"]) > 1 or len(new["pairs"]) > 1:
        return "single_pair"
    if new["first"] - old["last"] > 1 or old["pairs"][0][0] == new["pairs"][0][0]:
        return "change"
    verb, target = new["pairs"][0]
    stopped = old["pairs"][0][0]
    tool = clip.tool(track, clip.start, clip.end)
    answer = show(verb) if target == "null_target" else f"{show(verb)} {show(target)}"
    return draft(
        {"tool": tool, "verb": {"label": stopped}, "ended": moment(new["first"])},
        {"verb": verb, "target": target},
        {"tool": name(tool), "verb": show(stopped), "t": secs(clip, new["first"])}, answer,
        [track_of(track, old["first"], new["last"])],
        [check("gap", new["first"] - old["last"], "<= 1")],
    )  # fmt: skip


def constant(samples, what):
    """Return the verb or target that all samples have, or None if they differ."""
    values = {e[what] for e in samples}
    return values.pop() if len(values) == 1 else None


def constant_over(clip, rng, what, shortest):
    drawn = draw_span(clip, rng, None, shortest)
    if drawn is None:
        return "no_filling"
    samples = clip.samples(*drawn)
    if samples is None:
        return "samples"
    value = constant(samples, what)
    if value is None:
        return f"constant_{what}"
    track, t1, t2 = drawn
    tool = clip.tool(track, t1, t2)
    return draft(
        {"tool": tool, "span": span_slot(t1, t2)}, {what: value},
        {"tool": name(tool), "start": secs(clip, t1), "end": secs(clip, t2)}, show(value),
        [track_of(track, t1, t2)], [check("lasts", t2 - t1, f">= {shortest}")],
    )  # fmt: skip


def action_status(clip, rng):
    return constant_over(clip, rng, "verb", rng.choice((2, 10, 10)))


def target_interaction(clip, rng):
    return constant_over(clip, rng, "target", 2)


def kinematics(samples):
    steps = [distance(a["centre"], b["centre"]) for a, b in zip(samples, samples[1:], strict=False)]
    times = [b["t"] - a["t"] for a, b in zip(samples, samples[1:], strict=False)]
    speeds = [d / dt for d, dt in zip(steps, times, strict=True)]
    return sum(steps), sum(steps) / sum(times), min(speeds), max(speeds)


def moving(clip, rng):
    """Return the span of a continuous track with a clear speed word, or the check that failed."""
    drawn = draw_span(clip, rng, None)
    if drawn is None:
        return "no_filling"
    samples = clip.continuous(*drawn)
    if samples is None:
        return "continuous"
    path, mean, low, high = kinematics(samples)
    if near_boundary(mean, SPEED_WORDS):
        return "speed_word_clear"
    return {
        "track": drawn[0], "t1": drawn[1], "t2": drawn[2], "samples": samples, "path": path,
        "mean": mean, "low": low, "high": high, "tool": clip.tool(*drawn),
        "checks": [check("continuous", len(samples), "all"), check("step", high, f"<= {SPEED}")],
    }  # fmt: skip


def motion_words(clip, m):
    return {"tool": name(m["tool"]), "start": secs(clip, m["t1"]), "end": secs(clip, m["t2"])}


def movement_status(clip, rng):
    m = moving(clip, rng)
    if isinstance(m, str):
        return m
    speed = word(m["mean"], SPEED_WORDS)
    return draft(
        {"tool": m["tool"], "span": span_slot(m["t1"], m["t2"])},
        {"speed_class": speed, "mean_speed": m["mean"]}, motion_words(clip, m), speed,
        [track_of(m["track"], m["t1"], m["t2"])], m["checks"],
    )  # fmt: skip


def velocity(clip, rng):
    m = moving(clip, rng)
    if isinstance(m, str):
        return m
    speed = word(m["mean"], SPEED_WORDS)
    answer = "min {:.3f}, max {:.3f}, mean {:.3f} units/s; {}".format(
        m["low"], m["high"], m["mean"], speed
    )
    value = {
        "min_speed": m["low"], "max_speed": m["high"], "mean_speed": m["mean"],
        "speed_class": speed, "camera_motion": "unknown",
    }  # fmt: skip
    return draft(
        {"tool": m["tool"], "span": span_slot(m["t1"], m["t2"])}, value, motion_words(clip, m),
        answer, [track_of(m["track"], m["t1"], m["t2"])], m["checks"],
    )  # fmt: skip


def overlap(a, b):
    w = min(a[2], b[2]) - max(a[0], b[0])
    h = min(a[3], b[3]) - max(a[1], b[1])
    if w <= 0 or h <= 0:
        return 0.0
    areas = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1])
    return w * h / (areas - w * h)


def identify_bbox(clip, rng):
    t = draw_moment(clip, rng, classes=2)
    if t is None:
        return "no_filling"
    event = rng.choice(clip.at[t])
    most = max(overlap(event["box"], e["box"]) for e in clip.at[t] if e is not event)
    if most >= 0.5:
        return "overlap"
    tool = clip.tool(event["track"], t, t)
    return draft(
        {"moment": moment(t), "box": {"box_xyxy": event["box"]}}, tool,
        {"t": secs(clip, t), "box": box_text(event["box"])}, name(tool), events_at(clip, t),
        [check("overlap", most, "< 0.5")],
    )  # fmt: skip
