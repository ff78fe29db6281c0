"""Named limits of the timeline; every one is a setting of a run, none a literal in code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LinkLimits:
    """Limits for linking and continuity (SurgSTU's later public material; our completions).

    Attributes:
        reidentify_us: oldest last sample a track may have to be continued.
        speed: largest centroid speed in normalised units per second.
        slack: jitter allowed beside the speed limit when linking, normalised units.
        periods: the time limit is at least this many nominal label periods.
    """

    reidentify_us: int = 1_000_000
    speed: float = 0.6
    slack: float = 0.05
    periods: float = 1.5

    def reidentify(self, period_us: int) -> int:
        """Microseconds after which a track is closed."""
        return max(self.reidentify_us, int(self.periods * period_us))
