"""MultiBypass140: phases, steps and out-of-body spans of 140 gastric bypasses."""
