"""Timelines: event tuples as readers give them, made up and real."""

import json
from collections import Counter
from pathlib import Path

import pytest

from surgqa.ontology.action_clips import Clip, VideoClips
from surgqa.ontology.next_actions import action_ids
from surgqa.ontology.records import Code, Span, VideoEvidence
from surgqa.transforms.evidence.action_clips.derive import ActionLimits, derived_clips, seconds_of
from surgqa.transforms.exports.sapbench.statistics import figures
from surgqa.transforms.readers.cholect50.reader import Reader
from tests.transforms.timeline.videos import DISSECT, IDLE, RETRACT, S, Seen, box_at, table, video

ORDER = action_ids()


def labelled(instants: dict, phases: list[tuple[int, int, str]]) -> VideoEvidence:
    spans = tuple(Span("phase", label, a * S, b * S, "f", "p") for a, b, label in phases)
    return VideoEvidence(video(S), table(instants), spans)


def test_evidence_gives_the_first_instant_of_each_second():
    seen = {
        0: [Seen("hook", box_at(0.5, 0.25), DISSECT), Seen("grasper", box_at(0.1, 0.1), IDLE)],
        S // 2: [Seen("grasper", None, RETRACT)],
        S: [Seen("grasper", None, RETRACT)],
        2 * S: [Seen("grasper", None, None)],
        3 * S: [],
    }
    whole = labelled(seen, [(0, 3, "calot_triangle_dissection")])
    made = seconds_of(whole)
    assert made.frames.tolist() == [0, 1, 3]
    assert [ORDER[k] if k >= 0 else None for k in made.own.tolist()] == [
        "dissection", "tissue_retraction", None,
    ]  # fmt: skip
    assert made.inside.tolist() == [True, True, False]
    assert made.missing == [2]
    assert made.boxed.tolist() == made.central.tolist() == [True, False, False]
    derived = derived_clips(whole)
    assert [(r.code, r.count) for r in derived.rejected] == [(Code.INCOMPLETE_INSTANT, 1)]
    assert (derived.books.read, derived.books.kept, derived.books.rejected) == (3, 2, 1)


def test_a_second_without_every_verb_is_inherited_where_the_stretch_goes_on():
    seen = {k * S: [Seen("hook", None, None if k == 2 else DISSECT)] for k in range(5)}
    whole = labelled(seen, [(0, 5, "calot_triangle_dissection")])
    cut = derived_clips(whole)
    assert cut.clips.context == ((0, 1), (3, 4)) and [r.count for r in cut.rejected] == [1]
    held = derived_clips(whole, ActionLimits(reach=2))
    assert held.clips.context == ((0, 4),) and not held.rejected
    assert held.clips.clips[0].purity == 0.8
    assert cut.books.balanced and held.books.balanced


def test_a_video_without_verbs_gives_no_clips_and_says_what_to_do():
    seen = {k * S: [Seen("hook")] for k in range(9)}
    made = derived_clips(labelled(seen, [(0, 9, "gallbladder_dissection")]))
    assert not made.clips.clips and made.books.balanced
    assert "import a table of clips" in made.rejected[0].reason


# ---- the three public videos, against a second derivation from their label files ----------

CLIP, COAGULATE, ASPIRATE, IRRIGATE, DISSECT_, CUT, GRASP, RETRACT_ = 4, 3, 6, 7, 2, 5, 0, 1
"""Ids of verbs in the label files; ids 1, 2 and 3 of phases make up the context."""
RULE = (
    ("vessel_clipping", {CLIP}), ("coagulation", {COAGULATE}), ("aspiration", {ASPIRATE, IRRIGATE}),
    ("dissection", {DISSECT_, CUT}), ("tissue_retraction", {GRASP, RETRACT_}),
)  # fmt: skip
VIDEOS = ("VID68", "VID73", "VID74")


def seconds_of_file(root: Path, name: str) -> dict[int, tuple[int, set[int]]]:
    """(phase id, ids of verbs) of each second of a label file."""
    labels = json.loads((root / "labels" / f"{name}.json").read_text())["annotations"]
    out = {}
    for second, found in labels.items():
        (phase,) = {row[14] for row in found}
        out[int(second)] = phase, {row[7] for row in found}
    return dict(sorted(out.items()))


def stretches_by_hand(seconds: dict[int, tuple[int, set[int]]], reach: int) -> list[list[int]]:
    """The annotated seconds of each stretch."""
    out: list[list[int]] = []
    cut = True
    for second, (phase, _) in seconds.items():
        if phase not in (1, 2, 3):
            cut = True
        elif cut or second - out[-1][-1] > reach:
            out.append([second])
            cut = False
        else:
            out[-1].append(second)
    return out


def action_by_hand(verbs: set[int]) -> str:
    return next((action for action, shown_by in RULE if verbs & shown_by), "")


def clips_by_hand(shown: dict[int, str], shortest: int) -> list[tuple[int, int, str, float]]:
    """(first, last, action, purity) of each clip of one stretch, second by second."""
    first, last = min(shown), max(shown)
    named = [action for action in shown.values() if action]
    if not named:
        return []
    labels, now = [], named[0]
    for second in range(first, last + 1):
        now = shown.get(second) or now
        labels.append(now)
    while True:
        begins = [k for k in range(len(labels)) if not k or labels[k] != labels[k - 1]]
        ends = [*begins[1:], len(labels)]
        lengths = [b - a for a, b in zip(begins, ends, strict=True)]
        k = lengths.index(min(lengths))
        if len(lengths) == 1 or lengths[k] >= shortest:
            break
        before = lengths[k - 1] if k else 0
        after = lengths[k + 1] if k + 1 < len(lengths) else 0
        taken = labels[begins[k] - 1] if before >= after else labels[ends[k]]
        labels[begins[k] : ends[k]] = [taken] * lengths[k]
    out = []
    for a, b in zip(begins, ends, strict=True):
        own = sum(shown.get(first + k) == labels[a] for k in range(a, b))
        out.append((first + a, first + b - 1, labels[a], own / (b - a)))
    return out


@pytest.fixture
def real(real_dataset):
    """The label files' seconds, and the evidence, of a video."""
    root = real_dataset("cholect50-challenge-val")

    def open_(name: str) -> tuple[dict[int, tuple[int, set[int]]], VideoEvidence]:
        return seconds_of_file(root, name), Reader(root).read(name)

    return open_


@pytest.mark.parametrize("shortest", [1, 5, 12])
@pytest.mark.parametrize("reach", [1, 25, 200])
@pytest.mark.parametrize("name", VIDEOS)
def test_real_clips_are_those_that_plain_loops_find(real, name, reach, shortest):
    seconds, made_of = real(name)
    limits = ActionLimits(reach=reach, shortest=shortest)
    stretches = stretches_by_hand(seconds, reach)
    made = derived_clips(made_of, limits)
    assert list(made.context) == [(one[0], one[-1]) for one in stretches]
    by_part = [
        clips_by_hand({k: action_by_hand(seconds[k][1]) for k in one}, shortest)
        for one in stretches
    ]
    found = [(c.start, c.end, c.action, c.purity) for c in made.clips.clips]
    assert found == [clip for part in by_part for clip in part]
    empty = [one for one, part in zip(stretches, by_part, strict=True) if not part]
    assert [r.count for r in made.rejected] == [one[-1] - one[0] + 1 for one in empty]
    assert made.books.balanced
    assert made.clips.following == sum(len(part) - 1 for part in by_part if part)
    stretch = [Clip(one[0], one[-1], "") for one, part in zip(stretches, by_part, strict=True)
               if part]  # fmt: skip
    assert made.clips.context == VideoClips("", tuple(stretch)).context
    assert not made.clips.repeats
    counts = Counter(action for part in by_part for _, _, action, _ in part)
    measured = {action: one.n for action, one in figures([made.clips]).actions.items() if one.n}
    assert measured == counts


def test_real_scissors_in_the_phase_of_clipping_stand_for_dissection(real):
    """The 78 seconds with cut in that phase, which hand labels call Dissection."""
    seen = [(name, k, verbs) for name in VIDEOS for k, (p, verbs) in real(name)[0].items()
            if p == 2 and CUT in verbs]  # fmt: skip
    assert len(seen) == 78
    alone = Counter(action_by_hand(verbs) for _, _, verbs in seen)
    own = Counter[str]()
    for name in VIDEOS:
        made = seconds_of(real(name)[1])
        actions = dict(zip(made.frames.tolist(), made.own.tolist(), strict=True))
        own.update(action_ids()[actions[k]] for one, k, _ in seen if one == name)
    assert own == alone and own["dissection"] > own.total() / 2


@pytest.mark.parametrize("name", VIDEOS)
def test_real_centrality_is_counted_from_the_boxes(real, real_dataset, name):
    made = derived_clips(real(name)[1], ActionLimits(reach=200)).clips
    root = real_dataset("cholect50-challenge-val")
    labels = json.loads((root / "labels" / f"{name}.json").read_text())["annotations"]
    for clip in made.clips:
        boxed = central = 0
        for second in range(clip.start, clip.end + 1):
            acting = [row for row in labels.get(str(second), ()) if 0 <= row[7] <= 8 and row[5] > 0]
            centres = [(x + w / 2, y + h / 2) for _, _, _, x, y, w, h, *_ in acting]
            boxed += bool(centres)
            central += any(abs(x - 0.5) <= 0.3 and abs(y - 0.5) <= 0.3 for x, y in centres)
        assert clip.centrality == (central / boxed if boxed else None)
