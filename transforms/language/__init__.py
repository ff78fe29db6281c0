"""The template language ``question/v1``: reads a YAML file into typed programs.

:func:`parse_text` reads one file, :func:`parse_folder` a folder; both return programs and findings.
:func:`said` describes a program in sentences; :func:`json_schema` describes the files for editors.
"""

from surgqa.transforms.language.findings import Finding, TemplateErrors
from surgqa.transforms.language.load import (
    expanded,
    files_of,
    load_asked,
    load_programs,
    parse_file,
    parse_folder,
    parse_text,
    program_files,
    select,
    templates_folder,
)
from surgqa.transforms.language.program import Program
from surgqa.transforms.language.said import said
from surgqa.transforms.language.schema import json_schema

__all__ = [
    "Finding",
    "Program",
    "TemplateErrors",
    "expanded",
    "files_of",
    "json_schema",
    "load_asked",
    "load_programs",
    "parse_file",
    "parse_folder",
    "parse_text",
    "program_files",
    "said",
    "select",
    "templates_folder",
]
