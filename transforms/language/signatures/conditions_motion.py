"""Conditions on places, times and motion.

Lengths are seconds, positions and distances parts of the frame (0 to 1), speeds such
units per second.
"""

from __future__ import annotations

from transforms.language.operators import Param, define
from transforms.language.signatures.params import a_moment, a_slot, a_span, a_tool

define("condition", "lasts", "Length of an interval in seconds.", {"span": a_span()}, bound=True)
define(
    "condition",
    "samples",
    "Annotated instants in an interval, both ends counted.",
    {"span": a_span()},
    bound=True,
)
define(
    "condition",
    "continuous",
    "No step of the instrument is faster than the speed limit of linking.",
    {"tool": a_tool(), "during": a_span()},
)
define(
    "condition",
    "travel",
    "Range of the centre along an axis.",
    {"tool": a_tool(), "during": a_span(), "axis": a_slot("The axis.", ("choice",))},
    bound=True,
)
define(
    "condition",
    "distinct_extremes",
    "Each extreme position stands out: the next one is farther off or close in time.",
    {
        "tool": a_tool(),
        "during": a_span(),
        "axis": a_slot("The axis.", ("choice",)),
        "by": Param("number", "How far the runner-up must be away.", 0.01),
        "or_within_seconds": Param("number", "… or how near in time.", 0.5),
    },
)
define(
    "condition",
    "runs_last",
    "Each instrument in view at the moment is seen without a break for this long.",
    {"at": a_moment()},
    bound=True,
)
define(
    "condition",
    "off_lines",
    "The centre keeps this distance from the lines of thirds.",
    {"tool": a_tool(), "at": a_moment()},
    bound=True,
)
define(
    "condition",
    "nearest_by",
    "How much farther the second nearest instrument is from the point.",
    {"point": a_slot("The point.", ("point",)), "at": a_moment()},
    bound=True,
)
define(
    "condition",
    "overlap",
    "Largest overlap (IoU) with any other box at the moment.",
    {"tool": a_tool(), "at": a_moment()},
    bound=True,
)
define(
    "condition",
    "apart_on_axes",
    "The smaller of the two distances, across and down.",
    {"tool": a_tool(), "other": a_tool("The other instrument."), "at": a_moment()},
    bound=True,
)
define(
    "condition",
    "distance_change_clear",
    "The change of distance is not this close to the limit between its classes.",
    {
        "tool": a_tool(),
        "other": a_tool("The other instrument."),
        "during": a_span(),
        "by": Param("number", "Distance from the limit.", 0.02),
    },
)
define(
    "condition",
    "distance_changes",
    "The two come closer, move farther apart or keep their distance, as the slot says.",
    {
        "tool": a_tool(),
        "other": a_tool("The other instrument."),
        "during": a_span(),
        "outcome": a_slot("closer, farther or maintained.", ("choice",)),
    },
)
