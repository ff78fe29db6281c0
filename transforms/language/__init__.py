"""The template languages: files, operators' signatures, wording, findings."""

from transforms.language.chains import Chain
from transforms.language.findings import Finding, TemplateErrors, opens
from transforms.language.load import (
    Question,
    expanded,
    load_questions,
    load_templates,
    select,
    template_files,
    templates_folder,
)
from transforms.language.program.program import Program
from transforms.language.queries import Query
from transforms.language.rules import lint
from transforms.language.schema import json_schema
from transforms.language.template import Template

__all__ = [
    "Chain",
    "Finding",
    "Program",
    "Query",
    "Question",
    "Template",
    "TemplateErrors",
    "expanded",
    "json_schema",
    "lint",
    "load_questions",
    "load_templates",
    "opens",
    "select",
    "template_files",
    "templates_folder",
]
