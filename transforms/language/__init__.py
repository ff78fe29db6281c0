"""The template language: files, types, wording, findings."""

from transforms.language.findings import Finding, TemplateErrors, opens
from transforms.language.load import select
from transforms.language.program.load import (
    expanded,
    load_programs,
    program_files,
    templates_folder,
)
from transforms.language.program.program import Program

__all__ = [
    "Finding",
    "Program",
    "TemplateErrors",
    "expanded",
    "load_programs",
    "opens",
    "program_files",
    "select",
    "templates_folder",
]
