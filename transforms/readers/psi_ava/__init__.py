"""PSI-AVA: phases, steps, instruments and their atomic actions in eight prostatectomies."""
