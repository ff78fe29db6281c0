"""Recordings of 200 s by hand for questions about units, and right items of each kind.

Action clips, one label a second (D dissects, R retracts, C clips, K coagulates, A aspirates,
``.`` idles); seconds, both ends included:

==========================  =====  ========================================================
phase                       from   shows
==========================  =====  ========================================================
preparation                 0      D 0-9
calot_triangle_dissection   10     D 10-29, R 30-32, D 33-42
clipping_and_cutting        43     C 43-50, at the right edge 43-44, else in the middle
gallbladder_dissection      51     D 51-56, idle 57-58, K 59-64 without box, A 65-71
cleaning_and_coagulation    72     D 72-79
==========================  =====  ========================================================

By hand, with 5 s as the shortest: D 10-42, C 43-50, D 51-58, K 59-64, A 65-71; 62 frames.

Stages, at 25 pictures a second; seconds, half open:

======================================  ===================  ==================================
stage                                   from-to              picture
======================================  ===================  ==================================
preparation                             0-30                 275 at 11 s (middle of 0-30 - 4)
ligament_and_peritoneum_division        30-60, 61-90         1400 at 56 s (middle of 30-90 - 4)
vagina_transection                      90-99.5              none, too short
uterine_vessel_and_ligament_division    100-140              3000 at 120 s, action at 120.02 s
washing                                 140-180              4212 at 168.48 s; 150-165 hidden
specimen_removal                        185-199              4700 at 188 s
======================================  ===================  ==================================
"""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from ontology.concepts import vocabulary
from ontology.keys import digest
from ontology.rows import EVIDENCE_TABLES
from transforms.checks.evidence import VideoView
from transforms.checks.tables import view_of

from ..stream_world import KEY, LENGTH, S, StreamWorld

SHOWN = "D" * 30 + "R" * 3 + "D" * 10 + "C" * 8 + "D" * 6 + ".." + "K" * 6 + "A" * 7 + "D" * 8
DOES = {
    "D": ("dissect", "cystic_plate"), "R": ("retract", "gallbladder"),
    "C": ("clip", "cystic_duct"), "K": ("coagulate", "liver"), "A": ("aspirate", "fluid"),
    ".": ("null_verb", "null_target"),
}  # fmt: skip
ACTION_PHASES = (
    ("preparation", 0, 10), ("calot_triangle_dissection", 10, 43),
    ("clipping_and_cutting", 43, 51), ("gallbladder_dissection", 51, 72),
    ("cleaning_and_coagulation", 72, 80),
)  # fmt: skip
CUT_BY_PEOPLE = (
    ("dissection", 10, 43), ("vessel_clipping", 43, 51), ("dissection", 60, 70),
    ("dissection", 70, 75), ("coagulation", 80, 90),
)  # fmt: skip
STAGES = (
    ("preparation", 0, 30), ("ligament_and_peritoneum_division", 30, 60),
    ("ligament_and_peritoneum_division", 61, 90), ("vagina_transection", 90, 99.5),
    ("uterine_vessel_and_ligament_division", 100, 140), ("washing", 140, 180),
    ("specimen_removal", 185, 199),
)  # fmt: skip
D, C, R, K, A = FIVE = ("dissection", "vessel_clipping", "tissue_retraction", "coagulation",
                        "aspiration")  # fmt: skip
NAMES = ["Dissection", "Vessel Clipping", "Tissue Retraction", "Coagulation", "Aspiration"]
HOW = {"shortest": 5, "reach": 1, "purity": 0.0, "centrality": 0.0}
LAP = "laparoscopic"


def us(seconds: float) -> int:
    return round(seconds * S)


class UnitWorld(StreamWorld):
    """A recording whose labels are given; items are told in microseconds."""

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        self.events, self.segments, self.regions, self.labels = [], [], [], []
        self.moments: list[dict] = []

    def span(self, kind, label, first, last, subject=None, value=None) -> None:
        super().span(kind, label, first, last, subject, value)
        self.segments[-1].update(start_us=us(first), end_us=us(last))

    def view(self) -> VideoView:
        rows = {
            "events": self.events, "tracks": self.tracks(), "segments": self.segments,
            "regions": self.regions, "labels": self.labels, "moments": self.moments,
        }  # fmt: skip
        tables = {
            kind: pa.Table.from_pylist(found, schema=EVIDENCE_TABLES[kind])
            for kind, found in rows.items()
        }
        return view_of(dict.fromkeys(EVIDENCE_TABLES["videos"].names) | self.videos[0], tables)

    def item(self, task, at_us, slots, value, answer, options=(), look_back=0, measured=None,
             **more) -> dict:  # fmt: skip
        """An item at a time, with what it says it measured."""
        start = max(0, at_us - look_back * S)
        row = self.put(task, 0, 0, slots, value, answer, options, **more)
        checks = {"window_s": (at_us - start) / S, **(measured or {})}
        row.update(
            start_us=start, end_us=at_us, query_us=at_us,
            window_id=digest("query", KEY, start, at_us), benchmark=self.benchmark,
            checks=[{"name": name, "measured": one,
                     "limit": f"<= {look_back}" if name == "window_s" else ""}
                    for name, one in checks.items()],
            evidence=[self.proof(slots["about"]["kind"], at_us)],
        )  # fmt: skip
        return row


class ActionWorld(UnitWorld):
    """Verbs and phases, or clips that people cut."""

    benchmark = "sapbench"

    def __init__(self, root: Path, shown: str = SHOWN, cut_by_people: bool = False) -> None:
        super().__init__(root)
        for second, letter in enumerate(shown):
            edge = letter == "C" and second < 45
            x = 0.9 if edge else 0.5
            box = None if letter == "K" else [x - 0.05, 0.45, x + 0.05, 0.55]
            self.event("v1", second, "hook-1", box, [DOES[letter]])
        for label, first, last in ACTION_PHASES:
            self.span("phase", label, first, last)
        if cut_by_people:
            for label, first, last in CUT_BY_PEOPLE:
                self.span("next_action", label, first, last)

    def right(self, name: str, **changes) -> dict:
        """The right item of that name, changed as said."""
        task, second, slots, value, answer, options, measured = ACTION_ITEMS[name]
        given = {"slots": slots, "value": value, "answer": answer, "options": options,
                 "measured": measured, **changes}  # fmt: skip
        return self.item(task, second * S, **given)


class StageWorld(UnitWorld):
    """Stages of a hysterectomy, one action, and time outside the body."""

    benchmark = "surgveo"

    def __init__(self, root: Path) -> None:
        super().__init__(root)
        for second in range(0, LENGTH, 10):
            self.event("v1", second, None, None, None)
        for label, first, last in STAGES:
            self.span("phase", label, first, last)
        self.span("event", "out_of_body", 150, 165)
        self.moment("action", "cut", 120.02, 123)

    def moment(self, kind, label, first, last) -> None:
        self.moments.append(
            {"dataset": "testset", "video_id": "v1", "moment_id": f"{kind}-{len(self.moments)}",
             "kind": kind, "label": label, "start_us": us(first), "end_us": us(last),
             "resolution_us": 40_000, "verb": label, "origin": "annotated"}
        )  # fmt: skip

    def right(self, name: str, **changes) -> dict:
        """The right item of that name, changed as said."""
        task, at, slots, value, answer, options, *more = STAGE_ITEMS[name]
        further = {**(more[0] if more else {}), **changes}
        given = {"slots": slots, "value": value, "answer": answer, "options": options, **further}
        return self.item(task, us(at), **given)


# what is right, worked out on paper


def starred(texts, right) -> list[str]:
    return [text + "*" * (text == right) for text in texts]


def letter(texts, right) -> str:
    return f"{'ABCDE'[texts.index(right)]}) {right}"


def derivation(frame, first, last, how=None) -> dict:
    told = {"source": "derived", **HOW} if how is None else how
    return {"rule": "action_after_frame", "rule_version": 1, "current_frame": frame,
            "next_clip": [first, last], **told}  # fmt: skip


def action_slots(frame, before, clip, actions, after, phase, context, number, of, shares, near,
                 **more) -> dict:  # fmt: skip
    return {
        "about": {"kind": "next_action"}, "current_s": frame, "clip_start_s": before[0],
        "clip_end_s": before[1], "next_clip_start_s": clip[0], "next_clip_end_s": clip[1],
        "previous": actions[-2], "next": actions[-1], "after_next": after, "phase": phase,
        "context_start_s": context[0], "context_end_s": context[1], "clip_number": number,
        "clips": of, "until_action_s": 1, "hole_s": frame - before[1], "purity": shares[0],
        "centrality": shares[1], "history": actions[:-1], "near_frames": near, **more,
    }  # fmt: skip


def action_value(action, following, previous, elapsed, how) -> dict:
    return {"kind": "next_action", "action": action, "index": FIVE.index(action),
            "following": following, "previous": previous, "elapsed": elapsed,
            "derivation": how}  # fmt: skip


def at_42(**more) -> dict:
    return action_slots(42, (10, 42), (43, 50), [D, C], D, "calot_triangle_dissection", (10, 71),
                        1, 5, (1.0, 0.75), [10, 16, 22, 29, 35, 42], **more)  # fmt: skip


def at_58(**more) -> dict:
    return action_slots(58, (51, 58), (59, 64), [D, C, D, K], A, "gallbladder_dissection",
                        (10, 71), 3, 5, (1.0, None), [51, 52, 53, 55, 56, 58], **more)  # fmt: skip


PLANS = [
    "Dissection, then Vessel Clipping, then Coagulation",
    "Vessel Clipping, then Dissection, then Coagulation",
    "Vessel Clipping, then Dissection, then Aspiration",
    "Vessel Clipping, then Tissue Retraction, then Coagulation",
]
TWICE = [
    "Dissection, then Dissection", "Dissection, then Coagulation", "Aspiration, then Dissection",
    "Coagulation, then Dissection",
]  # fmt: skip
PEOPLE = {"source": "imported"}


def at_59(**more) -> dict:
    return action_slots(59, (43, 50), (60, 69), [D, C, D], D, ACTION_PHASES[2][0], (10, 89), 2, 5,
                        (None, None), [43, 46, 49, 52, 55, 59], **more)  # fmt: skip


ACTION_ITEMS: dict[str, tuple] = {
    # name: (task, second, slots, value, answer, options, measured)
    "next": ("future/next_action", 42, at_42(),
             action_value(C, D, D, 0.532258, derivation(42, 43, 50)),
             letter(NAMES, NAMES[1]), starred(NAMES, NAMES[1]),
             {"look_ahead_s": 17.0, "purity": 1.0, "centrality": 0.75}),
    "history": ("future/next_action_history", 58, at_58(told=[C, D]),
                action_value(K, A, D, 0.790323, derivation(58, 59, 64)),
                letter(NAMES, NAMES[3]), starred(NAMES, NAMES[3]),
                {"look_ahead_s": 14.0, "purity": 1.0}),
    "plan": ("future/plan", 42, at_42(horizon=3),
             {"kind": "next_action", "plan": [C, D, K], "horizon": 3,
              "derivation": derivation(42, 43, 50)},
             letter(PLANS, PLANS[1]), starred(PLANS, PLANS[1]),
             {"look_ahead_s": 23.0, "purity": 1.0, "centrality": 0.75}),
    "cut by people": ("future/next_action", 59, at_59(),
                      action_value(D, D, C, 0.621212, derivation(59, 60, 69, PEOPLE)),
                      letter(NAMES, NAMES[0]), starred(NAMES, NAMES[0]),
                      {"look_ahead_s": 16.0}),
    "plan cut by people": ("future/plan", 59, at_59(horizon=2),
                           {"kind": "next_action", "plan": [D, D], "horizon": 2,
                            "derivation": derivation(59, 60, 69, PEOPLE)},
                           letter(TWICE, TWICE[0]), starred(TWICE, TWICE[0]),
                           {"look_ahead_s": 16.0}),
}  # fmt: skip


def stage_slots(of, frame, interval, found_by="middle", **more) -> dict:
    return {
        "about": {"kind": "phase"}, "track": LAP, "frame": frame, "frames": 200, "fps": "25",
        "sample_id": digest("continuation", KEY, LAP, of), "found_by": found_by,
        "interval": [us(one) for one in interval], **more,
    }  # fmt: skip


def names_of(*stages) -> list[str]:
    return [vocabulary("phases")[one].display for one in stages]


def going_on(stage, at, frame, interval, text, found_by="middle") -> tuple:
    value = {"kind": "phase", "stage": stage, "start_us": us(at), "end_us": us(at + 8),
             "frame": frame, "frames": 200}  # fmt: skip
    slots = stage_slots(stage, frame, interval, found_by, stage=stage)
    return ("future/continuation", at, slots, value, f"the recording from {text}", [],
            {"form": "continuation", "measured": {"look_ahead_s": 8.0}})  # fmt: skip


PREP, LIGAMENT, UTERINE, WASHING = (
    "preparation", "ligament_and_peritoneum_division", "uterine_vessel_and_ligament_division",
    "washing",
)  # fmt: skip
NOW = names_of(PREP, UTERINE, "vagina_transection", WASHING)
AFTER = names_of("specimen_removal", LIGAMENT, WASHING, UTERINE)
ORDERS = ["A, B, C", "C, A, B", "B, C, A", "C, B, A"]

STAGE_ITEMS: dict[str, tuple] = {
    # name: (task, second, slots, value, answer, options, further)
    "middle": going_on(PREP, 11, 275, (0, 30), "11 s to 19 s, pictures 275 to 474"),
    "two labels": going_on(LIGAMENT, 56, 1400, (30, 90), "56 s to 64 s, pictures 1400 to 1599"),
    "onset": going_on(UTERINE, 120, 3000, (100, 140), "120 s to 128 s, pictures 3000 to 3199",
                      "onset"),
    "hidden": going_on(WASHING, 168.48, 4212, (140, 180),
                       "168.48 s to 176.48 s, pictures 4212 to 4411"),
    "stage_now": ("present/stage_now", 120, stage_slots(UTERINE, 3000, (100, 140), "onset"),
                  {"kind": "phase", "label": UTERINE}, letter(NOW, NOW[1]), starred(NOW, NOW[1])),
    "next_stage": ("future/next_stage", 11, stage_slots(PREP, 275, (0, 30)),
                   {"kind": "phase", "label": LIGAMENT}, letter(AFTER, AFTER[1]),
                   starred(AFTER, AFTER[1]), {"measured": {"look_ahead_s": 19.0}}),
    "frame_order": ("retrospective/frame_order", 18,
                    stage_slots(PREP, 275, (0, 30), shown_us=[us(18), us(12), us(15)]),
                    {"kind": "phase", "order": ["B", "C", "A"]}, letter(ORDERS, ORDERS[2]),
                    starred(ORDERS, ORDERS[2]), {"look_back": 7}),
}  # fmt: skip
