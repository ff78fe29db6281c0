"""Patterns for dates, ages, e-mail and web addresses; also the rules of all other patterns."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from surgqa.transforms.evidence.privacy.spoken import ONES, TEENS, TENS, run
from surgqa.transforms.evidence.privacy.words import any_of, lists, words

TWO_DIGITS = rf"(?:(?:{TENS})(?:[\s-]+(?:{ONES}))?|{TEENS}|oh[\s-]+(?:{ONES}))"
SPELLED_YEAR = (
    rf"(?:(?:nineteen|twenty)[\s-]+{TWO_DIGITS}"
    rf"|two\s+thousand(?:\s+(?:and\s+)?(?:{TEENS}|(?:{TENS})(?:[\s-](?:{ONES}))?|{ONES}))?)"
)
SPELLED_19 = rf"nineteen[\s,-]+{TWO_DIGITS}"
OLD = rf"(?:90[\s-]+(?:[1-9]|{ONES}|to|too|for)\b|9\d|1[0-4]\d)"
HUNDRED = rf"(?:one|a)\s+hundred(?:\s+(?:and\s+)?(?:{ONES}|{TEENS}))?"
SPELLED_OLD = rf"(?:ninety(?:[\s-]+(?:{ONES}|to|too|for))?|{HUNDRED})"
LONGEST_SHORT = 4
"""Letters of the longest abbreviation of a month."""
LEAST_SPELLED = 4
"""Capitals of a name that is spelled without a cue; three are an abbreviation (MRN)."""
HAN_DIGIT = "[〇零一二三四五六七八九十]"


@dataclass(frozen=True, slots=True)
class MaskRule:
    """Replace group ``it`` of a pattern by ``[kind]``, unless ``unless`` returns True for it."""

    kind: str
    pattern: re.Pattern[str]
    unless: Callable[[str], bool] | None = None


def rule(
    kind: str,
    pattern: str,
    *,
    exact: bool = False,
    unless: Callable[[str], bool] | None = None,
) -> MaskRule:
    """A rule for the pattern, or for its group ``it`` alone; ignores case unless ``exact``."""
    if "(?P<it>" not in pattern:
        pattern = f"(?P<it>{pattern})"
    return MaskRule(kind, re.compile(pattern, 0 if exact else re.IGNORECASE), unless)


@cache
def rules() -> tuple[MaskRule, ...]:
    """All rules in order of precedence."""
    from surgqa.transforms.evidence.privacy.identifiers import identifiers
    from surgqa.transforms.evidence.privacy.places import places

    return (*_addresses(), *_dates(), *_ages(), *identifiers(), *places())


def _addresses() -> list[MaskRule]:
    # A full stop followed by a space ends a sentence.
    dot = r"(?:\s?\.(?=\w)|\s+(?:dot|point)\s+)"
    part = rf"[\w-]+(?:{dot}[\w-]+)*"
    tld = rf"{dot}(?:com|org|net|edu|gov|de|uk|cn|fr|it|ch|eu)"
    to = r"\b(?:e-?mails?|mails?|write|right to|questions?|comments?)\b"
    to += r"(?:,?\s+(?:can|reach\w*|me|us|is|to|at|a|set|under|address|them|by))*"
    return [
        rule("URL", r"(?:https?://|\bwww\.)[^\s\[\]]+"),
        rule("EMAIL", r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"),
        rule("EMAIL", rf"\b(?!(?:me|us|it|is)\b){part}\s*(?:@|\bat\b)\s*{part}{tld}\b"),
        rule(
            "EMAIL",
            rf"{to}[\s:,]+(?P<it>[^?!\n]{{2,60}}?)(?=\s*(?:please\b|[.?!]?(?:\n|$)|[.?!]\s))",
            unless=lambda text: (
                re.search(r"@|\bat\b|[a-z]{2}\s?\.[a-z]{2}|\bdot\b|\bnot\b.*\bnot\b", text) is None
            ),
        ),
        rule(
            "EMAIL",
            r"\b(?:at|to|is|under|mail) (?:(?:us|me|is|at|to|under|in) )*+"
            r"(?P<it>(?:(?!(?:the|a)\b)[\w'’.-]+ ){0,4}[\w'’.-]+)(?= \[EMAIL\])",
        ),
        rule("EMAIL", r"[\w'’]+(?:\s+[.-][\w'’-]+)*\s*\.\s?(?:com|org|net|edu)\b"),
        # Two of "dot" and "at" in one clause are hardly anything else.
        rule(
            "EMAIL",
            r"\b(?:to|is|under|at|on)\s+(?P<it>[^?!\n\[]{2,40}?\bdot\b[^?!\n\[]{1,40}?"
            r"\b(?:at|dot)\b[^?!\n\[]{0,30}?)(?=\s+(?:by|before|please|and|if)\b|[.?!]?(?:\n|$))",
        ),
        *_spelled(),
        rule("URL", r"\b[\w-]+\.(?:com|org|net|edu|gov|io|cn|co\.uk|de)\b(?:/[^\s\[\]]*)?"),
    ]


def _spelled() -> list[MaskRule]:
    """Rules for words that are spelled letter by letter."""
    plain = any_of(lists()["short_words"])
    letter, join = rf"(?!{plain}\b)(?:[A-Za-z]{{1,2}}|\d)\b", r"[\s,.-]+"
    cue = r"\b(?:spel\w*|in letters)\b(?:\s+(?:it|as|is|with|like|this|the|surname|name))*"
    word = r"[\w'’-]+"
    return [
        rule("NAME", rf"{cue}[\s,.:-]+(?P<it>(?!(?:it|as|is)\b){word}(?:{join}{word}){{0,11}}?)"
             r"(?=[.?!]|\n|$)"),
        rule("NAME", rf"(?<![\w.])-?(?:[A-Z]|\d)\b(?:{join}-?{letter}){{3,}}", exact=True,
             unless=lambda text: len(re.findall(r"\b[A-Z]\b", text)) < LEAST_SPELLED),
        rule("NAME", rf"\[NAME\](?P<it>(?:{join}[A-Z]\b){{2,}})", exact=True),
        rule("NAME", r"\[NAME\](?P<it>(?:\s-[A-Z]\b)+)", exact=True),
        rule("NAME", r"(?<![\w'’.-])[a-z](?:[\s,]+[a-z]){3,}(?![\w'’-])", exact=True),
        # Letters with a dot or a hyphen before each; three are an abbreviation ("D .O .B.").
        rule("NAME", r"(?<![\w.-])[.-]?[a-z]{1,2}(?:\s[.-][a-z]{1,2}\b)+(?![\w-])",
             unless=lambda text: re.fullmatch(r"[A-Z](?: [.-][A-Z]){2}", text) is not None),
    ]  # fmt: skip


def _dates() -> list[MaskRule]:
    return [*_written_dates(), *_figure_dates(), *_chinese_dates(), *_years()]


def _written_dates() -> list[MaskRule]:
    months, plain = set(lists()["months"]), words("month_words")
    sure = any_of(sorted(months - plain))
    long = any_of(sorted(m.capitalize() for m in months - plain if len(m) > LONGEST_SHORT))
    month = rf"(?:{any_of(sorted(months))})\.?"
    day = rf"(?:(?:the\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)?|{any_of(lists()['ordinals'])}))"
    year = rf"(?:(?:19|20)\d\d|{SPELLED_YEAR})"
    when = r"\b(?i:in|since|last|this|next|until|by|during|early|late)\s+"
    return [
        rule("DATE", rf"\b{day}(?:\s+of)?\s+{month}(?:(?:,?\s+(?:of\s+)?){year})?\b"),
        rule("DATE", rf"\b{month}\s+{day}(?:(?:,?\s+){year})?\b(?!\s*(?:mm|cm|ml)\b)"),
        rule("DATE", rf"\b{month}[\s,]+(?:of\s+)?{year}\b"),
        rule(
            "DATE",
            rf"\b(?:the\s+)?(?:\d{{1,2}}(?:st|nd|rd|th)|{any_of(lists()['ordinals'])})\b"
            rf"[^.?!\n\[]{{0,24}}?(?:19\d\d|{SPELLED_19})\b",
        ),
        rule("DATE", r"\b\d{1,2}(?:st|nd|rd|th)(?=[^.?!\n\[]{0,16}\[(?:DATE|NAME|PLACE)\])"),
        rule("DATE", rf"\b(?:{long})\b", exact=True),
        rule("DATE", r"\b\d{1,2}(?:st|nd|rd|th)(?=\s*[.,\n]|$)"),
        rule("DATE", r"\b(?!The|This|Each)[A-Z]\w{2,} (?P<it>\d\d?(?:st|nd|rd|th)\b)", exact=True),
        rule("DATE", r"\bthe\s+\d{1,2}(?:st|nd|rd|th)\s+of\b(?!\s+(?:the|two|three|four)\b)"),
        rule("DATE", rf"{when}(?P<it>{sure})\b\.?"),
        rule("DATE", rf"{when}(?P<it>March|May)\b(?!\s+be)", exact=True),
    ]


def _figure_dates() -> list[MaskRule]:
    before, after = r"(?<![\d./-])", r"(?![\w/])"
    year, part = r"(?:19|20)\d\d", r"[0-3]?\d"
    birth = r"\b(?:born|birth|birthday|birth date|dob|date of birth)\b[^.?!\n\d]{0,24}?[\s:,.]"
    clock = r"(?:T[\d:.]+Z?)?"
    born = r"\b(?:dob|date of birth|born on|birthday|birth date)\W+(?:is\s+|was\s+)?"
    return [
        rule("DATE", rf"{before}{year}(?P<s>[-/.])\d{{1,2}}(?P=s)\d{{1,2}}{clock}{after}"),
        rule("DATE", rf"{before}{part}(?P<s>[-/.]){part}(?P=s)(?:{year}|\d\d){after}"),
        rule("DATE", rf"{born}(?P<it>\d[\d\s./-]*\d)"),
        rule(
            "DATE", rf"{birth}(?P<it>{SPELLED_YEAR}|(?:19|20)\d\d|19[\s,-]+(?:\d\d|{TWO_DIGITS}))\b"
        ),
        rule("DATE", rf"{birth}(?P<it>(?:the\s+)?{run(2)})"),
        rule("DATE", rf"\b(?:on|dated|date)\s+(?P<it>[01]?\d/[0-3]?\d){after}"),
    ]


def _years() -> list[MaskRule]:
    """Rules for years of the last century, in surgical speech almost always years of birth."""
    unit = any_of(lists()["units"])
    return [
        rule("DATE", rf"(?<![\d.,])(?:19\d\d|{SPELLED_19})\b(?!\s*{unit}\b)(?![.,]?\d)"),
    ]


def _chinese_dates() -> list[MaskRule]:
    number = rf"(?:\d{{1,2}}|{HAN_DIGIT}{{1,3}})"
    year = rf"(?:(?:19|20)\d\d|[〇零一二三四五六七八九]{{4}}|{HAN_DIGIT}{{2}})\s*年"
    month = rf"(?:1[0-2]|0?[1-9]|{HAN_DIGIT}{{1,2}})\s*月"
    return [
        rule("DATE", rf"{year}(?:\s*{number}\s*月)?(?:份|\s*{number}\s*[日号])?"),
        rule("DATE", rf"(?<!\d){month}\s*{number}\s*[日号]"),
    ]


def _ages() -> list[MaskRule]:
    old = rf"(?P<it>{OLD}|{SPELLED_OLD})"
    person = "(?:man|woman|lady|gentleman|patient|male|female|person)"
    han = rf"九十{HAN_DIGIT}?|一百(?:零?{HAN_DIGIT})?"
    other = r"(?!\s*(?:days|weeks|months|degrees))"
    # "He is 90" is an age only if no unit or counted thing follows ("90 beats").
    turned = (
        r"(?:s?he|who|patient|lady|gentleman|man|woman)\s+(?:just\s+)?(?:has\s+)?(?:turned|turns)"
    )
    now = r"(?:s?he|who)(?:\s+is|'s)(?:\s+(?:now|already|nearly|almost|over|about))?"
    ends = r"(?=\s*(?:[.;!?]|,(?!\s*\d)|$)|\s+(?:and|but|now|already|today|last|next|this|in)\b)"
    measure = any_of(lists()["measures"])
    whose = r"(?:s?he|who|patients?|lady|ladies|gentlem[ae]n|m[ae]n|wom[ae]n|mother|father|nineties"
    whose += (
        r"|people|person|some(?:one|body)|any(?:one|body)|nobody|grand\w+|wife|husband|widow\w*)"
    )
    near = rf"\b{whose}\b(?:(?!\b{measure}\b)[^.?!\n\d]){{1,24}}?(?<!\bat )"
    counts = any_of([*lists()["units"], *lists()["counted"], "degree", "percent", "over", "by"])
    unmeasured = rf"(?!\s*(?:%|{counts}\b|\d))"
    nth = r"ninety[\s-]\w+|ninetieth|hundredth"
    nineties = rf"(?P<it>(?=9\d|ninety){OLD}|(?=ninety){SPELLED_OLD})"
    ends = rf"{ends[:-1]}|\s+(?:end|as|when|so|with|without)\b)"
    return [
        rule("AGE", rf"(?:{near}|(?:\bwill|'ll)\s+be\s+){nineties}\b{ends}"),
        rule(
            "AGE",
            rf"\b{whose}\s+(?:who\s+(?:is|are)\s+|of\s+|on\s+|at\s+|over\s+){nineties}\b{unmeasured}",
        ),
        rule("AGE", rf"\bat\s+{nineties},?\s+(?:{whose}|this|the\s+{whose}|i|we)\b"),
        rule("AGE", rf"\b(?:9\d(?:st|nd|rd|th)|{nth})(?=\s+(?:year|birthday)\b)"),
        rule("AGE", rf"(?<![\d.,-])\b{old}[\s-]*(?:years?|yrs?)[\s-]*(?:old|of age)\b"),
        rule("AGE", rf"(?<![\d.,-])\b{old}\s*(?:y/o|yo)\b"),
        rule("AGE", rf"(?<![\d.,-])\b{old}\s*years\b(?!\s+(?:ago|of\s+experience))"),
        rule("AGE", rf"\b{person}\b[^.?!\n\d]{{0,12}}?\bof\s+{old}\b"),
        rule("AGE", rf"\b(?:aged?|age of|age is|age:)\s*{old}\b{other}"),
        rule("AGE", rf"\b(?:{turned}|{now})\s+{old}\b{ends}"),
        rule("AGE", rf"(?<!\d)(?P<it>{OLD}|{han})\s*(?:多)?岁"),
    ]
