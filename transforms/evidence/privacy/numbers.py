"""Patterns for dates, ages, identifiers, addresses of all kinds, and places."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache

from transforms.evidence.privacy.words import CAPITALS, HAN, LETTERS, any_of, lists, words

TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
ONES = "one|two|three|four|five|six|seven|eight|nine"
TEENS = "ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen"
TWO_DIGITS = rf"(?:(?:{TENS})(?:[\s-]+(?:{ONES}))?|{TEENS}|oh[\s-]+(?:{ONES}))"
SPELLED_YEAR = (
    rf"(?:(?:nineteen|twenty)[\s-]+{TWO_DIGITS}"
    rf"|two\s+thousand(?:\s+(?:and\s+)?(?:{TEENS}|(?:{TENS})(?:[\s-](?:{ONES}))?|{ONES}))?)"
)
OLD = r"(?:9\d|1[0-4]\d)"
HUNDRED = rf"(?:one|a)\s+hundred(?:\s+(?:and\s+)?(?:{ONES}|{TEENS}))?"
SPELLED_OLD = rf"(?:ninety(?:[\s-](?:{ONES}))?|{HUNDRED})"
HAN_DIGIT = "[〇零一二三四五六七八九十]"


@dataclass(frozen=True, slots=True)
class Rule:
    """What group ``it`` of the pattern matches is replaced by ``[kind]``."""

    kind: str
    pattern: re.Pattern[str]


def _rule(kind: str, pattern: str, *, exact: bool = False) -> Rule:
    if "(?P<it>" not in pattern:
        pattern = f"(?P<it>{pattern})"
    return Rule(kind, re.compile(pattern, 0 if exact else re.IGNORECASE))


@cache
def rules() -> tuple[Rule, ...]:
    """In order of precedence."""
    return (*_addresses(), *_dates(), *_ages(), *_identifiers(), *_places())


def _addresses() -> list[Rule]:
    return [
        _rule("EMAIL", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
        _rule("EMAIL", r"\b[\w.]+\s+at\s+[\w-]+\s+dot\s+(?:com|org|net|edu|de|uk|cn|fr|it)\b"),
        _rule("URL", r"(?:https?://|\bwww\.)[^\s\[\]]+"),
        _rule("URL", r"\b[\w-]+\.(?:com|org|net|edu|gov|io|cn|co\.uk|de)\b(?:/[^\s\[\]]*)?"),
    ]


def _dates() -> list[Rule]:
    return [*_written_dates(), *_figure_dates(), *_chinese_dates()]


def _written_dates() -> list[Rule]:
    months, plain = set(lists()["months"]), words("month_words")
    sure = any_of(sorted(months - plain))
    month = rf"(?:{any_of(sorted(months))})\.?"
    day = rf"(?:(?:the\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)?|{any_of(lists()['ordinals'])}))"
    year = rf"(?:(?:19|20)\d\d|{SPELLED_YEAR})"
    when = r"\b(?:in|since|last|this|next|until|by|during|early|late)\s+"
    return [
        _rule("DATE", rf"\b{day}(?:\s+of)?\s+{month}(?:(?:,?\s+(?:of\s+)?){year})?\b"),
        _rule("DATE", rf"\b{month}\s+{day}(?:(?:,?\s+){year})?\b(?!\s*(?:mm|cm|ml)\b)"),
        _rule("DATE", rf"\b{month}[\s,]+(?:of\s+)?{year}\b"),
        _rule("DATE", rf"{when}(?P<it>{sure})\b\.?"),
        _rule("DATE", rf"{when}(?P<it>March|May)\b(?!\s+be)", exact=True),
    ]


def _figure_dates() -> list[Rule]:
    before, after = r"(?<![\d./-])", r"(?![\w/])"
    year, part = r"(?:19|20)\d\d", r"[0-3]?\d"
    clock = r"(?:T[\d:.]+Z?)?"
    born = r"\b(?:dob|date of birth|born on|birthday|birth date)\W+(?:is\s+|was\s+)?"
    return [
        _rule("DATE", rf"{before}{year}(?P<s>[-/.])\d{{1,2}}(?P=s)\d{{1,2}}{clock}{after}"),
        _rule("DATE", rf"{before}{part}(?P<s>[-/.]){part}(?P=s)(?:{year}|\d\d){after}"),
        _rule("DATE", rf"{born}(?P<it>\d[\d\s./-]*\d)"),
        _rule("DATE", rf"\b(?:on|dated|date)\s+(?P<it>[01]?\d/[0-3]?\d){after}"),
    ]


def _chinese_dates() -> list[Rule]:
    number = rf"(?:\d{{1,2}}|{HAN_DIGIT}{{1,3}})"
    year = rf"(?:(?:19|20)\d\d|[〇零一二三四五六七八九]{{4}}|{HAN_DIGIT}{{2}})\s*年"
    month = rf"(?:1[0-2]|0?[1-9]|{HAN_DIGIT}{{1,2}})\s*月"
    return [
        _rule("DATE", rf"{year}(?:\s*{number}\s*月)?(?:份|\s*{number}\s*[日号])?"),
        _rule("DATE", rf"(?<!\d){month}\s*{number}\s*[日号]"),
    ]


def _ages() -> list[Rule]:
    old = rf"(?P<it>{OLD}|{SPELLED_OLD})"
    han = rf"九十{HAN_DIGIT}?|一百(?:零?{HAN_DIGIT})?"
    other = r"(?!\s*(?:days|weeks|months|degrees))"
    return [
        _rule("AGE", rf"(?<![\d.,-])\b{old}[\s-]*(?:years?|yrs?)[\s-]*(?:old|of age)\b"),
        _rule("AGE", rf"(?<![\d.,-])\b{old}\s*(?:y/o|yo)\b"),
        _rule("AGE", rf"\b(?:aged?|age of|age is|age:)\s*{old}\b{other}"),
        _rule("AGE", rf"(?<!\d)(?P<it>{OLD}|{han})\s*(?:多)?岁"),
    ]


def _identifiers() -> list[Rule]:
    cue, unit = any_of(lists()["id_cues"]), any_of(lists()["units"])
    join = r"(?:\s*(?:is|was|number|no\.?|[:#=])\s*|\s+)+"
    token = r"(?=[\w-]*\d)[\w-]{2,}(?:[ -]\d[\w-]*)*"
    digit = rf"(?:{any_of(lists()['digits'])})"
    zh_cue = any_of(lists()["zh"]["id_cues"])
    country = r"(?<![\w.])(?:\+|00)\d{1,3}[\s.-]?(?:\(0\)[\s.-]?)?"
    return [
        _rule("ID", rf"\b{cue}{join}(?P<it>{token})"),
        _rule("ID", rf"\b{cue}{join}(?P<it>{digit}(?:[\s,-]+{digit}){{2,}})\b"),
        *_plates(join),
        _rule("PHONE", r"(?<!\d)1[3-9]\d{9}(?!\d)"),
        _rule("ID", rf"{zh_cue}\s*(?:是|为|[:：])?\s*(?P<it>[A-Za-z0-9-]{{2,}})"),
        _rule("PHONE", rf"{country}\d(?:[\s.-]?\d){{5,12}}(?!\w)"),
        _rule("PHONE", r"(?<![\w.-])\(?\d{3,5}\)?[\s.-]\d{3,4}[\s.-]\d{3,4}(?![\w-])"),
        _rule("ID", r"(?<![\w.-])\d{3}-\d{2}-\d{4}(?![\w-])"),
        _rule("ID", rf"(?<![\d.,])\d{{6,}}[Xx]?(?!\d)(?![.,]\d)(?!\s*{unit}\b)"),
        _rule("ID", r"(?<![\w.-])[A-Za-z]{1,3}-?\d{6,}(?!\w)"),
        _rule("ID", rf"\b{digit}(?:[\s,-]+{digit}){{5,}}\b"),
    ]


def _plates(join: str) -> list[Rule]:
    cue = any_of(lists()["plate_cues"])
    zh = "".join(lists()["zh"]["plates"])
    plate = r"(?=[A-Z ]*\d|[A-Z]+-)[A-Z0-9]{1,4}[ -]?[A-Z0-9]{2,5}"
    return [
        _rule("ID", rf"\b(?i:{cue}){join}(?P<it>{plate})\b", exact=True),
        _rule("ID", rf"[{zh}][A-Z][·.\s]?[A-Z0-9]{{5,6}}(?![A-Z0-9])", exact=True),
    ]


def _places() -> list[Rule]:
    word = rf"(?:{CAPITALS}{LETTERS}*(?:[-'’]{LETTERS}+)*\.?)"
    kind = "|".join(
        r"\s+".join(rf"[{p[0]}{p[0].upper()}]{p[1:]}" for p in phrase.split())
        for phrase in sorted(lists()["places"], key=lambda phrase: (-len(phrase), phrase))
    )
    join = r"(?:\s+(?:of|and|for|the|&)\s+|\s+|-)"
    street = any_of(name.capitalize() for name in lists()["streets"])
    openers = "The|Our|This|My|At|In|From|Your|A|An|We|Their|Welcome|To"
    of = rf"(?:\s+of\s+{word}(?:\s+{word})*)?"
    name = rf"\b(?!(?:{openers})\b){word}(?:{join}{word}){{0,4}}"
    before = r"\b(?:[Uu]niversity|[Hh]ospital|[Cc]linic|[Ii]nstitute)\s+of\s+"
    lead = r"(?:(?<=[在到从来是自于])|(?<![\u4e00-\u9fff]))(?!我们|这家|本|该|一家)"
    zh_word = any_of(lists()["zh"]["hospital_words"])
    zh_kind = "(?:医院|诊所|卫生院|医学院)"
    return [
        _rule("PLACE", rf"{name}\s+(?:{kind})\b{of}", exact=True),
        _rule("PLACE", rf"{before}{word}(?:\s+{word})*", exact=True),
        _rule("PLACE", rf"\b\d{{1,5}}[a-z]?\s+{word}(?:\s+{word})?\s+{street}\b", exact=True),
        _rule("PLACE", rf"{lead}{HAN}{{0,8}}?{zh_word}{HAN}{{0,6}}?{zh_kind}"),
    ]
