"""Every code that a check of rows may give: D of any row, S of streaming ones.

``docs/medstream.md`` lists the same codes with the same sentences; a test keeps both in
step.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from transforms.checks.codes import Severity

_ROWS = {
    "D01": "The question is empty or too short once its protocol note is taken off.",
    "D02": "An answer, the evidence or a rubric is blank or a filler.",
    "D03": "The evidence is the answer.",
    "D04": "The window is empty, or a still has one.",
    "D05": "The id holds a missing value spelled out.",
    "D06": "An id, or a question with its window and answer, occurs twice.",
    "D07": "The file does not hold one JSON object a line.",
    "D08": "The keys are not the right ones or stand in another order.",
    "D09": "The window leaves out the recording's first millisecond.",
    "D10": "The window's length is not its end less its start, or it leaves the recording.",
    "D11": "The window does not end when the question is put or the round is held.",
    "D12": "The answer is no choice, or the choices are not two different ones.",
    "D13": "The question asks about another time than its temporal mode.",
    "D14": "The time of the label is not the time that is asked about.",
    "D15": "The question asks about the data and not about what can be seen.",
    "D16": "The answer is spelled in an id, a path or the question.",
    "D17": "A row for models holds what tells the answer.",
    "D18": "The evidence cites no label record.",
    "D19": "The evidence names more than one true choice.",
    "D20": "The task's name says how is asked and not what.",
    "D21": "A reworded question does not say where its wording is from.",
    "D22": "The window is shorter than the step at which pictures are taken.",
    "D23": "The window is longer than such a question needs.",
    "D24": "A range of scores is asked for and its bounds are not in the evidence.",
    "D25": "A number in a text has more than three decimals.",
    "D26": "A choice is spelled as in files and not as people write it.",
    "D27": "The rubric does not say what each score means.",
    "D28": "The question, answer or rubric has details that the label record lacks.",
    "D29": "The media path is absolute, repeats a folder or leads nowhere.",
    "D30": "The id has other characters than a-z, 0-9, '.', '_' and '-'.",
    "D31": "The id repeats a part of itself.",
    "D32": "Protocol, protocol note and modes do not agree.",
    "D33": "One answer is too frequent in a task.",
}
_STREAMS = {
    "S01": "There are fewer than three rounds, or their times or numbers do not rise.",
    "S02": "A range does not begin where the question is put, or ends before its round.",
    "S03": "The answerable flag does not follow from the expected time.",
    "S04": "There is no round before the event, or fewer than two from it on.",
    "S05": "No round is on time, or one comes so shortly before that it counts as on time.",
    "S06": "An expected output does not fit its round.",
    "S07": "The answer changes between rounds.",
    "S08": "A time lies outside of the recording, or the event before the question.",
    "S09": "The tolerance is not above 0, or a horizon differs from the formula.",
    "S10": "The oracle does not score 1, or a constant reply scores what it should not.",
}

WARNINGS = ("D33",)
"""Codes that are always warnings; a media path that is not there is one too, under D29."""


def _table() -> dict[str, tuple[Severity, str]]:
    return {
        code: (Severity.WARNING if code in WARNINGS else Severity.ERROR, text)
        for code, text in (_ROWS | _STREAMS).items()
    }


CODES: Mapping[str, tuple[Severity, str]] = MappingProxyType(_table())
