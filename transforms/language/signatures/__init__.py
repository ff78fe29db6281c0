"""Every operator of the language, one entry each, by role."""

from transforms.language.signatures import (
    answers,
    conditions_actions,
    conditions_motion,
    options,
    slots,
)

__all__ = ["answers", "conditions_actions", "conditions_motion", "options", "slots"]
