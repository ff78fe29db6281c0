"""The one place that opens pictures and sound: what a file says of itself, frames, batches."""

from transforms.media.batches import SOUND_RATE, FrameBatch, FrameTable, Samples, Sound

__all__ = ["SOUND_RATE", "FrameBatch", "FrameTable", "Samples", "Sound"]
