// A video that comes in parts, played through Media Source Extensions: only what is near is held.
const AHEAD_MS = 12000;
const BEHIND_MS = 20000;

export class PartSource {
  constructor(camera) {
    Object.assign(this, { camera, queue: [], had: new Set(), wantedMs: camera.info.from_ms });
    // Parts lie on the camera's own seconds, counted from where it began when the page was opened.
    this.zeroMs = camera.info.from_ms;
    this.shiftMs = 0;
    this.source = new MediaSource();
    camera.video.src = URL.createObjectURL(this.source);
    this.source.addEventListener("sourceopen", () => this.open(), { once: true });
  }

  open() {
    URL.revokeObjectURL(this.camera.video.src);
    const { info } = this.camera;
    this.source.duration = Math.max(0.1, (info.until_ms - info.from_ms) / 1000);
    this.buffer = this.source.addSourceBuffer(info.media_type);
    this.buffer.mode = "segments";
    this.buffer.addEventListener("updateend", () => this.go());
    this.go();
  }

  // Its film was moved against the game's clock: the parts stay where they are on its own.
  moved() { this.shiftMs = this.camera.info.from_ms - this.zeroMs; }

  want(atMs) {
    this.wantedMs = atMs;
    this.go();
  }

  // Where the next part begins, when nothing was recorded of a time.
  afterGap(atMs) {
    const parts = this.camera.info.parts;
    const inside = parts.some(([from, until]) => from <= atMs && atMs <= until);
    return inside ? undefined : parts.find(([from]) => from > atMs)?.[0];
  }

  async go() {
    if (this.isClosed || !this.buffer || this.buffer.updating || this.isAsking || this.source.readyState !== "open") return;
    const { parts } = this.camera.info;
    const next = parts.find(([from, until]) =>
      until >= this.wantedMs - 500 && from <= this.wantedMs + AHEAD_MS && !this.had.has(from - this.shiftMs));
    if (!next) { this.drop(); return; }
    this.isAsking = true;
    try {
      const answer = await fetch(this.camera.address("part.mp4", { from_ms: next[0] }));
      if (!answer.ok) this.camera.film.onRefused?.();
      else {
        const data = await answer.arrayBuffer();
        this.buffer.timestampOffset = (next[0] - this.camera.info.from_ms) / 1000;
        this.buffer.appendBuffer(data);
      }
      this.had.add(next[0] - this.shiftMs);
    } catch { /* the next wish asks again */ }
    this.isAsking = false;
    if (!this.buffer.updating) setTimeout(() => this.go(), 200);
  }

  close() { this.isClosed = true; }

  drop() {
    const { buffered } = this.buffer;
    const nowS = this.camera.second(this.wantedMs);
    if (!buffered.length || buffered.start(0) > nowS - (2 * BEHIND_MS) / 1000) return;
    const untilS = nowS - BEHIND_MS / 1000;
    const gone = this.camera.info.parts.filter(([, until]) => this.camera.second(until) < untilS);
    for (const [from] of gone) this.had.delete(from - this.shiftMs);
    this.buffer.remove(0, untilS);
  }
}
