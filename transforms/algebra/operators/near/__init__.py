"""Distractors close to a value but certainly different from it."""
