"""Made-up prostatectomies, keyframe by keyframe, for the samples of PSI-AVA and GraSP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from surgqa.ontology.keys import h64
from surgqa.ontology.records import Span
from surgqa.transforms.readers.base.sample import Box, Instance

WIDTH, HEIGHT = 1280, 800
SECOND_US = 1_000_000
LABELS: dict[str, dict[str, str]] = {
    "instrument": {
        "Bipolar Forceps": "bipolar", "Prograsp Forceps": "prograsp_forceps",
        "Large Needle Driver": "large_needle_driver",
        "Monopolar Curved Scissors": "monopolar_curved_scissors",
        "Suction Instrument": "suction_instrument", "Clip Applier": "clipper",
        "Laparoscopic Grasper": "laparoscopic_grasper",
    },
    "phase": {
        "Idle": "prostatectomy_idle", "LPIL": "left_pelvic_lymphadenectomy",
        "RPIL": "right_pelvic_lymphadenectomy", "Retzius_Space": "retzius_space_development",
        "Dorsal_Venous_Complex": "dorsal_venous_complex_ligation",
        "Id_Bladder_Neck": "bladder_neck_transection",
        "Seminal_Vesicles": "seminal_vesicle_dissection",
        "Denonvilliers_Fascia": "denonvilliers_fascia_dissection",
        "Pedicle_Control": "prostatic_pedicle_control",
        "Severing_Prostate_Urethra": "prostate_urethra_separation",
        "Bladder_Neck_Rec": "bladder_neck_reconstruction",
    },
    "step": {
        "Idle": "prostatectomy_step_idle", "Id_Illiac_Vein_Artery": "iliac_vessel_identification",
        "Dissection_Illiac_Lymph_Nodes": "iliac_lymph_node_dissection",
        "Dissection_Obturator_Lymph_Nodes": "obturator_lymph_node_dissection",
        "Pack_Lymph_Nodes": "lymph_node_bagging",
        "Prevessical_Dissection": "prevesical_dissection",
        "Ligation_Dorsal_Venous_Complex": "dorsal_venous_complex_suturing",
    },
}  # fmt: skip
"""Source name -> what it is to be read as; ids count on in this order."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One instrument on a keyframe: its box in pixels (x, y, width, height), and its actions."""

    name: str
    box: tuple[float, float, float, float] | None
    actions: tuple[str, ...]
    masked: bool = True


@dataclass(frozen=True, slots=True)
class Keyframe:
    """What a made-up keyframe shows; phase and step are ids."""

    second: int
    phase: int
    step: int
    tools: tuple[Tool, ...] = ()


DOING = {
    "Cauterize": "cauterizing", "Close": "closing_jaws", "Close Something": "closing_on_something",
    "Cut": "cutting", "Grasp": "grasping", "Hold": "holding", "Open": "opening_jaws",
    "Open Something": "spreading_open", "Other": "other_action", "Pull": "pulling",
    "Push": "pushing", "Release": "releasing", "Staple": "stapling", "Still": "keeping_still",
    "Suction": "suctioning", "Travel": "travelling", "Wash": "washing",
}  # fmt: skip


def keyframes_of(case: str, seconds: Sequence[int], variant: int) -> list[Keyframe]:
    """Keyframes at these seconds; the variant decides which oddities occur."""
    out = []
    for place, second in enumerate(seconds):
        phase = 0 if place < 2 else 1 + (place // 4 + variant) % 4
        step = 0 if place < 2 else 1 + (place // 3 + variant) % 6
        out.append(Keyframe(second, phase, step, _tools(case, place, variant)))
    return out


def _tools(case: str, place: int, variant: int) -> tuple[Tool, ...]:
    shift = h64("sample", case, "shift", place) % 400 / 8
    forceps = Tool("Bipolar Forceps", (0.0, 120.5 + shift, 300.25, 180.5), ("Cauterize", "Hold"))
    scissors = Tool(
        "Monopolar Curved Scissors", (640.0, 300.0 + shift, 240.0, 160.0), ("Still",), False
    )
    suction = Tool("Suction Instrument", None, ("Suction", "Travel"))
    other = Tool("Bipolar Forceps", (700.5, 60.0, 200.0, 100.25 + shift), ("Cauterize", "Pull"))
    full = (forceps, scissors, suction, other)
    if place == 1:
        return full
    if place % 5 == 4 and variant % 3 != 2:
        return ()
    return full[: 1 + (place + variant) % 4]


def category_lists(actions: Sequence[str], plural: str) -> dict[str, Any]:
    """The lists of labels as the files have them; ``plural`` is what GraSP adds to their names."""
    names = {
        "categories": [(i, name) for i, name in enumerate(LABELS["instrument"], start=1)],
        f"action{plural}_categories": list(enumerate(actions, start=1)),
        f"phase{plural}_categories": list(enumerate(LABELS["phase"])),
        f"step{plural}_categories": list(enumerate(LABELS["step"])),
    }
    return {
        key: [{"id": i, "name": name, "supercategory": "made up"} for i, name in pairs]
        for key, pairs in names.items()
    }


def true_box(box: tuple[float, float, float, float]) -> Box:
    """Corners as shares of the picture."""
    x, y, w, h = box
    return (x / WIDTH, y / HEIGHT, (x + w) / WIDTH, (y + h) / HEIGHT)


def true_instances(frame: Keyframe, masks: Mapping[int, tuple[str, Box, float]]) -> list[Instance]:
    """The rows of a keyframe; ``masks`` gives text, box and area of those that have one."""
    out = []
    for row, tool in enumerate(frame.tools):
        text, around, area = masks.get(row, ("", None, 0.0))
        box = true_box(tool.box) if tool.box else around
        label = LABELS["instrument"][tool.name]
        attributes = {"area": area} if text else {}
        out.append(Instance(label, box, None, row, mask=text, attributes=attributes))
    return out


def true_action_spans(
    frames: Sequence[Keyframe], first_row: int, path: str, period_us: int = SECOND_US
) -> list[Span]:
    """One span an instrument, action and keyframe; ``first_row`` is where the case begins."""
    out: list[Span] = []
    row = first_row
    for frame in frames:
        told = set()
        for tool in frame.tools:
            subject = LABELS["instrument"][tool.name]
            for action in sorted(tool.actions):
                label = DOING[action]
                if (label, subject) not in told:
                    told.add((label, subject))
                    start = frame.second * period_us
                    where = f"annotations[{row}]"
                    out.append(Span("action", label, start, start + period_us, path, where,
                                    subject=subject))  # fmt: skip
            row += 1
    return out


def true_workflow_spans(
    frames: Sequence[Keyframe], path: str, period_us: int = SECOND_US
) -> list[Span]:
    """Runs of neighbouring seconds of one phase or step; -1 is not annotated."""
    out = []
    for kind in ("phase", "step"):
        concepts = list(LABELS[kind].values())
        runs: list[list[Keyframe]] = []
        for frame in frames:
            before = runs[-1][-1] if runs else frame
            same = getattr(before, kind) == getattr(frame, kind)
            if same and before.second + 1 == frame.second:
                runs[-1].append(frame)
            else:
                runs.append([frame])
        for run in runs:
            code, first, last = getattr(run[0], kind), run[0].second, run[-1].second
            if code >= 0:
                where = f"seconds {first} to {last}"
                out.append(Span(kind, concepts[code], first * period_us, (last + 1) * period_us,
                                path, where))  # fmt: skip
    return out


def in_order(spans: Sequence[Span]) -> tuple[Span, ...]:
    """By (kind, start, end, label, subject)."""
    return tuple(
        sorted(spans, key=lambda s: (s.kind, s.start_us, s.end_us, s.label, s.subject, s.rater))
    )


ONE_A_SECOND = Fraction(1)
