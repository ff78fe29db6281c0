"""What all HTML pages share: the style, elements that contain only text, packing into one file."""

from surgqa.transforms.pages.parts import TYPES_OF, one_file, parts_of

__all__ = ["TYPES_OF", "one_file", "parts_of"]
