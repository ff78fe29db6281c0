"""Label files of MultiBypass140, which includes BernBypass70."""
