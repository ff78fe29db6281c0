"""Label files of MultiBypass140, which BernBypass70 is a part of."""
