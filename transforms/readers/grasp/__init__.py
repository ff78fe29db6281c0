"""GraSP: phases, steps, instrument masks and atomic actions in 13 prostatectomies."""
