"""Right chains of the recording of :mod:`.world`, worked out on paper.

A chain is a dictionary: ``slots``; ``windows`` (seconds) of Q1 to Q3; by stage (main, Q1, Q2,
Q3) ``values``, ``options`` (the right one marked by a star), ``knowledge``, ``clue``, ``context``
and ``checks``; ``proof``, the rows it points to.
"""

from __future__ import annotations

from collections.abc import Callable

from ontology.keys import digest
from ontology.knowledge import statement

from .world import PROCEDURE, us

ORDER, CUES, EFFECTS, CHANGES, ANOMALIES = (
    "causal_action_ordering", "cue_action_alignment", "affordance_mapping",
    "micro_transition_localization", "anomaly_onset_tracking",
)  # fmt: skip
DEEDS = {
    "clip": {"tool": "clipper", "verb": "clip", "target": "cystic_duct"},
    "cut": {"tool": "scissors", "verb": "cut", "target": "cystic_duct"},
    "irrigate": {"tool": "irrigator", "verb": "irrigate", "target": "gallbladder"},
    "dissect": {"tool": "hook", "verb": "dissect", "target": "cystic_duct"},
    "retract": {"tool": "grasper", "verb": "retract", "target": "cystic_duct"},
}
NOUNS = {
    "clip": "clipping the cystic duct with the clip applier",
    "cut": "cutting the cystic duct with the scissors",
    "irrigate": "irrigating the gallbladder with the irrigator",
    "dissect": "dissecting the cystic duct with the hook",
    "retract": "retracting the cystic duct with the grasper",
}


def span(start: float, end: float) -> str:
    return f"{start:.2f} s to {end:.2f} s"


def made(
    task: str, event: str, slots: dict, what: dict, first: list[str], segments: list[tuple],
    instants: list[float], windows: list[tuple], key: dict, proof: list[str], *, told: str,
    iou: float = 1.0, halves: list[str] | None = None, box: list[float] | None = None,
    where: tuple[str, str] = ("", ""), resolution: float = 0.04, coarse: bool = False,
    spacing: float = 0.5,
) -> dict:  # fmt: skip
    """A chain; of ``first``, ``segments``, ``instants`` and ``halves`` the first one is right.

    Args:
        key: what knowledge is looked up by.
        told: what contexts say of Q1's answer.
        halves: of the main question, where they are not options of Q1.
        where: places for the clues of Q2 and Q3.
    """
    time, segment = instants[0], span(*segments[0])
    wide = [end - start for start, end in windows]
    common = [{"name": "scale_coarse", "measured": float(coarse), "limit": ""}]
    checks = [[{"name": "window_s", "measured": wide[max(0, stage - 1)], "limit": ""}, *common]
              for stage in range(4)]  # fmt: skip
    checks[2] += [{"name": "segment_iou", "measured": iou, "limit": "> 0.7"},
                  {"name": "grid_s", "measured": 1.0, "limit": ""}]  # fmt: skip
    gap = min(abs(other - time) for other in instants[1:])
    limit = ">= 2 x resolution" if coarse else ">= 0.5"
    checks[3] += [{"name": "spacing_s", "measured": gap, "limit": limit},
                  {"name": "resolution_s", "measured": resolution, "limit": ""}]  # fmt: skip
    known = [statement(task, stage, procedure=PROCEDURE, **key) for stage in (1, 2, 3)]
    mains = [f"{half[0].upper()}{half[1:]}, at {when:.2f} s"
             for half in (halves or first)[:2] for when in instants[:2]]  # fmt: skip
    scale = {"scale": "coarse" if coarse else "standard", "spacing_us": us(spacing)}
    whole = {"what": what, "time_us": us(time), **({"box_xyxy": box} if box else {})}
    return {
        "slots": {"chain": {"task": task, "event": event, **scale}, **slots},
        "windows": windows,
        "values": [whole, what, {"interval_us": [us(edge) for edge in segments[0]]},
                   {"time_us": us(time)}],
        "options": [starred(texts, turn) for turn, texts in enumerate((
            mains, first, [span(*one) for one in segments], [f"{t:.2f} s" for t in instants]))],
        "knowledge": [None, *(one.text if one else None for one in known)],
        "clue": [None, f"It is to be seen from {segment}.",
                 f"Watch the field{where[0]} from {segment}.",
                 f"The decisive picture is at {time:.2f} s{where[1]}."],
        "context": [None, None, f"It is established that {told}.",
                    f"It is established that {told}, and that it begins in {segment}."],
        "checks": checks,
        "proof": proof,
    }  # fmt: skip


def starred(texts: list[str], turn: int) -> list[str]:
    """Options with the first one marked as right and moved to a letter."""
    rest = texts[1:]
    return [*rest[:turn], f"{texts[0]}*", *rest[turn:]]


def relations(first: str, second: str) -> list[str]:
    a, b = NOUNS[first], NOUNS[second]
    return [
        f"{a} is over before {b} begins",
        f"{b} is over before {a} begins",
        f"the two overlap, and {a} begins first",
        f"the two overlap, and {b} begins first",
    ]


RULE = "The cystic duct is clipped before it is divided, so that no bile leaks from either end."
"""What the bank says of the two actions: Q1's knowledge."""
SEGMENTS = [(50, 53), (47, 50), (53, 56), (56, 59)]
INSTANTS = [52.04, 53.04, 51.52, 52.56]
WINDOWS = [(44, 64), (46, 60), (51, 53.5)]


def order(
    first: str = "clip", second: str = "cut", *, segments=SEGMENTS, instants=INSTANTS,
    windows=WINDOWS, halves=None,
) -> dict:  # fmt: skip
    one, other = DEEDS[first], DEEDS[second]
    texts = relations(first, second)
    starts = f"action-50200000-{first}", f"action-58000000-{second}"
    spec = made(
        ORDER, starts[0], {"one": one, "other": other}, {"relation": "one_before_other"}, texts,
        segments, instants, windows,
        {"verb": first, "target": "cystic_duct", "phase": "clipping_and_cutting"},
        [*starts, "state-52040000-clipped"], told=texts[0], iou=2.8 / 3,
        where=(" at [300, 300, 400, 400]", " at [400, 400, 500, 500]"), halves=halves,
    )  # fmt: skip
    spec["knowledge"][1] = RULE
    if (first, second) != ("clip", "cut"):
        target = one["target"] if one["target"] == other["target"] else ""
        told = statement(ORDER, 1, target=target, phase="clipping_and_cutting",
                         procedure=PROCEDURE)  # fmt: skip
        spec["knowledge"][1] = told.text if told else None
    return spec


def coarse_order() -> dict:
    """From labels at one instant a second: Q3 is asked in steps of two seconds."""
    one, other = DEEDS["retract"], DEEDS["dissect"]
    texts = relations("dissect", "retract")
    rows = [digest("v1", second, track) for second, track in
            ((20, "hook-1"), (22, "hook-1"), (26, "grasper-1"), (28, "grasper-1"))]  # fmt: skip
    return made(
        ORDER, rows[0], {"one": one, "other": other}, {"relation": "other_before_one"}, texts,
        [(20, 23), (17, 20), (23, 26), (26, 29)], [20, 22, 18, 24],
        [(10, 35), (16, 31), (17, 25)],
        {"verb": "dissect", "target": "cystic_duct", "phase": "calot_triangle_dissection"},
        rows, told=texts[0], resolution=1.0, coarse=True, spacing=2,
    )  # fmt: skip


def cue_texts(noun: str) -> list[str]:
    return ["yes, one cue comes before it", "no, it starts without any warning",
            "yes, several cues come at the same time",
            f"{noun} does not take place in this part of the recording"]  # fmt: skip


def cue() -> dict:
    noun = "dissecting the gallbladder with the hook"
    return made(
        CUES, "action-100000000-dissect",
        {"deed": {"tool": "hook", "verb": "dissect", "target": "gallbladder"}},
        {"cue": "one", "label": "approach"}, cue_texts(noun),
        [(98, 99), (97, 98), (99, 100), (100, 101)], [100, 100.52, 100.76, 101],
        [(90, 110), (96, 102), (98.8, 101.2)],
        {"verb": "dissect", "target": "gallbladder", "phase": "gallbladder_dissection"},
        ["action-100000000-dissect", "cue-98800000-approach"],
        told=f"it comes to {noun} like this: the instrument moves towards the tissue",
    )  # fmt: skip


def no_cue() -> dict:
    noun = "retracting the liver with the grasper"
    one, none, *rest = cue_texts(noun)
    return made(
        CUES, "action-130000000-retract",
        {"deed": {"tool": "grasper", "verb": "retract", "target": "liver"}},
        {"cue": "none", "label": None}, [none, one, *rest],
        [(130, 131), (129, 130), (131, 132), (132, 133)], [130, 130.52, 129.48, 131],
        [(122, 142), (128, 134), (129, 131.5)],
        {"verb": "retract", "target": "liver", "phase": "gallbladder_dissection"},
        ["action-130000000-retract", "watched-110000000-tracks", "watched-110000000-speech",
         "watched-110000000-camera"],
        told=f"nothing announces it before {noun}", where=("", " at [200, 200, 500, 500]"),
    )  # fmt: skip


def effect() -> dict:
    texts = ["it draws the liver aside to expose what it covers",
             "it divides the liver into separate parts",
             "it closes the liver from outside so that nothing flows",
             "it joins the edges of the liver with thread"]  # fmt: skip
    return made(
        EFFECTS, "action-130000000-retract",
        {"tool": "grasper", "tissue": "liver", "phase": "gallbladder_dissection"},
        {"effect": "exposed"}, texts,
        [(130, 133), (127, 130), (133, 136), (136, 139)], [130, 130.52, 129.48, 131],
        [(122, 142), (126, 140), (129, 131.5)],
        {"verb": "retract", "target": "liver", "phase": "gallbladder_dissection"},
        ["action-130000000-retract"], told=texts[0], where=("", " at [200, 200, 500, 500]"),
    )  # fmt: skip


def change() -> dict:
    texts = ["from coagulating the liver to dissecting the cystic plate",
             "from dissecting the cystic plate to coagulating the liver",
             "from coagulating the liver to grasping the gallbladder",
             "from grasping the gallbladder to dissecting the cystic plate"]  # fmt: skip
    return made(
        CHANGES, "action-154400000-dissect",
        {"tool": "bipolar", "phase": "gallbladder_dissection"},
        {"before": {"verb": "coagulate", "target": "liver"},
         "after": {"verb": "dissect", "target": "cystic_plate"}}, texts,
        [(154, 155), (153, 154), (155, 156), (156, 157)], [154.4, 153.88, 154.92, 155.4],
        [(146, 166), (152, 158), (153.5, 155.6)],
        {"verb": "dissect", "target": "cystic_plate", "phase": "gallbladder_dissection"},
        ["action-150000000-coagulate", "action-154400000-dissect"],
        told=f"the use of the bipolar forceps changes {texts[0]}",
    )  # fmt: skip


def anomaly(elsewhere: str = "[100, 100, 180, 160]") -> dict:
    texts = [f"{name} at the liver"
             for name in ("bleeding", "perforation", "thermal injury", "lost needle")]  # fmt: skip
    return made(
        ANOMALIES, "anomaly-170000000-bleeding", {},
        {"anomaly": "bleeding", "target": "liver"}, texts,
        [(170, 173), (167, 170), (173, 176), (176, 179)], [170, 170.52, 169.48, 171],
        [(162, 182), (166, 180), (169, 171.5)], {"anomaly": "bleeding", "target": "liver"},
        ["anomaly-170000000-bleeding", "roi-170000000-"], iou=2.5 / 3,
        told="what goes wrong is bleeding at the liver", box=[0.54, 0.42, 0.62, 0.48],
        halves=["[540, 420, 620, 480]", elsewhere],
        where=(" at [540, 420, 620, 480]", " at [540, 420, 620, 480]"),
    )  # fmt: skip


PLACES = ["[540, 420, 620, 480]", "[100, 100, 180, 160]", "[700, 100, 780, 160]",
          "[100, 700, 180, 760]"]  # fmt: skip


def anomaly_places(places: list[str] = PLACES) -> dict:
    """Q3 asks for the place at the onset."""
    spec = anomaly()
    spec["values"][3]["box_xyxy"] = [0.54, 0.42, 0.62, 0.48]
    spec["options"][3] = starred(places, 3)
    spec["checks"][3] = [one for one in spec["checks"][3] if one["name"] != "spacing_s"]
    return spec


RIGHT: dict[str, Callable[[], dict]] = {
    "order": order, "coarse order": coarse_order, "cue": cue, "no cue": no_cue, "effect": effect,
    "change": change, "anomaly": anomaly,
    "anomaly with places": anomaly_places,
}  # fmt: skip
