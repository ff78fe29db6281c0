"""Checks the texts of a row: question, answer, evidence and rubric."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from surgqa.transforms.checks.medstream.sample import StreamRow
from surgqa.transforms.checks.medstream.words import compact, plain, words

SHORTEST_STEM = (15, 3)
"""Minimum number of characters and words of a question."""

RUBRIC = {"correctness": (2, 1, 0), "evidence_grounding": (2, 1, 0), "safety": (1, 0)}
"""Keys of a rubric, and the scores for which each key must state what earns them."""

_FILLERS = ("", "none", "null", "n/a", "na", "nan", "tbd", "todo", "unknown", "placeholder",
            "not available", "not applicable", "not specified", "no comment")  # fmt: skip
_LACK = re.compile(
    r"(there (is|was|are) )?(no|not enough|insufficient|missing|lack of)"
    r"( (specific|sufficient|relevant|usable|direct|clear|structured|available|reliable|visual|"
    r"textual|supporting|additional))*"
    r" (evidence|information|data|annotations?|labels?|details?|description|summary)"
    r"( (is|was|are|were|has been))?( (available|provided|found|given|present|recorded|stored))?"
    r"( (for|in|from|about) (this|the|that|it)( \w+){0,3})?"
)
_DATA = re.compile(
    r"\b(splits?|folders?|subfolders?|director(y|ies)|data ?sets?|subsets?|annotat\w+|"
    r"label(s|led|ed|ling|ing)?|ground truth|file ?names?|files?|meta ?data|csv|json|"
    r"(train|training|test|validation) set)\b",
    re.IGNORECASE,
)
_RAW = re.compile(r"(?<![\w.])\d+\.\d{4,}(?!\d|\w*\.\w)")
_SEEN = re.compile(
    r"\b(pink\w*|red|reddish|whit(e|ish)|yellow(ish)?|black|dark|bright|shiny|glistening|metal|"
    r"metallic|silver|plastic|gloved|smooth|rough|glossy|blurry|background|foreground|corner|"
    r"tissue|fat|membrane|"
    r"(upper|lower|left|right|top|bottom|central)(?=[ -](side|hand|part|corner|half|quadrant|edge|"
    r"third|area|region|left|right|cent(re|er)|of)\b))"
)
"""Words for appearance and position, which label files seldom contain."""


def stem_too_short(sample: StreamRow) -> Iterator[str]:
    """D01: the question must have at least 15 characters and three words."""
    length, count = len(sample.stem), len(sample.stem.split())
    if length < SHORTEST_STEM[0] or count < SHORTEST_STEM[1]:
        yield f"{length} characters, {count} words: {sample.stem!r}"


def filler(sample: StreamRow) -> Iterator[str]:
    """D02: answer, evidence text and rubric must not be blank or placeholders."""
    texts = {"answer": sample.answer, "evidence": sample.evidence}
    texts |= {f"judge_rubric.{k}": v for k, v in sample.rubric.items() if isinstance(v, str)}
    for name, said in texts.items():
        if is_filler(said):
            yield f"{name}: {said!r}"


def is_filler(said: str) -> bool:
    """Return whether a text stands for a missing one, such as "no information available"."""
    one = plain(said)
    return one in _FILLERS or bool(_LACK.fullmatch(one))


def evidence_is_answer(sample: StreamRow) -> Iterator[str]:
    """D03: the evidence text must not merely repeat the answer."""
    if sample.answer and plain(sample.evidence) == plain(sample.answer):
        yield repr(sample.evidence)


def asks_about_data(sample: StreamRow) -> Iterator[str]:
    """D15: the question must ask about what is visible, not about how the data are stored."""
    if found := _DATA.search(sample.stem):
        yield f"{found[0]!r} in {sample.stem!r}"


def raw_numbers(sample: StreamRow) -> Iterator[str]:
    """D25: numbers in texts must have at most three decimals."""
    texts = [sample.stem, sample.evidence, *sample.choices, *sample.answers]
    texts += [said for said in sample.rubric.values() if isinstance(said, str)]
    texts += [one.expected for one in sample.rounds]
    for said in dict.fromkeys(texts):
        if found := _RAW.search(said):
            yield f"{found[0]} in {said!r}"


def rubric_without_anchors(sample: StreamRow) -> Iterator[str]:
    """D27: the rubric must have its three keys, and each must state what earns each score."""
    if sample.form != "open":
        return
    keys = [str(key) for key in sample.rubric]
    if sorted(keys) != sorted(RUBRIC):
        yield f"expected {', '.join(RUBRIC)}; found {', '.join(keys) or 'none'}"
        return
    for key, scores in RUBRIC.items():
        said = sample.rubric[key]
        lacking = [n for n in scores if not (isinstance(said, str) and _anchor(n).search(said))]
        if lacking:
            yield f"{key}: nothing for {', '.join(map(str, lacking))} in {said!r}"


@cache
def _anchor(score: int) -> re.Pattern[str]:
    """Return a pattern for ``2: …``, ``2 = …``, ``2) …``, ``2 - …`` or ``2 points``."""
    return re.compile(rf"(?<![\d.\-–]){score}\s*(?:[:=)]|(?:[-–]|points?\b)(?!\s*\d))")


def more_than_the_label(sample: StreamRow) -> Iterator[str]:
    """D28: words for appearance and position must also occur in the evidence text."""
    if sample.form != "open":
        return
    grading = sample.rubric.get("correctness")
    texts = (sample.stem, sample.answer, grading if isinstance(grading, str) else "")
    known = words(f"{sample.evidence} {sample.task}".casefold())
    said = [found.group() for found in _SEEN.finditer(" ".join(texts).casefold())]
    extra = [word for word in dict.fromkeys(said) if words(word) not in known]
    if extra and compact(sample.evidence):
        yield f"not in the evidence: {', '.join(extra)}"
