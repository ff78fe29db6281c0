"""What all pages share: style, elements that hold texts only, and how a page becomes one file."""

from transforms.pages.parts import TYPES_OF, one_file, parts_of

__all__ = ["TYPES_OF", "one_file", "parts_of"]
