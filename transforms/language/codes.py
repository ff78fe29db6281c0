"""Codes of findings that only programs have; the others are those of all templates."""

from transforms.language.findings import CODES

PROGRAM_CODES = {
    "T117": "a value of another type than its place needs",
    "T118": "a text shows what can be known only after the time of the question",
    "T119": "more fillings for a unit than can be tried",
    "T120": "a name that is reserved, or that means two things",
}

ALL_CODES = {**CODES, **PROGRAM_CODES}
