"""Shared parts of all pages: style, elements that hold only text, and packing into one file."""

from surgqa.transforms.pages.parts import TYPES_OF, one_file, parts_of

__all__ = ["TYPES_OF", "one_file", "parts_of"]
