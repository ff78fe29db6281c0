"""Run a build or an observing run in parallel with Beam; each stage is one composite transform.

Terms of this room:

- Part: the intermediate files of one video: rows, evidence and rejections.
- Piece: a share of the work on one long video, so that several workers can process it.
- Unit, filling, chain, block, exchange: see :mod:`transforms.questions`.
- To choose: to reject items from the complete set of all videos. The rejected items are listed in
  ``rejected/choose``.
- Excess accuracy: share of items that a rule answers without the images, above chance.
"""
