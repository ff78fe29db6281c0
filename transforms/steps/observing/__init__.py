"""Observe videos in parallel: run models on frames and sound, and store what they found.

A video is divided into pieces of work: ranges of frames, of sound or of windows to segment. An
extractor is a model or a rule that computes rows from frames or sound. The steps pass their results
as files in a work folder of the store.
"""
