"""Write a scene to disk: one frame per second for the reader, and a video for people."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import av
import cv2
import numpy as np

from surgqa.pipeline.demo.anatomy import HEIGHT, WIDTH
from surgqa.pipeline.demo.scene import prepare, render
from surgqa.pipeline.demo.script import DemoScript

FILM_FPS = 5
JPEG_QUALITY = 88
FILM_OPTIONS = {
    "preset": "veryfast",
    "qp": "27",
    "g": str(5 * FILM_FPS),
    "threads": "1",
    "x264-params": "subme=0:ref=1:bframes=0:trellis=0:rc-lookahead=0:weightp=0"
    ":aq-mode=0:mbtree=0:scenecut=0",
}
"""One encoder thread, constant quality, no lookahead.

With x264's lookahead (mbtree, weighted prediction, scene cuts) and two encoders in one process,
3 of 60 videos of the same frames had different bytes; with these options 0 of 60.
"""


def write_film(
    script: DemoScript, frames: Path, film: Path, report: Callable[[int, int], None]
) -> None:
    """Render one script to a folder of JPEG frames at 1 fps and an H.264 video.

    Args:
        frames: folder for ``000000.jpg``, …, numbered by second.
        film: the ``.mp4`` to write; it contains no creation time.
        report: called once per second of video with the number of frames done and the total.
    """
    frames.mkdir(parents=True, exist_ok=True)
    film.parent.mkdir(parents=True, exist_ok=True)
    stage = prepare(script)
    total = script.seconds * FILM_FPS
    with av.open(str(film), "w", options={"fflags": "+bitexact", "movflags": "+faststart"}) as box:
        stream = box.add_stream("libx264", rate=FILM_FPS, options=FILM_OPTIONS)
        stream.width, stream.height, stream.pix_fmt = WIDTH, HEIGHT, "yuv420p"
        for index in range(total):
            picture = render(stage, index / FILM_FPS)
            if index % FILM_FPS == 0:
                name = f"{index // FILM_FPS:06d}.jpg"
                (frames / name).write_bytes(jpeg(picture, JPEG_QUALITY))
                report(index, total)
            box.mux(stream.encode(_yuv_frame(picture)))
        box.mux(stream.encode(None))
    report(total, total)


def _yuv_frame(picture: np.ndarray) -> av.VideoFrame:
    """Return the frame for the encoder, with every byte of its planes set (rows are padded)."""
    flat = cv2.cvtColor(picture, cv2.COLOR_RGB2YUV_I420).reshape(-1)
    frame = av.VideoFrame(WIDTH, HEIGHT, "yuv420p")
    start = 0
    for plane in frame.planes:
        rows = np.frombuffer(plane, np.uint8).reshape(-1, plane.line_size)
        size = plane.width * plane.height
        part = flat[start : start + size].reshape(plane.height, plane.width)
        rows[: plane.height, : plane.width] = part
        rows[: plane.height, plane.width :] = part[:, -1:]
        rows[plane.height :] = rows[plane.height - 1]
        start += size
    return frame


def jpeg(picture: np.ndarray, quality: int) -> bytes:
    """Return the JPEG bytes of an RGB uint8 (H, W, 3) image."""
    bgr = cv2.cvtColor(picture, cv2.COLOR_RGB2BGR)
    return cv2.imencode(".jpg", bgr, [cv2.IMWRITE_JPEG_QUALITY, quality])[1].tobytes()
