"""A study as a folder: blinded videos and sheets for raters, and the key file, kept from them."""

from surgqa.transforms.exports.surgveo.study.folder import (
    KEY,
    SHEETS,
    StudyKey,
    WrittenStudy,
    new_study,
    read_study,
)

__all__ = ["KEY", "SHEETS", "StudyKey", "WrittenStudy", "new_study", "read_study"]
