"""Option rules: what else could be chosen.

Lengths are seconds, positions and distances parts of the frame (0 to 1), speeds such
units per second.
"""

from __future__ import annotations

from transforms.language.operators import Param, define

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
