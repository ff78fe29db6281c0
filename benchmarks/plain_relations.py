"""More questions of the plain script: relations, choices and the chain of thought."""

from collections import Counter

from benchmarks.plain_clips import US, distance, show
from benchmarks.plain_questions import (
    INSTRUMENTS,
    PATH_WORDS,
    SPEED_WORDS,
    TARGETS,
    box_text,
    check,
    constant,
    draft,
    draw_moment,
    draw_span,
    events_at,
    letter_answer,
    lettered,
    moment,
    motion_words,
    moving,
    name,
    secs,
    span_slot,
    track_of,
    whole_clip,
    word,
    yes_no,
)

THETA = 0.30  # smallest change of distance that counts as closer or farther


def rel_pos(clip, rng):
    t = rng.choice(clip.times)
    if len(clip.at[t]) < 2:
        return "no_filling"
    a, b = rng.sample(clip.at[t], 2)
    dx, dy = a["centre"][0] - b["centre"][0], a["centre"][1] - b["centre"][1]
    if abs(dx) <= 0.18 or abs(dy) <= 0.18:
        return "apart"
    across, down = "left" if dx < 0 else "right", "above" if dy < 0 else "below"
    tool, other = clip.tool(a["track"], t, t), clip.tool(b["track"], t, t)
    evidence = [
        {"kind": "events", "id": e["id"], "start_us": t * US, "end_us": t * US} for e in (a, b)
    ]
    return draft(
        {"moment": moment(t), "tool": tool, "other": other},
        {"horizontal": across, "vertical": down},
        {"tool": name(tool), "other": name(other), "t": secs(clip, t)},
        f"to the {across} and {down}", evidence,
        [check("apart_x", abs(dx), "> 0.18"), check("apart_y", abs(dy), "> 0.18")],
    )  # fmt: skip


def draw_two(clip, rng):
    """Return two tracks and a span of the first of them, or None."""
    if len(clip.track_ids) < 2:
        return None
    first, second = rng.sample(clip.track_ids, 2)
    drawn = draw_span(clip, rng, first)
    return None if drawn is None else (first, second, drawn[1], drawn[2])


def rel_change(clip, rng):
    drawn = draw_two(clip, rng)
    if drawn is None:
        return "no_filling"
    first, second, t1, t2 = drawn
    a, b = clip.continuous(first, t1, t2), clip.continuous(second, t1, t2)
    if a is None or b is None:
        return "continuous"
    before = distance(a[0]["centre"], b[0]["centre"])
    delta = distance(a[-1]["centre"], b[-1]["centre"]) - before
    if abs(abs(delta) - THETA) < 0.02:
        return "distance_change_clear"
    change = "closer" if delta <= -THETA else "farther" if delta >= THETA else "maintained"
    tool, other = clip.tool(first, t1, t2), clip.tool(second, t1, t2)
    shown = "approximately maintained" if change == "maintained" else change
    return draft(
        {"tool": tool, "other": other, "span": span_slot(t1, t2)},
        {"change": change, "delta": delta},
        {"tool": name(tool), "other": name(other), "start": secs(clip, t1), "end": secs(clip, t2)},
        f"{shown} ({delta:+.2f})", [track_of(first, t1, t2), track_of(second, t1, t2)],
        [check("distance_change_clear", abs(abs(delta) - THETA), ">= 0.02")],
    )  # fmt: skip


def comparison(clip, rng):
    drawn = draw_two(clip, rng)
    if drawn is None:
        return "no_filling"
    first, second, t1, t2 = drawn
    a, b = clip.samples(first, t1, t2), clip.samples(second, t1, t2)
    if a is None or b is None:
        return "samples"
    targets = [constant(a, "target"), constant(b, "target")]
    if None in targets or "null_target" in targets:
        return "constant_target"
    same = targets[0] == targets[1]
    tool, other = clip.tool(first, t1, t2), clip.tool(second, t1, t2)
    return draft(
        {"tool": tool, "other": other, "span": span_slot(t1, t2)},
        {"same": same, "targets": targets},
        {"tool": name(tool), "other": name(other), "start": secs(clip, t1), "end": secs(clip, t2)},
        "{}: {} and {}".format("Yes" if same else "No", show(targets[0]), show(targets[1])),
        [track_of(first, t1, t2), track_of(second, t1, t2)],
        [check("lasts", t2 - t1, ">= 2")],
    )  # fmt: skip


# -- E: choices ------------------------------------------------------------------------------


def number_options(number, most, rng):
    """Return the answer and the three nearest numbers as options, in random order."""
    wrong = [n for n in range(max(most + 3, 4)) if n != number]
    wrong.sort(key=lambda n: (abs(n - number), rng.random()))
    options = [(str(number), True, "answer")]
    options += [
        (str(n), False, "one_less_or_more" if abs(n - number) == 1 else "near_number")
        for n in wrong[:3]
    ]
    rng.shuffle(options)
    return lettered(options)


def counted(clip, slots, words, number, most, rng, evidence, checks=()):
    options = number_options(number, most, rng)
    return draft(
        slots, {"number": number}, words, letter_answer(options), evidence, checks, options
    )


def counting_distinct(clip, rng):
    t = rng.choice(clip.times)
    number = len({e["label"] for e in clip.at[t]})
    most = max(len({e["label"] for e in events}) for events in clip.at.values())
    words = {"t": secs(clip, t)}
    return counted(clip, {"moment": moment(t)}, words, number, most, rng, events_at(clip, t))


def counting_concurrent(clip, rng):
    t1, t2 = sorted((rng.choice(clip.times), rng.choice(clip.times)))
    if t2 - t1 < 2:
        return "no_filling"
    number = max(len(clip.at[t]) for t in clip.times if t1 <= t <= t2)
    if number == 0:
        return "classes_during"
    most = max(len(events) for events in clip.at.values())
    evidence = [{"kind": "window", "id": clip.name, "start_us": t1 * US, "end_us": t2 * US}]
    words = {"start": secs(clip, t1), "end": secs(clip, t2)}
    return counted(
        clip, {"span": span_slot(t1, t2)}, words, number, most, rng, evidence,
        [check("lasts", t2 - t1, ">= 2")],
    )  # fmt: skip


def existence(clip, slots, words, yes, evidence):
    options = yes_no(yes)
    slots = {"truth": "yes" if yes else "no", **slots}
    return draft(slots, {"yes": yes}, words, letter_answer(options), evidence, (), options)


def existence_global(clip, rng):
    yes = rng.random() < 0.5
    absent = [label for label in INSTRUMENTS if label not in clip.labels]
    pool = clip.labels if yes else absent
    if not pool:
        return "no_filling"
    label = rng.choice(pool)
    words = {"kind": show(label)}
    return existence(clip, {"kind": {"label": label}}, words, yes, whole_clip(clip))


def existence_local_inst(clip, rng):
    yes, t = rng.random() < 0.5, rng.choice(clip.times)
    here = sorted({e["label"] for e in clip.at[t]})
    elsewhere = [label for label in clip.labels if label not in here]
    pool = here if yes else elsewhere or [label for label in INSTRUMENTS if label not in here]
    if not pool:
        return "no_filling"
    label = rng.choice(pool)
    words = {"kind": show(label), "t": secs(clip, t)}
    slots = {"kind": {"label": label}, "moment": moment(t)}
    return existence(clip, slots, words, yes, events_at(clip, t))


def existence_local_target(clip, rng):
    yes, t = rng.random() < 0.5, rng.choice(clip.times)
    here = sorted({p[1] for e in clip.at[t] for p in e["pairs"]} - {"null_target"})
    elsewhere = [target for target in clip.targets if target not in here]
    pool = here if yes else elsewhere or [target for target in TARGETS if target not in here]
    if not pool:
        return "no_filling"
    target = rng.choice(pool)
    words = {"target": show(target), "t": secs(clip, t)}
    slots = {"target": {"label": target}, "moment": moment(t)}
    return existence(clip, slots, words, yes, events_at(clip, t))


def set_text(labels):
    return ", ".join(show(label) for label in labels)


def wrong_sets(clip, truth, rng):
    """Return three other sets: those of other moments first, then one more, one less, one other."""
    moments = {tuple(sorted({e["label"] for e in events})) for events in clip.at.values()}
    moments = sorted(m for m in moments if m and m != truth)
    rng.shuffle(moments)
    out = [(m, "other_moment") for m in moments[:3]]
    more = [label for label in INSTRUMENTS if label not in truth]
    edits = [(tuple(sorted((*truth, label))), "one_more") for label in more]
    for old in truth:
        rest = [label for label in truth if label != old]
        if rest:
            edits.append((tuple(rest), "one_less"))
        edits += [(tuple(sorted((*rest, label))), "one_other") for label in more]
    rng.shuffle(edits)
    for labels, kind in edits:
        if len(out) == 3:
            break
        if labels not in [known for known, _ in out]:
            out.append((labels, kind))
    return out


def classes(clip, rng):
    t = draw_moment(clip, rng)
    if t is None:
        return "no_filling"
    truth = tuple(sorted({e["label"] for e in clip.at[t]}))
    wrong = wrong_sets(clip, truth, rng)
    if len(wrong) < 3:
        return "too_few_options"
    options = [(set_text(truth), True, "answer")]
    options += [(set_text(labels), False, kind) for labels, kind in wrong]
    rng.shuffle(options)
    options = lettered(options)
    return draft(
        {"moment": moment(t)}, {"labels": list(truth)}, {"t": secs(clip, t)},
        letter_answer(options), events_at(clip, t), (), options,
    )  # fmt: skip


# -- F: chain of thought ----------------------------------------------------------------------


def trajectory_reasoning(clip, rng):
    m = moving(clip, rng)
    if isinstance(m, str):
        return m
    samples = m["samples"]
    if len(samples) < 3:
        return "samples"
    if any(e["verb"] is None for e in samples):
        return "single_actions"
    counts = Counter(e["verb"] for e in samples)  # ties: the verb that occurs earlier
    verb, most = counts.most_common(1)[0]
    blocks = 1 + sum(a["pairs"] != b["pairs"] for a, b in zip(samples, samples[1:], strict=False))
    speed, path = word(m["mean"], SPEED_WORDS), word(m["path"], PATH_WORDS)
    value = {
        "box_xyxy": samples[0]["box"], "seconds": float(m["t2"] - m["t1"]),
        "path_length": m["path"], "path_class": path, "mean_speed": m["mean"],
        "speed_class": speed, "verb": verb, "verb_share": most / len(samples), "blocks": blocks,
    }  # fmt: skip
    steps = reasoning_steps(clip, m, value)
    return draft(
        {"tool": m["tool"], "span": span_slot(m["t1"], m["t2"])}, value, motion_words(clip, m),
        "\n".join(steps), [track_of(m["track"], m["t1"], m["t2"])], m["checks"],
        reasoning=steps[:3],
    )  # fmt: skip


def reasoning_steps(clip, m, value):
    parts = dict(value, box=box_text(value["box_xyxy"]), t=secs(clip, m["t1"]))
    parts.update(tool=name(m["tool"]), action=show(value["verb"]), share=value["verb_share"] * 100)
    return [
        "Initialisation: {box} at t={t}".format(**parts),
        "Movement profile: {seconds:.2f} s, path {path_length:.2f} units ({path_class}), "
        "mean speed {mean_speed:.3f} units/s ({speed_class})".format(**parts),
        "Consistency: {action} for {share:.0f} % of the window, {blocks} block(s)".format(**parts),
        "Summary: over {seconds:.2f} s the {tool} moved at a {speed_class} pace along a "
        "{path_class} path, mainly to {action}.".format(**parts),
    ]
