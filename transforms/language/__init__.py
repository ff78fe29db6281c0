"""The template language ``question/v1``: reads a YAML file and returns typed programs.

:func:`parse_text` reads one file, :func:`parse_folder` a folder; both return programs and findings.
:func:`said` describes a program in sentences; :func:`json_schema` describes the files for editors.

Terms of this package:

- Program: a parsed template. A node is one expression in it, with its type.
- Finding: a mistake in a template. Codes such as T102 at the start of a docstring name the finding
  that the function records.
- Scope: the names that an expression may use at its place in the file, with their types.
- Placeholder: the node that stands for an expression with a mistake, so that parsing can go on.
- Reader: a property of a value, such as ``start`` in ``smoke.start``.
- Filling: values for all names of a template, that is, one possible question.
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
