"""Every operator of the language, one entry each.

Lengths are seconds, positions and distances are in parts of the frame (0 to 1), speeds
in such units per second.
"""

from __future__ import annotations

from transforms.language.operators import Param, define

TOOL = ("instrument",)
CLASS = ("instrument_class",)
MOMENT = ("instant",)
SPAN = ("interval",)


def _slot(doc: str, kinds: tuple[str, ...], default: object = ...) -> Param:
    return Param("slot", doc, default, kinds)


def _of(doc: str = "The instrument.") -> Param:
    return _slot(doc, TOOL)


def _at(doc: str = "The moment.") -> Param:
    return _slot(doc, MOMENT)


def _during(doc: str = "The interval.") -> Param:
    return _slot(doc, SPAN)


# -- slots: what a question can be about -----------------------------------

define(
    "slot",
    "instant",
    "An annotated instant of the window.",
    {
        "classes": Param("integer", "Fewest different instrument classes in view.", 0),
        "boxed": Param("flag", "Every instrument in view must have a box.", False),
        "interactions_known": Param(
            "flag", "Interactions of all in view must be annotated.", False
        ),
    },
    {"": "time"},
)
define(
    "slot",
    "instrument",
    "One instrument followed through the window.",
    {
        "at": _slot("It is in view at this moment.", MOMENT, None),
        "boxed": Param("flag", "It has a box there.", False),
        "differs_from": _slot("It is another one than this.", TOOL, None),
        "after": _slot("Each unordered pair once: it comes after this one.", TOOL, None),
    },
    {"": "instrument"},
)
define(
    "slot",
    "interval",
    "A time between two annotated instants of the window.",
    {
        "of": Param("slots", "Instruments seen at every annotated instant of it.", (), TOOL),
        "boxed": Param("flag", "… and with a box at each.", False),
        "min_seconds": Param("number", "Shortest length.", 2.0),
        "max_seconds": Param("number", "Longest length.", None),
    },
    {"": "interval", "start": "time", "end": "time", "length": "seconds"},
)
define(
    "slot",
    "instrument_class",
    "A class of instruments the dataset annotates.",
    {
        "seen": Param(
            "text", "In the window: yes, no, or either.", "either", choices=("yes", "no", "either")
        ),
    },
    {"": "instrument_class"},
)
define(
    "slot",
    "verb",
    "An action.",
    {
        "of": _slot("Done by this instrument in the window.", TOOL),
        "at": _slot("… at this moment.", MOMENT, None),
    },
    {"": "verb"},
)
define(
    "slot",
    "target",
    "A tissue or object that is acted on.",
    {
        "of": _slot("Touched by this instrument in the window.", TOOL, None),
        "at": _slot("… at this moment.", MOMENT, None),
        "doing": _slot("… with this action.", ("verb",), None),
        "touched": Param(
            "text",
            "By any instrument in the window: yes, or either.",
            "yes",
            choices=("yes", "either"),
        ),
    },
    {"": "target"},
)
define(
    "slot",
    "choice",
    "One of the values listed.",
    {
        "from": Param("names", "The values."),
    },
    {"": "text"},
)
define(
    "slot",
    "change",
    "Where an instrument's action changes to another one.",
    {
        "of": _of(),
        "max_gap_seconds": Param("number", "Longest time between the two actions.", 1.0),
    },
    {"": "time", "before": "verb"},
)
define(
    "slot",
    "point",
    "A point of the picture, on a grid and moved a little by digest.",
    {
        "at": _at("Points are drawn anew for every moment."),
        "cells": Param("integer", "Grid cells along each side.", 5),
    },
    {"": "point"},
)
define(
    "slot",
    "box",
    "The box of an instrument at a moment.",
    {
        "of": _of(),
        "at": _at(),
    },
    {"": "box"},
)

# -- conditions: when it may be asked --------------------------------------

define("condition", "lasts", "Length of an interval in seconds.", {"span": _during()}, bound=True)
define(
    "condition",
    "samples",
    "Annotated instants in an interval, both ends counted.",
    {"span": _during()},
    bound=True,
)
define(
    "condition",
    "continuous",
    "No step of the instrument is faster than the speed limit of linking.",
    {"tool": _of(), "during": _during()},
)
define(
    "condition",
    "travel",
    "Range of the centre along an axis.",
    {"tool": _of(), "during": _during(), "axis": _slot("The axis.", ("choice",))},
    bound=True,
)
define(
    "condition",
    "distinct_extremes",
    "Each extreme position stands out: the next one is farther off or close in time.",
    {
        "tool": _of(),
        "during": _during(),
        "axis": _slot("The axis.", ("choice",)),
        "by": Param("number", "How far the runner-up must be away.", 0.01),
        "or_within_seconds": Param("number", "… or how near in time.", 0.5),
    },
)
define(
    "condition",
    "runs_last",
    "Each instrument in view at the moment is seen without a break for this long.",
    {"at": _at()},
    bound=True,
)
define(
    "condition",
    "off_lines",
    "The centre keeps this distance from the lines of thirds.",
    {"tool": _of(), "at": _at()},
    bound=True,
)
define(
    "condition",
    "nearest_by",
    "How much farther the second nearest instrument is from the point.",
    {"point": _slot("The point.", ("point",)), "at": _at()},
    bound=True,
)
define(
    "condition",
    "overlap",
    "Largest overlap (IoU) with any other box at the moment.",
    {"tool": _of(), "at": _at()},
    bound=True,
)
define(
    "condition",
    "apart_on_axes",
    "The smaller of the two distances, across and down.",
    {"tool": _of(), "other": _of("The other instrument."), "at": _at()},
    bound=True,
)
define(
    "condition",
    "distance_change_clear",
    "The change of distance is not this close to the limit between its classes.",
    {
        "tool": _of(),
        "other": _of("The other instrument."),
        "during": _during(),
        "by": Param("number", "Distance from the limit.", 0.02),
    },
)
define(
    "condition",
    "distance_changes",
    "The two come closer, move farther apart or keep their distance, as the slot says.",
    {
        "tool": _of(),
        "other": _of("The other instrument."),
        "during": _during(),
        "outcome": _slot("closer, farther or maintained.", ("choice",)),
    },
)
define(
    "condition",
    "constant_action",
    "One known action throughout.",
    {"tool": _of(), "during": _during()},
)
define(
    "condition",
    "constant_target",
    "One known target throughout (perhaps none).",
    {
        "tool": _of(),
        "during": _during(),
        "some": Param("flag", "The target must not be 'none'.", False),
    },
)
define(
    "condition",
    "single_actions",
    "Every sample has exactly one known action and target.",
    {"tool": _of(), "during": _slot("The interval; the whole window if left out.", SPAN, None)},
)
define(
    "condition",
    "speed_word_clear",
    "The mean speed is not near the border of two speed words (relative margin).",
    {"tool": _of(), "during": _during(), "by": Param("number", "Relative margin.", 0.10)},
)
define(
    "condition",
    "path_word_clear",
    "The path length is not near the border of two path words (relative margin).",
    {"tool": _of(), "during": _during(), "by": Param("number", "Relative margin.", 0.10)},
)
define(
    "condition",
    "interactions_known",
    "Interactions of all instruments in view are annotated.",
    {
        "at": _slot("At this moment.", MOMENT, None),
        "during": _slot("… or throughout this interval.", SPAN, None),
    },
)
define(
    "condition",
    "boxed",
    "All instruments in view have boxes.",
    {
        "at": _slot("At this moment.", MOMENT, None),
        "during": _slot("… or throughout this interval.", SPAN, None),
    },
)
define(
    "condition",
    "seen_in_window",
    "The class is seen in the window exactly when truth is yes.",
    {"kind": _slot("The class.", CLASS), "truth": _slot("yes or no.", ("choice",), None)},
)
define(
    "condition",
    "seen_at",
    "The class is in view at the moment exactly when truth is yes.",
    {
        "kind": _slot("The class.", CLASS),
        "at": _at(),
        "truth": _slot("yes or no.", ("choice",), None),
    },
)
define(
    "condition",
    "touched_at",
    "Some instrument acts on the target at the moment exactly when truth is yes.",
    {
        "target": _slot("The target.", ("target",)),
        "at": _at(),
        "truth": _slot("yes or no.", ("choice",), None),
    },
)
define(
    "condition",
    "touched_in_window",
    "Some instrument acts on the target in the window.",
    {"target": _slot("The target.", ("target",))},
)
define(
    "condition",
    "touched_during",
    "Some instrument acts on the target in the interval.",
    {"target": _slot("The target.", ("target",)), "during": _during()},
)
define(
    "condition",
    "only_one_doing",
    "No other instrument does this at the moment.",
    {
        "tool": _of(),
        "at": _at(),
        "verb": _slot("The action.", ("verb",), None),
        "target": _slot("The target.", ("target",), None),
    },
)
define(
    "condition", "not_idle", "The action is a real one.", {"verb": _slot("The action.", ("verb",))}
)
define(
    "condition",
    "not_none",
    "The target is a real one.",
    {"target": _slot("The target.", ("target",))},
)
define(
    "condition",
    "idle_around",
    "The instrument is seen and idles at every annotated instant this near, all inside the window.",
    {"tool": _of(), "at": _at(), "seconds": Param("number", "To each side.", 2.0)},
)
define(
    "condition",
    "identified",
    "The class (with its instance number) names one instrument for the whole window: none "
    "of the class left and came back.",
    {"tool": _of()},
)
define(
    "condition",
    "visible_seconds",
    "How long the instrument is seen in the window.",
    {"tool": _of()},
    bound=True,
)
define(
    "condition",
    "actions",
    "Number of the instrument's stretches of one action and target.",
    {"tool": _of(), "min_seconds": Param("number", "Shortest stretch counted.", 0.0)},
    bound=True,
)
define(
    "condition",
    "longest_by",
    "How much longer (seconds) the longest stretch of the action is than the next.",
    {"tool": _of(), "verb": _slot("The action.", ("verb",))},
    bound=True,
)
define(
    "condition",
    "longest",
    "Length of the longest stretch of the action, seconds.",
    {"tool": _of(), "verb": _slot("The action.", ("verb",))},
    bound=True,
)
define(
    "condition",
    "idle_share_clear",
    "The idle share is not this near (parts of 1) to a border of its buckets.",
    {"tool": _of(), "by": Param("number", "Distance from a border.", 0.01)},
)
define(
    "condition",
    "inside_window",
    "The class's first or last sample is more than a label period inside the window.",
    {
        "kind": _slot("The class.", CLASS),
        "end": Param("text", "Which end.", choices=("first", "last")),
    },
)
define(
    "condition",
    "first_action_inside",
    "The instrument's first real action starts more than a label period inside the window "
    "and is a single one.",
    {"tool": _of()},
)
define(
    "condition",
    "leads_by",
    "Relative lead of the best over the second best: (best - second) / best.",
    {
        "measure": Param(
            "text", "What is compared.", choices=("active_seconds", "targets", "verb_seconds")
        ),
        "of": _slot("verb_seconds: the instrument.", TOOL, None),
    },
    bound=True,
)
define("condition", "classes_seen", "Different instrument classes in the window.", bound=True)
define(
    "condition",
    "classes_during",
    "Different instrument classes in the interval.",
    {"during": _during()},
    bound=True,
)
define(
    "condition",
    "targets_touched",
    "Different real targets of the instrument in the window.",
    {"tool": _of()},
    bound=True,
)

# -- answers: what is true -------------------------------------------------

define(
    "answer",
    "extremes",
    "Boxes and times of the two extreme positions on the axis.",
    {"of": _of(), "during": _during(), "axis": _slot("The axis.", ("choice",))},
    {"extremes": "extremes"},
)
define(
    "answer",
    "visible_runs",
    "Every instrument in view with its run around the moment.",
    {"at": _at()},
    {"instruments": "runs"},
)
define(
    "answer",
    "box_at",
    "The instrument's box at the moment.",
    {"of": _of(), "at": _at()},
    {"tool": "instrument", "time": "time", "box": "box"},
)
define(
    "answer",
    "ninth",
    "Which third across and down holds the centre.",
    {"of": _of(), "at": _at()},
    {"horizontal": "text", "vertical": "text"},
)
define(
    "answer",
    "nearest",
    "The instrument nearest to the point.",
    {"point": _slot("The point.", ("point",)), "at": _at()},
    {"tool": "instrument"},
)
define(
    "answer", "named", "The instrument itself.", {"of": _of(), "at": _at()}, {"tool": "instrument"}
)
define(
    "answer",
    "absent",
    "The class is not in the window: the question has no answer.",
    {"kind": _slot("The class.", CLASS)},
    {"kind": "instrument_class"},
)
define(
    "answer",
    "action_after",
    "Action and target after the change.",
    {"change": _slot("The change.", ("change",)), "of": _of()},
    {"action": "action"},
)
define(
    "answer",
    "action_in",
    "The constant action.",
    {"of": _of(), "during": _during()},
    {"verb": "verb"},
)
define(
    "answer",
    "target_in",
    "The constant target.",
    {"of": _of(), "during": _during()},
    {"target": "target"},
)
define("answer", "idling", "The instrument idles.", {"of": _of(), "at": _at()}, {"verb": "verb"})
define(
    "answer",
    "motion",
    "Speeds of the instrument: least, greatest, mean, and its word.",
    {
        "of": _of(),
        "during": _during(),
        "detail": Param("text", "Which fields are kept.", "word", choices=("word", "all")),
    },
    {"min_speed": "number", "max_speed": "number", "mean_speed": "number", "speed_class": "text"},
)
define(
    "answer",
    "touching",
    "Classes acting on the target in the interval.",
    {"target": _slot("The target.", ("target",)), "during": _during()},
    {"labels": "labels"},
)
define(
    "answer",
    "interaction",
    "Total time and number of stretches of action and target.",
    {
        "of": _of(),
        "verb": _slot("The action.", ("verb",)),
        "target": _slot("The target.", ("target",)),
    },
    {"seconds": "seconds", "count": "integer"},
)
define(
    "answer",
    "longest_stretch",
    "The longest uninterrupted stretch of the action.",
    {"of": _of(), "verb": _slot("The action.", ("verb",))},
    {"seconds": "seconds", "start": "time", "end": "time"},
)
define(
    "answer",
    "idle_time",
    "Idle seconds, shares of visible time and window, bucket.",
    {"of": _of()},
    {"seconds": "seconds", "share_visible": "number", "share_clip": "number", "bucket": "text"},
)
define(
    "answer",
    "appearance",
    "First or last sample of the class.",
    {
        "kind": _slot("The class.", CLASS),
        "end": Param("text", "Which end.", choices=("first", "last")),
    },
    {"time": "time"},
)
define(
    "answer",
    "first_action",
    "First real action.",
    {"of": _of()},
    {"action": "action", "time": "time"},
)
define(
    "answer",
    "sequence",
    "Stretches in order.",
    {"of": _of(), "min_seconds": Param("number", "Shortest stretch listed.", 1.0)},
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
    {"of": _of()},
    {"verb": "verb", "seconds": "seconds", "share": "number"},
)
define(
    "answer",
    "targets_of",
    "Different real targets.",
    {"of": _of()},
    {"labels": "target_labels", "count": "integer"},
)
define(
    "answer",
    "relative_position",
    "Left or right, above or below, of the other.",
    {"of": _of(), "other": _of("The other instrument."), "at": _at()},
    {"horizontal": "text", "vertical": "text"},
)
define(
    "answer",
    "distance_change",
    "Closer, farther or maintained, and by how much.",
    {"of": _of(), "other": _of("The other instrument."), "during": _during()},
    {"change": "text", "delta": "number"},
)
define(
    "answer",
    "same_target",
    "Whether two instruments act on one target, and on which.",
    {"of": _of(), "other": _of("The other instrument."), "during": _during()},
    {"same": "yes_no", "first": "target", "second": "target"},
)
define(
    "answer", "count_classes", "Different classes in view.", {"at": _at()}, {"number": "integer"}
)
define(
    "answer",
    "count_instances",
    "Instruments of the class in view.",
    {"kind": _slot("The class.", CLASS), "at": _at()},
    {"number": "integer"},
)
define(
    "answer",
    "most_at_once",
    "Most instruments in view at one instant.",
    {"during": _during()},
    {"number": "integer"},
)
define(
    "answer",
    "is_seen",
    "Whether the class is seen.",
    {
        "kind": _slot("The class.", CLASS),
        "at": _slot("At this moment; anywhere in the window if left out.", MOMENT, None),
    },
    {"yes": "yes_no"},
)
define(
    "answer",
    "is_touched",
    "Whether some instrument acts on the target.",
    {"target": _slot("The target.", ("target",)), "at": _at()},
    {"yes": "yes_no"},
)
define("answer", "classes_at", "Classes in view.", {"at": _at()}, {"labels": "labels"})
define(
    "answer",
    "behaviour",
    "Box, motion and actions of an instrument, for reasoning steps.",
    {"of": _of(), "during": _during()},
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

# -- options: what else could be chosen ------------------------------------

define("options", "yes_no", "A) Yes, B) No, always in this order.")
define(
    "options",
    "numbers",
    "Numbers nearest to the answer, on both sides where possible.",
    {
        "wrong": Param("integer", "How many wrong ones.", 3),
        "beyond": Param("integer", "Largest number is the answer plus this.", 2),
    },
)
define(
    "options",
    "class_sets",
    "Sets seen at other instants of the window, then the answer with one class added, "
    "dropped or swapped.",
    {"wrong": Param("integer", "How many wrong ones.", 3)},
)
