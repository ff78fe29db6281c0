"""Patterns for hospitals, universities and home addresses."""

from __future__ import annotations

import re

from surgqa.transforms.evidence.privacy.numbers import MaskRule, rule
from surgqa.transforms.evidence.privacy.spoken import run
from surgqa.transforms.evidence.privacy.words import CAPITALS, HAN, LETTERS, any_of, lists, words

WORD = rf"(?:{CAPITALS}{LETTERS}*(?:[-'’]{LETTERS}+)*\.?)"
OPENERS = "The|Our|This|My|At|In|From|Your|A|An|We|Their|Welcome|To|She|He|It|Is|Was|By|Here"


def places() -> list[MaskRule]:
    """Return the rules for hospitals, universities and addresses, in order of precedence."""
    return [*_hospitals(), *_homes(), *_chinese()]


def _hospitals() -> list[MaskRule]:
    phrases = sorted(lists()["places"], key=lambda phrase: (-len(phrase), phrase))
    kind = "|".join(
        r"\s+".join(rf"[{p[0]}{p[0].upper()}]{p[1:]}" for p in phrase.split()) for phrase in phrases
    )
    kind = rf"(?:{kind})(?!\s+{any_of(lists()['hospital_belongings'])}\b)"
    join = r"(?:\s+(?:of|and|for|the|&)\s+|\s+|-)"
    of = rf"(?:\s+of\s+{WORD}(?:\s+{WORD})*)?"
    name = rf"\b(?!(?:{OPENERS})\b){WORD}(?:{join}{WORD}){{0,4}}"
    before = r"\b(?:[Uu]niversity|[Hh]ospital|[Cc]linic|[Ii]nstitute)\s+of\s+"
    quality = any_of(lists()["place_qualities"])
    stop = any_of(lists()["place_stops"])
    lower, part = rf"(?!{stop}\b)[a-zß-ÿ'’]+", r"-?[\w'’]+"
    short = any_of(quality.capitalize() for quality in lists()["places_alone"])
    saint, far = any_of(lists()["saints"]), rf"-?(?!(?:{stop}|and|with)\b)[\w'’]+"
    sent = r"\b(?:transferred|referred|sent|moved|brought|comes?|came)\s+"
    sent += r"(?:(?:to\s+)?us\s+)?(?:from|by|to)\s+"
    kinds = rf"(?:{quality}\s+)*{kind}"
    return [
        rule("PLACE", rf"\b(?:saint|st\.?)\s+\w+(?:\s+\w+)?(?:\s+{quality})*\s+{kind}\b"),
        rule("PLACE", rf"{name}(?:\s+and)?\s+{kind}\b{of}", exact=True),
        rule("PLACE", rf"(?<=[a-z] )(?P<it>{WORD})(?=\s\[PLACE\])", exact=True),
        rule("PLACE", rf"\b(?:at|from|to|in|into|near|via)\s+(?!(?:{OPENERS})\b)"
             rf"(?P<it>{WORD}(?:\s+{WORD}){{0,2}}\s+{short})\b", exact=True),
        rule("PLACE", rf"\b(?:at|from|to)\s+(?P<it>(?!{stop}\b)[\w'’-]+(?:\s+[\w'’-]+)?\s+"
             r"general)(?=[.,?!\n]|$)", unless=_of_words),
        rule("PLACE", rf"{before}{WORD}(?:\s+{WORD})*", exact=True),
        rule("PLACE", rf"\b{lower}(?:\s+-?{lower}){{0,2}}\s+-?(?:{quality}\s+)+{kind}\b"),
        rule("PLACE", rf"\b{lower}\s+(?:hospital|clinic|infirmary)\b", unless=_of_words),
        rule("PLACE", rf"\b{saint}[\s,]+{lower}(?:\s+{part}){{0,2}}?\s+{kinds}\b"),
        rule("PLACE", rf"{sent}(?P<it>{lower}(?:\s+{part}){{0,3}}\s+{kinds})\b"),
        rule("PLACE", rf"\b(?P<it>{far}(?:\s+{far}){{0,2}}\s+{kinds})\b", unless=_of_words),
    ]  # fmt: skip


def _of_words(text: str) -> bool:
    """Whether the text has only common words ("our teaching hospital") and so names no place."""
    from surgqa.transforms.evidence.privacy.gazetteer import is_word

    parts = text.lower().split()[:-1]
    if text.lower().endswith("university"):
        return parts[0] in words("place_qualities")
    if len(parts) > 2 and text.lower().endswith(("center", "centre")):
        return False
    return all(re.split("['’]", part)[0] in words("place_stops") or is_word(part) for part in parts)


def _of_terms(text: str) -> bool:
    """Whether the second word of the text, after a number, is a medical term ("35 Coag")."""
    from surgqa.transforms.evidence.privacy.terms import is_term, near_term

    word = text.split()[1]
    return is_term(word) or near_term(word)


def _homes() -> list[MaskRule]:
    return [*_houses(), *_streets()]


def _streets() -> list[MaskRule]:
    """Rules for streets without a house number, or with one that a recogniser cut off."""
    sure = any_of(name.capitalize() for name in lists()["streets"])
    loose = any_of(lists()["streets_capital"])
    other = any_of([*lists()["units"], *lists()["counted"]])
    return [
        rule("PLACE", rf"\b(?:at|in|to|from|of|near|outside|on)\s+(?P<it>{run(1)}[\s,]+"
             rf"(?!{other}\b)[\w'’-]+(?:\s+[\w'’-]+)?\s+{loose})(?=\s*(?:[.,?!\n]|$|and\b))"),
        rule("PLACE", rf"(?<=[a-z\]] )(?P<it>{WORD}\s+{sure})\b", exact=True),
    ]  # fmt: skip


def _houses() -> list[MaskRule]:
    street = any_of([*lists()["streets"], *lists()["misheard_streets"]])
    capital = any_of(
        name.capitalize() for name in (*lists()["streets"], *lists()["streets_capital"])
    )
    cue, unit = any_of(lists()["home_cues"]), any_of(lists()["units"])
    other = any_of(["in", "on", "and", "to", *lists()["units"], *lists()["counted"]])
    to = r"\b(?:at|in|to|from)\s+"
    word = rf"(?!{other}\b)[a-z'’-]+"
    far = r"(?!(?:in|and|with|at|near)\b)[\w'’-]+"
    home = r"(?:li[vf]\w*|home|house|address\w*|rest)\s+(?:\w+\s+)?(?:at|is|in)\s+"
    return [
        rule("PLACE", rf"\bat\s+(?P<it>\d{{1,3}}\s+{word}(?:\s+[a-z'’-]+){{1,2}})(?=[.,\n]|$)"),
        rule(
            "PLACE", rf"{to}(?P<it>\d{{1,4}}\s+{WORD}(?:\s+[\w'’]+)?)", exact=True, unless=_of_terms
        ),
        rule(
            "PLACE",
            rf"\b\d{{1,5}}(?:[a-z]|st|nd|rd|th)?\s+{WORD}(?:\s+{WORD})?\s+{capital}\b",
            exact=True,
        ),
        rule(
            "PLACE",
            rf"\b{cue}[\s,.:]+(?P<it>(?:{run(1)}[\s,.]+)(?:[\w'’-]+\s+){{0,3}}{street}s?)\b",
        ),
        rule(
            "PLACE",
            rf"\b{cue}[\s,.:]+(?P<it>{run(1)}(?:[\s,]+{far}){{0,3}})",
        ),
        rule(
            "PLACE",
            rf"\b{home}(?P<it>\d{{1,4}}(?!\s*{unit}\b)(?:\s+{far}){{1,3}})",
        ),
        rule(
            "PLACE",
            rf"\b(?P<it>{run(1)}[\s,]+(?!(?:{unit}|the|a)\b)-?[\w'’]+(?:\s+[\w'’]+){{0,2}}?\s+-?"
            rf"{street})\b(?=[\s,.]|$)",
        ),
    ]


def _chinese() -> list[MaskRule]:
    lead = r"(?:(?<=[在到从来是自于])|(?<![\u4e00-\u9fff]))(?!我们|这家|本|该|一家)"
    word = any_of(lists()["zh"]["hospital_words"])
    kind = "(?:医院|诊所|卫生院|医学院)"
    home = any_of(lists()["zh"]["home_cues"])
    part = "(?:省|市|区|县|镇|乡|村|路|街|巷|弄|号|栋|幢|单元|楼|室)"
    return [
        rule("PLACE", rf"{lead}{HAN}{{0,8}}?{word}{HAN}{{0,6}}?{kind}"),
        rule("PLACE", rf"{home}\s*[:：是在于]?\s*(?P<it>(?:[\u4e00-\u9fff〇\d-]{{1,8}}?{part})+)"),
    ]
