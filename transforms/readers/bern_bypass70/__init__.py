"""BernBypass70: the Bern half of MultiBypass140."""
