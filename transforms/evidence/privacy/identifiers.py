"""Patterns for record numbers, telephone numbers, number plates and other identifiers."""

from __future__ import annotations

import re

from surgqa.transforms.evidence.privacy.numbers import MaskRule, rule
from surgqa.transforms.evidence.privacy.spoken import (
    HAN,
    counts_up,
    digits_in,
    is_thousands,
    loose_run,
    run,
    single,
)
from surgqa.transforms.evidence.privacy.words import any_of, lists

# What may stand between a cue ("phone") and its number: these words and signs, nothing else.
JOIN = (
    r"(?:[\s,.;:#=–-]|\b(?:is|was|are|reads|read|it's|its|it is|here is|of|with|the|number|no"
    r"|as follows|follows|on|at|under|ends in|starts with)\b)+"
)


def identifiers() -> list[MaskRule]:
    """Return the rules for numbers that identify a person, in order of precedence."""
    return [*_telephones(), *_records(), *_plates(), *_chinese(), *_bare()]


def _telephones() -> list[MaskRule]:
    cue = any_of(lists()["phone_cues"])
    country = r"(?<![\w.])(?:\+|00)\d{1,3}[\s.-]?(?:\(0\)[\s.-]?)?"
    between = r"(?:\s+(?:me|us|him|her|them|the|my|our|his|relatives|family|ward|office|back|\w+))"
    return [
        rule("PHONE", rf"\b{cue}{between}{{0,4}}?{JOIN}(?P<it>{run(3)})"),
        rule("PHONE", rf"\b{cue}{between}{{0,4}}?{JOIN}(?P<it>\+?\d[\d\s./,-]{{4,}}\d)"),
        rule(
            "PHONE",
            rf"\b{cue}{between}{{0,4}}?{JOIN}(?P<it>{loose_run()})",
            unless=lambda text: digits_in(text) < 3,
        ),
        rule("PHONE", rf"\b{cue}{between}{{0,2}}?{JOIN}(?P<it>\d{{1,2}})(?=[.,]?(?:\n|$))"),
        rule(
            "PHONE",
            rf"\b(?:on|at|under)\s+(?:\w+\s+){{0,2}}?(?P<it>{run(1)})"
            r"(?=,?\s+if\s+(?:you|any\w+|some\w+|he|she|they|there)\b)",
            unless=lambda text: digits_in(text) < 3,
        ),
        rule("PHONE", r"(?<!\d)1[3-9]\d{9}(?!\d)"),
        rule("PHONE", rf"{country}\d(?:[\s.-]?\d){{5,12}}(?!\w)"),
        rule("PHONE", r"(?<![\w.-])\(?\d{3,5}\)?[\s.-]\d{3,4}[\s.-]\d{3,4}(?![\w-])"),
        rule("PHONE", r"(?<![\w.-])\d{3}-\d{4}(?![\w-])"),
    ]


def _records() -> list[MaskRule]:
    strong, weak = any_of(lists()["id_cues"]), any_of(lists()["weak_id_cues"])
    token = r"(?=[\w-]*\d)[\w-]{2,}(?:[ -]\d[\w-]*)*"
    unit = any_of(lists()["units"])
    any_cue = rf"\b(?:{strong}|{weak}|{any_of(lists()['labels'])})s?"
    far = r"\bnumbers?\b[^.?!\n\d]{0,24}?\b(?:is|are|reads)\b"
    return [
        rule("ID", r"(?<![\w.-])[A-Za-z]{1,4}-?\d{4,}(?!\w)"),
        rule("ID", rf"\b{strong}{JOIN}(?P<it>{run(2)}|{token})"),
        rule("ID", rf"\b{weak}{JOIN}(?P<it>{run(1)})(?!\s*{unit}\b)", unless=lambda text:
             digits_in(text) < 3),
        rule("ID", rf"\bpatient\b[^.?!\n\d]{{0,30}}?(?P<it>{run(1)})(?=\s*[.,\n]|$)", unless=lambda
             text: digits_in(text) < 3),
        rule("ID", rf"(?m:^)(?P<it>{run(1)})(?=[.,\n])", unless=lambda text:
             digits_in(text) < 4 or is_thousands(text) or counts_up(text)),
        rule("ID", rf"(?m:^)(?P<it>{run(1)})(?=[.,]?(?:\n|$))", unless=lambda text:
             digits_in(text) < 2 or is_thousands(text) or counts_up(text)),
        rule("ID", rf"{far}{JOIN}(?P<it>{run(1)})(?!\s*{unit}\b)", unless=lambda text:
             digits_in(text) < 3),
        rule("ID", rf"{any_cue}{JOIN}?(?:[a-z]{{1,5}}\s+){{0,3}}?(?P<it>{loose_run()})"
             rf"(?!\s*{unit}\b)", unless=lambda text: digits_in(text) < 3),
        rule("ID", rf"(?<![\w.]){run(1)}(?=[\s,.-]*(?:(?:to|for|or)\s+)?\[(?:ID|PHONE)\])"),
        rule("ID", r"(?<![\w.])\d+(?=\s?-\[DATE\])"),
        rule("ID", rf"\[(?:ID|PHONE|DATE)\][ ,.-]*(?:[a-z]{{1,4}}\s+){{0,2}}(?P<it>{run(1)})"
             rf"(?!\s*{any_of([*lists()['counted'], *lists()['units']])}\b)"),
        *_beside(),
    ]  # fmt: skip


def _beside() -> list[MaskRule]:
    """Rules for digits near a masked number, with a word or a line break between them."""
    ends = r"(?=\s*(?:[.,\n]|$)|\s+(?:is|was|has|in|on|and)\b)"
    odd = any_of(lists()["misheard_figures"])
    mark = r"\[(?:ID|PHONE|PLACE)\]"
    return [
        rule("ID", rf"{mark}[ ,.\n-]*\n(?:{odd}\s+)?(?P<it>(?=\S*\d){run(1)}){ends}"),
        rule("ID", rf"(?<![\w.])(?P<it>(?:[a-z]{{1,3}}\d|{run(1)})(?:[\s-]+[a-z]{{1,4}})?)"
             r"(?=[\s,.-]*\[ID\])"),
        rule("ID", r"(?<![\w.])(?P<it>[.-]?\d+)(?=[\s,.]*\[(?:PLACE|DATE)\])"),
        rule("ID", r"(?m:^)(?:case|k|file|number)\W+(?:[a-z']+\s+){0,2}"
             r"(?P<it>(?=\S*\d\d)[\w-]+)(?=[.,\n]|$)"),
    ]  # fmt: skip


def _plates() -> list[MaskRule]:
    cue = any_of(lists()["plate_cues"])
    zh = "".join(lists()["zh"]["plates"])
    plate = r"(?=[A-Z ]*\d|[A-Z]+-)[A-Z0-9]{1,4}[ -]?[A-Z0-9]{2,5}"
    return [
        rule("ID", rf"\b(?i:{cue}){JOIN}(?P<it>{plate})\b", exact=True),
        rule("ID", rf"[{zh}][A-Z][·.\s]?[A-Z0-9]{{5,6}}(?![A-Z0-9])", exact=True),
    ]


def _bare() -> list[MaskRule]:
    """Rules for numbers without a cue, which their length or being read out gives away."""
    unit = any_of(lists()["units"])
    return [
        rule("ID", r"(?<![\w.-])\d{3}-\d{2}-\d{4}(?![\w-])"),
        rule("ID", rf"(?<![\d,])(?<!\d\.)\d{{5,}}[A-Za-z]?(?!\d)(?![.,]\d)(?!\s*{unit}\b)"),
        rule("ID", r"(?<![\w.-])[A-Za-z]{1,3}-?\d{5,}(?!\w)"),
        rule(
            "ID",
            rf"(?<![\w.])(?<!\w-)(?>{run(1)})(?!\s*{unit}\b)",
            unless=lambda text: digits_in(text) < 4 or counts_up(text) or is_thousands(text),
        ),
        rule("ID", rf"(?<![\w.,-])(?!20[0-4]\d)\d{{4}}(?![\w])(?![.,-]\d)(?!\s*{unit}\b)"),
        rule("ID", r"(?<![\w.])\d+(?: ?\.\d+){2,}(?!\w)"),
        rule(
            "ID",
            rf"(?<![\w.])\d+(?:[\s,.]+-\d+)+(?!\w)(?!\s*{unit}\b)",
            unless=lambda text: digits_in(text) < 3,
        ),
        *_read_out(),
    ]


def _read_out() -> list[MaskRule]:
    """Rules for numbers read out figure by figure, and for figures at the end of a clause.

    There may be misheard words between the figures.
    """
    after = any_of([*lists()["counted"], *lists()["units"]])
    noun = rf"(?!\s*{after}\b)(?!\s*(?:of|out of|over|by)\b)"
    single_out = "".join(rf"(?<!{word} )" for word in lists()["listed"])
    plain = rf"^(?!.*\b{any_of(lists()['measures'])}\b)(?:.*\s)?"
    odd = rf"(?:[\s,.-]+{any_of(lists()['misheard_figures'])}\b)?"
    digit = rf"-?(?:{single()}|\d{{1,4}}(?![\w'’]))"
    return [
        rule("ID", rf"{single_out}(?<![\w.])(?<!\w-)"
             rf"(?P<it>{digit}(?>{odd}[\s,.-]+{digit}){{2,}}){noun}", unless=lambda text:
             counts_up(text) or digits_in(text) < 3 or is_thousands(text)),
        rule("ID", rf"(?<![\w.,-])(?P<it>\d{{3,}}\s(?:to|too|two|for)\s\d+){noun}"),
        rule("ID", rf"(?m:{plain})(?P<it>-?\d{{3}}|\d{{1,2}},?\s\d{{2}})(?=\s*[.,\n]|$)",
             unless=lambda text: re.fullmatch(r"[1-9]00", text) is not None),
        rule("ID", rf"(?<![\w.,-])(?<!\d )-\d{{2,}}(?!\w){noun}"),
    ]  # fmt: skip


def _chinese() -> list[MaskRule]:
    cue = any_of(lists()["zh"]["id_cues"])
    join = r"\s*(?:是|为|[:：])?\s*"
    return [
        rule("ID", rf"{cue}{join}(?P<it>[A-Za-z0-9-]{{2,}}|{HAN}(?:[\s、，,]*{HAN}){{1,}})"),
        rule("ID", rf"{HAN}(?:[、，,]?{HAN}){{5,}}"),
    ]
