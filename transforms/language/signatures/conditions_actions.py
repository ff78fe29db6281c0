"""Conditions on classes, actions and targets.

Lengths are seconds, positions and distances parts of the frame (0 to 1), speeds such
units per second.
"""

from __future__ import annotations

from transforms.language.operators import Param, define
from transforms.language.signatures.params import (
    CLASS,
    MOMENT,
    SPAN,
    TOOL,
    a_moment,
    a_slot,
    a_span,
    a_tool,
)

define(
    "condition",
    "constant_action",
    "One known action throughout.",
    {"tool": a_tool(), "during": a_span()},
)
define(
    "condition",
    "constant_target",
    "One known target throughout (perhaps none).",
    {
        "tool": a_tool(),
        "during": a_span(),
        "some": Param("flag", "The target must not be 'none'.", False),
    },
)
define(
    "condition",
    "single_actions",
    "Every sample has exactly one known action and target.",
    {"tool": a_tool(), "during": a_slot("The interval; the whole window if left out.", SPAN, None)},
)
define(
    "condition",
    "speed_word_clear",
    "The mean speed is not near the border of two speed words (relative margin).",
    {"tool": a_tool(), "during": a_span(), "by": Param("number", "Relative margin.", 0.10)},
)
define(
    "condition",
    "path_word_clear",
    "The path length is not near the border of two path words (relative margin).",
    {"tool": a_tool(), "during": a_span(), "by": Param("number", "Relative margin.", 0.10)},
)
define(
    "condition",
    "interactions_known",
    "Interactions of all instruments in view are annotated.",
    {
        "at": a_slot("At this moment.", MOMENT, None),
        "during": a_slot("… or throughout this interval.", SPAN, None),
    },
)
define(
    "condition",
    "boxed",
    "All instruments in view have boxes.",
    {
        "at": a_slot("At this moment.", MOMENT, None),
        "during": a_slot("… or throughout this interval.", SPAN, None),
    },
)
define(
    "condition",
    "seen_in_window",
    "The class is seen in the window exactly when truth is yes.",
    {"kind": a_slot("The class.", CLASS), "truth": a_slot("yes or no.", ("choice",), None)},
)
define(
    "condition",
    "seen_at",
    "The class is in view at the moment exactly when truth is yes.",
    {
        "kind": a_slot("The class.", CLASS),
        "at": a_moment(),
        "truth": a_slot("yes or no.", ("choice",), None),
    },
)
define(
    "condition",
    "touched_at",
    "Some instrument acts on the target at the moment exactly when truth is yes.",
    {
        "target": a_slot("The target.", ("target",)),
        "at": a_moment(),
        "truth": a_slot("yes or no.", ("choice",), None),
    },
)
define(
    "condition",
    "touched_in_window",
    "Some instrument acts on the target in the window.",
    {"target": a_slot("The target.", ("target",))},
)
define(
    "condition",
    "touched_during",
    "Some instrument acts on the target in the interval.",
    {"target": a_slot("The target.", ("target",)), "during": a_span()},
)
define(
    "condition",
    "only_one_doing",
    "No other instrument does this at the moment.",
    {
        "tool": a_tool(),
        "at": a_moment(),
        "verb": a_slot("The action.", ("verb",), None),
        "target": a_slot("The target.", ("target",), None),
    },
)
define(
    "condition", "not_idle", "The action is a real one.", {"verb": a_slot("The action.", ("verb",))}
)
define(
    "condition",
    "not_none",
    "The target is a real one.",
    {"target": a_slot("The target.", ("target",))},
)
define(
    "condition",
    "idle_around",
    "The instrument is seen and idles at every annotated instant this near, all inside the window.",
    {"tool": a_tool(), "at": a_moment(), "seconds": Param("number", "To each side.", 2.0)},
)
define(
    "condition",
    "identified",
    "The class (with its instance number) names one instrument for the whole window: none "
    "of the class left and came back.",
    {"tool": a_tool()},
)
define(
    "condition",
    "visible_seconds",
    "How long the instrument is seen in the window.",
    {"tool": a_tool()},
    bound=True,
)
define(
    "condition",
    "actions",
    "Number of the instrument's stretches of one action and target.",
    {"tool": a_tool(), "min_seconds": Param("number", "Shortest stretch counted.", 0.0)},
    bound=True,
)
define(
    "condition",
    "longest_by",
    "How much longer (seconds) the longest stretch of the action is than the next.",
    {"tool": a_tool(), "verb": a_slot("The action.", ("verb",))},
    bound=True,
)
define(
    "condition",
    "longest",
    "Length of the longest stretch of the action, seconds.",
    {"tool": a_tool(), "verb": a_slot("The action.", ("verb",))},
    bound=True,
)
define(
    "condition",
    "idle_share_clear",
    "The idle share is not this near (parts of 1) to a border of its buckets.",
    {"tool": a_tool(), "by": Param("number", "Distance from a border.", 0.01)},
)
define(
    "condition",
    "inside_window",
    "The class's first or last sample is more than a label period inside the window.",
    {
        "kind": a_slot("The class.", CLASS),
        "end": Param("text", "Which end.", choices=("first", "last")),
    },
)
define(
    "condition",
    "first_action_inside",
    "The instrument's first real action starts more than a label period inside the window "
    "and is a single one.",
    {"tool": a_tool()},
)
define(
    "condition",
    "leads_by",
    "Relative lead of the best over the second best: (best - second) / best.",
    {
        "measure": Param(
            "text", "What is compared.", choices=("active_seconds", "targets", "verb_seconds")
        ),
        "of": a_slot("verb_seconds: the instrument.", TOOL, None),
    },
    bound=True,
)
define("condition", "classes_seen", "Different instrument classes in the window.", bound=True)
define(
    "condition",
    "classes_during",
    "Different instrument classes in the interval.",
    {"during": a_span()},
    bound=True,
)
define(
    "condition",
    "targets_touched",
    "Different real targets of the instrument in the window.",
    {"tool": a_tool()},
    bound=True,
)
