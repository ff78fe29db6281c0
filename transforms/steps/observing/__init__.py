"""Observe videos in parallel: plan, run frame and sound models, segment, assemble, record.

A video is divided into pieces of work: ranges of frames, of sound or of segmentation windows. An
extractor is a model or a rule that computes rows from frames or sound. The steps pass their results
as files in a work folder of the store.
"""
