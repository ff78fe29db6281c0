"""One right timed item for every rule; every value was read off the table of the world."""

from __future__ import annotations

from .world import S

PHASES = ["preparation", "Calot triangle dissection", "clipping and cutting",
          "gallbladder dissection"]  # fmt: skip


def about(kind: str, label: str | None = None, **more) -> dict:
    return {"about": {"kind": kind, **more}, **({"label": label} if label else {})}


def starred(texts: list[str], right: str) -> list[str]:
    return [text + "*" * (text == right) for text in texts]


def chosen(texts: list[str], right: str) -> tuple[str, list[str]]:
    """The closed answer's text and the options."""
    return f"{'ABCDEFGH'[texts.index(right)]}) {right}", starred(texts, right)


def _label(kind: str, label: str, **more) -> dict:
    return {"kind": kind, "label": label, **more}


def _rating(label: str, grouping: str, word: str, value: float) -> dict:
    return _label("rating", label, grouping=grouping, bucket=word, value=value)


def _event(at: int | None) -> dict:
    return {"event_us": None if at is None else at * S, "tolerance_us": 2 * S}


RIGHT: dict[str, tuple] = {
    # rule: (task, second, look back, slots, value, (answer, options), further)
    "state_now": ("present/phase_now", 90, 10, about("phase"),
                  _label("phase", "calot_triangle_dissection"), chosen(PHASES, PHASES[1])),
    "state_now with a subject": (
        "present/action_now", 30, 10, about("action", subject="left_hand"),
        _label("action", "grasping", subject="left_hand"),
        ("The left hand is grasping.", [])),
    "presence_now": ("present/tool_presence", 25, 10, about("instrument", "hook"), {"yes": True},
                     chosen(["Yes", "No"], "Yes")),
    "presence_now of a finding": (
        "present/finding_presence", 40, 10, about("finding", "polyp"), {"yes": False},
        chosen(["Yes", "No"], "No")),
    "presence_now of an event": (
        "present/out_of_body_now", 175, 10, about("event", "out_of_body"), {"yes": True},
        chosen(["Yes", "No"], "Yes")),
    "set_now": ("present/tools_now", 25, 10, about("instrument"),
                {"kind": "instrument", "labels": ["grasper", "hook"]},
                chosen(["grasper", "grasper, hook", "clip applier, hook"], "grasper, hook")),
    "number_now": ("present/tool_count", 25, 10, about("instrument"), {"number": 2},
                   chosen(["1", "2", "3"], "2")),
    "target_now": ("present/tool_action", 25, 10,
                   {**about("target", subject="hook"), "tool": {"label": "hook"}},
                   {"instrument": "hook", "verb": "dissect", "target": "cystic_duct"},
                   ("The hook is dissecting the cystic duct.", [])),
    "place_now": ("present/lesion_region", 92, 10, about("finding", "polyp"),
                  _label("finding", "polyp", region="upper left"),
                  chosen(["middle centre", "upper left", "lower right"], "upper left")),
    "score_now": ("present/cvs_now", 105, 4, about("rating", "cvs_two_structures"),
                  _rating("cvs_two_structures", "degree", "fully achieved", 2.0),
                  chosen(["absent", "partly achieved", "fully achieved"], "fully achieved")),
    "state_now, nobody's": ("present/finding_now", 92, 10, about("finding"),
                            _label("finding", "polyp"), ("It is a polyp.", [])),
    "state_ended": ("retrospective/phase_past", 75, 30, about("phase"),
                    _label("phase", "preparation"), ("It was the preparation.", [])),
    "state_ended of an instrument": (
        "retrospective/tool_left", 90, 30, about("instrument"), _label("instrument", "hook"),
        ("The hook left the view.", [])),
    "states_done": ("retrospective/steps_done", 120, 100, about("phase"), {"number": 2},
                    chosen(["1", "2", "3", "4"], "2")),
    "presence_before": ("retrospective/finding_seen", 50, 30, about("finding", "polyp"),
                        {"yes": True}, chosen(["Yes", "No"], "Yes")),
    "presence_before, never": (
        "retrospective/tool_seen", 50, 30, about("instrument", "clipper"), {"yes": False},
        chosen(["Yes", "No"], "No")),
    "set_before": ("retrospective/tools_used", 90, 30, about("instrument"),
                   {"kind": "instrument", "labels": ["grasper", "hook"]},
                   ("A grasper and a hook.", [])),
    "whole_label": ("retrospective/video_experience", 200, None, about("experience"),
                    _label("experience", "novice"),
                    chosen(["expert", "novice"], "novice")),
    "whole_presence": ("retrospective/video_finding", 200, None, about("finding", "ulcer"),
                       {"yes": False}, chosen(["Yes", "No"], "No")),
    "whole_score": ("retrospective/video_skill", 200, None, about("rating", "osats_global_rating"),
                    _rating("osats_global_rating", "thirds", "low", 12.0),
                    chosen(["low", "medium", "high"], "low")),
    "whole_number": ("retrospective/video_count", 200, None, about("count", "sutures"),
                     {"number": 3}, chosen(["2", "3", "5"], "3")),
    "state_next": ("future/phase_next", 90, 30, about("phase"),
                   _label("phase", "clipping_and_cutting"),
                   chosen([*PHASES, "unanswerable"], PHASES[2]), {"look_ahead": 30}),
    "state_next, too far": ("future/phase_next", 70, 30, about("phase"), {"unanswerable": True},
                            chosen([*PHASES, "unanswerable"], "unanswerable"),
                            {"look_ahead": 30}),
}  # fmt: skip

STREAMS: dict[str, tuple] = {
    # rule: (task, second, rounds, slots, value, (answer, options))
    "state_begins": ("future/phase_begins", 90, [94, 99, 104, 110, 118], about("phase"),
                     {**_label("phase", "clipping_and_cutting"), **_event(110)},
                     chosen([*PHASES], PHASES[2])),
    "alert": ("proactive/lesion_alert", 70, [75, 80, 85, 90, 95],
              about("finding", alert="lesion_alert"),
              {"alert": "lesion_alert", "reason": "polyp in view", **_event(90)},
              ("alert: polyp in view", [])),
    "alert, first of the recording": (
        "proactive/clip_alert", 100, [105, 112, 120, 130],
        about("triplet", alert="clip_alert"),
        {"alert": "clip_alert", "reason": "first clip on the cystic duct", **_event(120)},
        ("alert: first clip on the cystic duct", [])),
    "alert, never": ("proactive/lesion_alert", 120, [130, 140, 150, 160],
                     about("finding", alert="lesion_alert"),
                     {"alert": "lesion_alert", "reason": None, **_event(None)}, ("no_alert", [])),
    "state_begins of an instrument": (
        "future/tool_enters", 105, [110, 115, 120, 130], about("instrument"),
        {**_label("instrument", "clipper"), **_event(120)}, ("The clip applier.", [])),
}  # fmt: skip


def add_right(world, rules, **changes) -> dict:
    """Add the right item of a rule, changed as said."""
    task, at, looking, slots, value, (answer, options), *more = {**RIGHT, **STREAMS}[rules]
    further = {**(more[0] if more else {}), **changes}
    put = world.stream if rules in STREAMS else world.put
    given = {"slots": slots, "value": value, "answer": answer, "options": options, **further}
    return put(task, at, looking, **given)
