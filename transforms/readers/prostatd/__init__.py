"""ProstaTD: boxes of instrument-verb-target triplets in 21 prostatectomies."""
