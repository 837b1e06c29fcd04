"""How fast clips are rendered, in processor time of one core."""

from __future__ import annotations

import os
import tempfile
import time
from pathlib import Path
from typing import Any

import cv2

from kemps_scenes.clips import render_scene
from kemps_scenes.demo import DEMO
from kemps_scenes.video import ClipWriter


def measure() -> dict[str, Any]:
    """Renders and encodes the demo clip at 1280x720 on one thread; times are CPU time of this process."""
    threads = cv2.getNumThreads()
    cv2.setNumThreads(1)
    try:
        return _measured()
    finally:
        cv2.setNumThreads(threads)


def _measured() -> dict[str, Any]:
    begin = time.process_time()
    stage, frames = render_scene(DEMO.events, DEMO.spec)
    prepared = time.process_time()
    spec, drawing, encoding, count = DEMO.spec, 0.0, 0.0, 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.mp4"
        with ClipWriter(
            path, width=spec.width, height=spec.height, fps=spec.fps, quality=spec.quality
        ) as writer:
            last = time.process_time()
            for frame in frames:
                drawn = time.process_time()
                writer.write(frame.pixels)
                written = time.process_time()
                drawing, encoding, count, last = (
                    drawing + drawn - last,
                    encoding + written - drawn,
                    count + 1,
                    written,
                )
        size = path.stat().st_size
    return {
        "size": f"{spec.width}x{spec.height}",
        "frames": count,
        "prepare_s": round(prepared - begin, 2),
        "draw_ms_per_frame": round(1000 * drawing / count, 1),
        "encode_ms_per_frame": round(1000 * encoding / count, 1),
        "frames_per_s": round(count / (drawing + encoding), 1),
        "clip_mb": round(size / 1e6, 2),
        "cpus": os.cpu_count(),
        "seats": len(stage.scene.layout.seats),
    }
