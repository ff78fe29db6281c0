"""Candidates: every way to fill a template's slots, for all windows of a video at once.

A table of R fillings with one column per slot.  Slots are added one after another; each
multiplies the rows by its admissible values.  Conditions are masks over the rows, and
one filling per window is drawn at the end.

Columns hold small integers into the view (see :mod:`transforms.windows.view`):

========================  ===============================================================
``instant``               (R,) slot s of the window's annotated instants
``interval``              (R, 2) first and last slot
``instrument``            (R,) presence
``instrument_class``      (R,) index into the video's vocabulary
``verb``, ``target``      (R,) index into the timeline's verbs or targets
``choice``                (R,) index into the listed values
``change``                (R,) slot at which the new action starts
``point``                 (R, 2) x and y in thousandths of the frame
``box``                   (R,) row of the instrument table
========================  ===============================================================
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from ontology.keys import combine, mix64
from transforms.language.template import Call
from transforms.windows import View


@dataclass(frozen=True, eq=False)
class Candidates:
    """R fillings.

    Attributes:
        window: int32 (R,), ascending.
        columns: slot -> integer array, see above.
        slot_codes: slot -> uint64 (R,), codes from content alone.
        codes: uint64 (R,), all slots folded: what the draw hashes.
    """

    view: View
    calls: Mapping[str, Call]
    window: np.ndarray
    columns: Mapping[str, np.ndarray]
    slot_codes: Mapping[str, np.ndarray]
    codes: np.ndarray

    def __len__(self) -> int:
        return len(self.window)

    @classmethod
    def empty(cls, view: View) -> Candidates:
        """One row per window, no slots yet."""
        n = len(view.windows)
        return cls(view, {}, np.arange(n, dtype=np.int32), {}, {}, np.zeros(n, dtype=np.uint64))

    def extended(
        self, slot: str, call: Call, parent: np.ndarray, values: np.ndarray, codes: np.ndarray
    ) -> Candidates:
        """A table with one more slot; ``parent`` (ascending) says which row each came from."""
        code = mix64(codes)
        return Candidates(
            self.view,
            {**self.calls, slot: call},
            self.window[parent],
            {**{k: v[parent] for k, v in self.columns.items()}, slot: values},
            {**{k: v[parent] for k, v in self.slot_codes.items()}, slot: code},
            combine(self.codes[parent], code),
        )

    # -- columns by role ------------------------------------------------------------------

    def col(self, slot: str) -> np.ndarray:
        """The column of a slot."""
        return self.columns[slot]

    def ends(self, span: str) -> tuple[np.ndarray, np.ndarray]:
        """First and last slot (R,), (R,) of an interval."""
        both = self.columns[span]
        return both[:, 0], both[:, 1]

    def time(self, slots: np.ndarray) -> np.ndarray:
        """int64 (R,), the instants at slots of each row's window."""
        return self.view.time[self.window, slots]

    def seconds(self, span: str) -> np.ndarray:
        """float64 (R,), length of an interval."""
        first, last = self.ends(span)
        return (self.time(last) - self.time(first)) / 1e6

    def value(self, slot: str, row: int) -> object:
        """The listed value that a ``choice`` slot holds in a row."""
        values = self.calls[slot].args["from"]
        return values[int(self.columns[slot][row])]  # type: ignore[index]

    def is_yes(self, truth: str | None) -> np.ndarray:
        """bool (R,): a yes/no choice slot says yes (all true where there is no such slot)."""
        if truth is None:
            return np.ones(len(self), dtype=bool)
        values = np.array([v == "yes" for v in self.calls[truth].args["from"]])  # type: ignore[union-attr]
        return values[self.columns[truth]]
