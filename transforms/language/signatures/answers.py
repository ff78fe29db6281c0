"""Answer rules: what is true.

Lengths are seconds, positions and distances parts of the frame (0 to 1), speeds such
units per second.
"""

from __future__ import annotations

from transforms.language.operators import Param, define
from transforms.language.signatures.params import CLASS, MOMENT, a_moment, a_slot, a_span, a_tool

define(
    "answer",
    "extremes",
    "Boxes and times of the two extreme positions on the axis.",
    {"of": a_tool(), "during": a_span(), "axis": a_slot("The axis.", ("choice",))},
    {"extremes": "extremes"},
)
define(
    "answer",
    "visible_runs",
    "Every instrument in view with its run around the moment.",
    {"at": a_moment()},
    {"instruments": "runs"},
)
define(
    "answer",
    "box_at",
    "The instrument's box at the moment.",
    {"of": a_tool(), "at": a_moment()},
    {"tool": "instrument", "time": "time", "box": "box"},
)
define(
    "answer",
    "ninth",
    "Which third across and down holds the centre.",
    {"of": a_tool(), "at": a_moment()},
    {"horizontal": "text", "vertical": "text"},
)
define(
    "answer",
    "nearest",
    "The instrument nearest to the point.",
    {"point": a_slot("The point.", ("point",)), "at": a_moment()},
    {"tool": "instrument"},
)
define(
    "answer",
    "named",
    "The instrument itself.",
    {"of": a_tool(), "at": a_moment()},
    {"tool": "instrument"},
)
define(
    "answer",
    "absent",
    "The class is not in the window: the question has no answer.",
    {"kind": a_slot("The class.", CLASS)},
    {"kind": "instrument_class"},
)
define(
    "answer",
    "action_after",
    "Action and target after the change.",
    {"change": a_slot("The change.", ("change",)), "of": a_tool()},
    {"action": "action"},
)
define(
    "answer",
    "action_in",
    "The constant action.",
    {"of": a_tool(), "during": a_span()},
    {"verb": "verb"},
)
define(
    "answer",
    "target_in",
    "The constant target.",
    {"of": a_tool(), "during": a_span()},
    {"target": "target"},
)
define(
    "answer",
    "idling",
    "The instrument idles.",
    {"of": a_tool(), "at": a_moment()},
    {"verb": "verb"},
)
define(
    "answer",
    "motion",
    "Speeds of the instrument: least, greatest, mean, and its word.",
    {
        "of": a_tool(),
        "during": a_span(),
        "detail": Param("text", "Which fields are kept.", "word", choices=("word", "all")),
    },
    {"min_speed": "number", "max_speed": "number", "mean_speed": "number", "speed_class": "text"},
)
define(
    "answer",
    "touching",
    "Classes acting on the target in the interval.",
    {"target": a_slot("The target.", ("target",)), "during": a_span()},
    {"labels": "labels"},
)
define(
    "answer",
    "interaction",
    "Total time and number of stretches of action and target.",
    {
        "of": a_tool(),
        "verb": a_slot("The action.", ("verb",)),
        "target": a_slot("The target.", ("target",)),
    },
    {"seconds": "seconds", "count": "integer"},
)
define(
    "answer",
    "longest_stretch",
    "The longest uninterrupted stretch of the action.",
    {"of": a_tool(), "verb": a_slot("The action.", ("verb",))},
    {"seconds": "seconds", "start": "time", "end": "time"},
)
define(
    "answer",
    "idle_time",
    "Idle seconds, shares of visible time and window, bucket.",
    {"of": a_tool()},
    {"seconds": "seconds", "share_visible": "number", "share_clip": "number", "bucket": "text"},
)
define(
    "answer",
    "appearance",
    "First or last sample of the class.",
    {
        "kind": a_slot("The class.", CLASS),
        "end": Param("text", "Which end.", choices=("first", "last")),
    },
    {"time": "time"},
)
define(
    "answer",
    "first_action",
    "First real action.",
    {"of": a_tool()},
    {"action": "action", "time": "time"},
)
define(
    "answer",
    "sequence",
    "Stretches in order.",
    {"of": a_tool(), "min_seconds": Param("number", "Shortest stretch listed.", 1.0)},
    {"steps": "steps"},
)
define(
    "answer",
    "most_active",
    "Class that acts longest.",
    {},
    {"kind": "instrument_class", "seconds": "seconds"},
)
define(
    "answer",
    "most_targets",
    "Class with most different targets.",
    {},
    {"kind": "instrument_class", "count": "integer"},
)
define(
    "answer",
    "dominant_verb",
    "The real action with most time.",
    {"of": a_tool()},
    {"verb": "verb", "seconds": "seconds", "share": "number"},
)
define(
    "answer",
    "targets_of",
    "Different real targets.",
    {"of": a_tool()},
    {"labels": "target_labels", "count": "integer"},
)
define(
    "answer",
    "relative_position",
    "Left or right, above or below, of the other.",
    {"of": a_tool(), "other": a_tool("The other instrument."), "at": a_moment()},
    {"horizontal": "text", "vertical": "text"},
)
define(
    "answer",
    "distance_change",
    "Closer, farther or maintained, and by how much.",
    {"of": a_tool(), "other": a_tool("The other instrument."), "during": a_span()},
    {"change": "text", "delta": "number"},
)
define(
    "answer",
    "same_target",
    "Whether two instruments act on one target, and on which.",
    {"of": a_tool(), "other": a_tool("The other instrument."), "during": a_span()},
    {"same": "yes_no", "first": "target", "second": "target"},
)
define(
    "answer",
    "count_classes",
    "Different classes in view.",
    {"at": a_moment()},
    {"number": "integer"},
)
define(
    "answer",
    "count_instances",
    "Instruments of the class in view.",
    {"kind": a_slot("The class.", CLASS), "at": a_moment()},
    {"number": "integer"},
)
define(
    "answer",
    "most_at_once",
    "Most instruments in view at one instant.",
    {"during": a_span()},
    {"number": "integer"},
)
define(
    "answer",
    "is_seen",
    "Whether the class is seen.",
    {
        "kind": a_slot("The class.", CLASS),
        "at": a_slot("At this moment; anywhere in the window if left out.", MOMENT, None),
    },
    {"yes": "yes_no"},
)
define(
    "answer",
    "is_touched",
    "Whether some instrument acts on the target.",
    {"target": a_slot("The target.", ("target",)), "at": a_moment()},
    {"yes": "yes_no"},
)
define("answer", "classes_at", "Classes in view.", {"at": a_moment()}, {"labels": "labels"})
define(
    "answer",
    "behaviour",
    "Box, motion and actions of an instrument, for reasoning steps.",
    {"of": a_tool(), "during": a_span()},
    {
        "box": "box",
        "start": "time",
        "seconds": "seconds",
        "path_length": "number",
        "path_class": "text",
        "mean_speed": "number",
        "speed_class": "text",
        "verb": "verb",
        "verb_share": "number",
        "blocks": "integer",
    },
)
