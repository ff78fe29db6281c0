"""The codes of all checks of rows: D01 to D33 for every row, S01 to S10 for streaming rows.

``docs/medstream.md`` lists the same codes with the same sentences; a test compares them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from surgqa.transforms.checks.codes import Severity

_ROWS = {
    "D01": "The question is empty or too short without its protocol note.",
    "D02": "An answer, the evidence or a rubric is blank or a filler.",
    "D03": "The evidence is the answer.",
    "D04": "The window is empty, or a still image has one.",
    "D05": "The id contains the name of a missing value, such as none or nan.",
    "D06": "An id, or a question with its window and answer, occurs twice.",
    "D07": "The file does not hold one JSON object a line.",
    "D08": "A key is missing, unknown or in the wrong order.",
    "D09": "The window leaves out the video's first millisecond.",
    "D10": "The window's length is not its end minus its start, or it leaves the video.",
    "D11": "The window does not end at the query time or at the round's time.",
    "D12": "The answer is not a choice, or there are not at least two different choices.",
    "D13": "The question asks about another time than its temporal mode.",
    "D14": "The time of the label is not the time of the question.",
    "D15": "The question asks about the data and not about what is visible.",
    "D16": "The answer is spelled in an id, a path or the question.",
    "D17": "A row for models contains a field that reveals the answer.",
    "D18": "The evidence cites no label record.",
    "D19": "The evidence names more than one true choice.",
    "D20": "The task's name states the form of the answer and not what is asked.",
    "D21": "A question reworded by a model does not state the source of its wording.",
    "D22": "The window is shorter than the interval at which frames are sampled.",
    "D23": "The window is longer than a question of this task needs.",
    "D24": "The answer is a score range, and the evidence does not state its bounds.",
    "D25": "A number in a text has more than three decimals.",
    "D26": "A choice is spelled as in a source file and not by its display name.",
    "D27": "The rubric does not state what earns each score.",
    "D28": "The question, answer or rubric has details that the label record lacks.",
    "D29": "The media path is absolute, repeats a folder or leads nowhere.",
    "D30": "The id has characters other than a-z, 0-9, '.', '_' and '-'.",
    "D31": "The id repeats a part of itself.",
    "D32": "Protocol, protocol note and modes do not agree.",
    "D33": "One answer is too frequent in a task.",
}
_STREAMS = {
    "S01": "There are fewer than three rounds, or their times or numbers do not rise.",
    "S02": "A range does not begin at the query time, or ends before its round.",
    "S03": "The answerable flag does not follow from the expected time.",
    "S04": "There is no round before the event, or there are fewer than two from the event on.",
    "S05": "No round is on time, or a round is before the event but within the tolerance.",
    "S06": "An expected output does not fit its round.",
    "S07": "The answer changes between rounds.",
    "S08": "A time is outside the video, or the event is not after the query time.",
    "S09": "The tolerance is not above 0, or a horizon differs from the formula.",
    "S10": "The oracle does not score 1, or a constant reply has an unexpected score.",
}

WARNINGS = ("D33",)
"""Codes that are always warnings. Of D29, only a missing media path is a warning."""


CODES: Mapping[str, tuple[Severity, str]] = MappingProxyType({
    code: (Severity.WARNING if code in WARNINGS else Severity.ERROR, text)
    for code, text in (_ROWS | _STREAMS).items()
})  # fmt: skip
