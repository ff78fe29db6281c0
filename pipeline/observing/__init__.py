"""``surgqa observe``: settings, plan and run."""
