"""The language ``question/v1``: from a YAML file to typed programs.

:func:`parse_text` reads one file, :func:`parse_folder` a folder; both give programs and findings.
:func:`said` says a program as sentences, :func:`json_schema` describes the files for editors.
"""

from transforms.language.program.load import load_programs, parse_file, parse_folder, parse_text
from transforms.language.program.program import Program, Stage, Unit
from transforms.language.program.said import said
from transforms.language.program.schema import json_schema

__all__ = [
    "Program",
    "Stage",
    "Unit",
    "json_schema",
    "load_programs",
    "parse_file",
    "parse_folder",
    "parse_text",
    "said",
]
