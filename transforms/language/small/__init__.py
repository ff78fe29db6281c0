"""What the small languages share: a file names a finder, and its words use the finder's fields.

Questions put at a time (``queries``) and chains (``chains``) are such languages.
"""

from transforms.language.small.load import language_of
from transforms.language.small.parse import Fields, SmallParser

__all__ = ["Fields", "SmallParser", "language_of"]
