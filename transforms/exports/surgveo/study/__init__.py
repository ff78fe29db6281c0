"""A study as a folder: blinded videos and sheets for raters, and a key file that raters do
not get.
"""

from surgqa.transforms.exports.surgveo.study.folder import (
    KEY,
    SHEETS,
    StudyKey,
    WrittenStudy,
    new_study,
    read_study,
)

__all__ = ["KEY", "SHEETS", "StudyKey", "WrittenStudy", "new_study", "read_study"]
