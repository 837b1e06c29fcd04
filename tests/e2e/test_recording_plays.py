"""What is recorded plays in a browser, whole or cut off, at the times that its name says."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser

from kemps_server.recording.disk import Disk
from kemps_server.recording.recorder import CameraTap
from kemps_vision.frame import Image, SourceInfo
from kemps_vision.sources.segments import segments_in

pytestmark = pytest.mark.browser

WIDTH, HEIGHT, FPS = 320, 192, 15
INFO = SourceInfo(name="camera 0", where="0", kind="webcam", width=WIDTH, height=HEIGHT, fps=FPS)
PLAY = """
async (base64) => {
    const bytes = Uint8Array.from(atob(base64), sign => sign.charCodeAt(0));
    const source = URL.createObjectURL(new Blob([bytes], {type: 'video/mp4'}));
    const video = document.createElement('video');
    video.muted = true;
    document.body.append(video);
    const loaded = new Promise((done, failed) => {
        video.onloadeddata = done;
        video.onerror = () => failed(new Error(video.error.code + ' ' + video.error.message));
    });
    video.src = source;
    await loaded;
    const canvas = document.createElement('canvas');
    [canvas.width, canvas.height] = [video.videoWidth, video.videoHeight];
    const brightness = async (seconds) => {
        const there = new Promise(done => { video.onseeked = done; });
        video.currentTime = seconds;
        await there;
        const context = canvas.getContext('2d');
        context.drawImage(video, 0, 0);
        return context.getImageData(10, 10, 1, 1).data[0];
    };
    const seen = [await brightness(0.3), await brightness(1.3)];
    video.currentTime = 0;
    const ended = new Promise(done => { video.onended = done; });
    await video.play();
    await ended;
    return {width: video.videoWidth, height: video.videoHeight, seen, end: video.currentTime};
}
"""


def picture(at_ms: int) -> Image:
    """Grey that tells the time: 40 in the first second, 80 in the second, and so on."""
    pixels = np.full((HEIGHT, WIDTH, 3), min(250, 40 * (1 + at_ms // 1000)), np.uint8)
    pixels[100:140, at_ms // 10 % 280 : at_ms // 10 % 280 + 20] = (20, 120, 230)
    return pixels


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recording")
    tap = CameraTap(folder, INFO, Disk(folder, 10**12, print, free=lambda _: 10**12))
    for number in range(90):
        at_ms = round(number * 1000 / FPS)
        tap.encode(at_ms, picture(at_ms))
    tap.close()
    return folder


def played(browser: Browser, data: bytes) -> dict[str, object]:
    page = browser.new_page()
    found: dict[str, object] = page.evaluate(PLAY, b64encode(data).decode())
    page.close()
    return found


def test_each_file_plays_by_itself_from_zero(browser: Browser, recording: Path) -> None:
    second = segments_in(recording)[1]
    found = played(browser, second.path.read_bytes())
    assert (found["width"], found["height"]) == (WIDTH, HEIGHT)
    assert isinstance(found["seen"], list)
    # The name says when its first frame was; what is shown there is what was then.
    for seconds, level in zip((0.3, 1.3), found["seen"], strict=True):
        at_ms = second.at_ms + seconds * 1000
        assert abs(level - 40 * (1 + at_ms // 1000)) <= 6
    length_s = ((second.until_ms or 0) - second.at_ms) / 1000
    assert isinstance(found["end"], float)
    assert abs(found["end"] - length_s) < 0.15


def test_a_file_whose_writer_was_killed_plays_as_far_as_it_goes(browser: Browser, recording: Path) -> None:
    whole = segments_in(recording)[1]
    data = whole.path.read_bytes()
    second = data.index(b"moof", data.index(b"moof") + 4) - 4
    found = played(browser, data[:second])  # each fragment is written at once
    assert isinstance(found["end"], float)
    assert 0.8 <= found["end"] <= 1.1
