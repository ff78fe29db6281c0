"""Files that stand beside a dataset, and what they add to the evidence of its videos."""
