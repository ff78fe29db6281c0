"""Files stored next to a dataset, and the evidence that they add to its videos."""
