"""Slot kinds: what a question can be about.

Lengths are seconds, positions and distances parts of the frame (0 to 1), speeds such
units per second.
"""

from __future__ import annotations

from transforms.language.operators import Param, define
from transforms.language.signatures.params import MOMENT, TOOL, a_moment, a_slot, a_tool

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
        "at": a_slot("It is in view at this moment.", MOMENT, None),
        "boxed": Param("flag", "It has a box there.", False),
        "differs_from": a_slot("It is another one than this.", TOOL, None),
        "after": a_slot("Each unordered pair once: it comes after this one.", TOOL, None),
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
        "of": a_slot("Done by this instrument in the window.", TOOL),
        "at": a_slot("… at this moment.", MOMENT, None),
    },
    {"": "verb"},
)
define(
    "slot",
    "target",
    "A tissue or object that is acted on.",
    {
        "of": a_slot("Touched by this instrument in the window.", TOOL, None),
        "at": a_slot("… at this moment.", MOMENT, None),
        "doing": a_slot("… with this action.", ("verb",), None),
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
        "of": a_tool(),
        "max_gap_seconds": Param("number", "Longest time between the two actions.", 1.0),
    },
    {"": "time", "before": "verb"},
)
define(
    "slot",
    "point",
    "A point of the picture, on a grid and moved a little by digest.",
    {
        "at": a_moment("Points are drawn anew for every moment."),
        "cells": Param("integer", "Grid cells along each side.", 5),
    },
    {"": "point"},
)
define(
    "slot",
    "box",
    "The box of an instrument at a moment.",
    {
        "of": a_tool(),
        "at": a_moment(),
    },
    {"": "box"},
)
