// All cameras of a moment in step: a clip that loops, exact frames when it stands, or the stills that were kept.
import { el } from "./desk_table.js";
import { Marks } from "./film_marks.js";

const WIDEST_PX = 960;
const LOST_S = 0.25; // further apart than this a camera jumps; else it runs a little faster or slower
const EASE = 0.1;
const STILL_MS = 700;
const HAS_PICTURE = 2; // HTMLMediaElement.HAVE_CURRENT_DATA

// Media time for people, cut off, never rounded up.
export function clock(atMs, decimals = 1) {
  const unit = 10 ** (3 - decimals);
  const cut = Math.floor(Math.max(0, atMs) / unit) * unit;
  const minutes = Math.floor(cut / 60_000);
  const seconds = (cut % 60_000) / 1000;
  const rest = `${seconds < 10 ? "0" : ""}${seconds.toFixed(decimals)}`;
  return minutes >= 60 ? `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
}

export class Film {
  constructor(parts, texts) {
    Object.assign(this, { parts, texts, key: "", cameras: [], stills: [], atMs: 0, playing: false, epoch: 0, owed: 0, isStepping: false });
    this.speed = 1;
    this.parts.strip.addEventListener("click", (event) => {
      const box = this.parts.strip.getBoundingClientRect();
      this.seek(this.fromMs + ((event.clientX - box.left) / box.width) * (this.toMs - this.fromMs));
    });
    requestAnimationFrame(() => this.tick());
  }

  // What is shown: the same moment again leaves it as it is, so that a clip goes on while the journal grows.
  async show({ game, fromMs, toMs, atMs, pictures, rows }) {
    Object.assign(this, { fromMs, toMs });
    this.mark(rows);
    const key = JSON.stringify([game, fromMs, toMs, pictures.map((one) => one.address)]);
    if (key === this.key) return;
    this.key = key;
    const epoch = ++this.epoch;
    this.pause();
    this.clear();
    Object.assign(this, { game, stills: [], atMs });
    const film = await this.asked(`/api/games/${encodeURIComponent(game)}/film`);
    if (epoch !== this.epoch) return;
    this.cameras = (film?.cameras ?? []).filter((camera) => !camera.problem);
    if (!this.cameras.length) this.stills = pictures;
    this.build();
    this.seek(atMs);
  }

  async asked(address) {
    try {
      const answer = await fetch(address);
      return answer.ok ? await answer.json() : null;
    } catch { return null; }
  }

  clear() {
    for (const camera of this.cameras) if (camera.url) URL.revokeObjectURL(camera.url);
    this.cameras = [];
    this.parts.cameras.replaceChildren();
  }

  build() {
    const { cameras, none, kind } = this.parts;
    none.hidden = this.cameras.length > 0 || this.stills.length > 0;
    this.parts.marksChoice.hidden = !this.cameras.length;
    kind.textContent = this.cameras.length || !this.stills.length ? "" : this.texts["desk.stills"];
    for (const camera of this.cameras) {
      camera.image = el("img", { alt: "", hidden: true });
      camera.video = el("video", { preload: "auto", playsinline: true, tabindex: "-1" });
      camera.video.muted = true;
      // A file that browsers play is there at once; of anything else a clip is made.
      const isFile = camera.plays === "file";
      camera.baseMs = isFile ? camera.from_ms - (camera.start_s ?? 0) * 1000 : this.fromMs;
      camera.video.src = isFile
        ? this.address(camera, "video.mp4", {})
        : this.address(camera, "clip.mp4", { from_ms: this.fromMs, until_ms: this.toMs, width: WIDEST_PX });
      const over = el("canvas", { class: "film-marks", "aria-hidden": "true", hidden: true });
      camera.marks = new Marks(over, camera.size, (query) => this.address(camera, "marks", query));
      camera.marks.turn(Boolean(this.isMarked));
      const figure = el("figure", { class: "camera" }, camera.video, over, camera.image, el("figcaption", {}, camera.name));
      figure.style.aspectRatio = `${camera.size[0]} / ${camera.size[1]}`;
      figure.addEventListener("click", () => this.enlarge(this.cameras.indexOf(camera)));
      camera.figure = figure;
      cameras.append(figure);
    }
    this.enlarge(0);
    if (!this.cameras.length && this.stills.length) {
      this.still = el("img", { alt: "" });
      cameras.append(el("figure", { class: "camera" }, this.still));
    }
    cameras.dataset.small = String(Math.max(0, this.cameras.length - 1));
  }

  // One camera is large, the others are small below it.
  enlarge(index) {
    this.large = index;
    this.cameras.forEach(({ figure }, number) => figure.classList.toggle("is-large", number === index));
  }

  // Whether there is another one.
  enlargeNext() {
    if (this.cameras.length < 2) return false;
    this.enlarge((this.large + 1) % this.cameras.length);
    return true;
  }

  address(camera, what, query) {
    const path = `/api/games/${encodeURIComponent(this.game)}/film/${encodeURIComponent(camera.name)}/${what}`;
    return `${path}?${new URLSearchParams(query)}`;
  }

  toggle() { if (this.playing) { this.pause(); this.seek(this.atMs); } else this.play(); }

  play() {
    if (!this.cameras.length && this.stills.length < 2) return;
    this.playing = true;
    this.parts.play.setAttribute("aria-pressed", "true");
    this.turned = performance.now();
    if (this.atMs < this.fromMs || this.atMs >= this.toMs) this.atMs = this.fromMs;
    this.turnTo(this.atMs);
    for (const { video } of this.cameras) {
      video.playbackRate = this.speed;
      video.play().catch(() => { /* the next frame says so, or the clip is not there yet */ });
    }
  }

  turnTo(atMs) {
    for (const { video, baseMs } of this.cameras) video.currentTime = Math.max(0, (atMs - baseMs) / 1000);
  }

  pause() {
    this.playing = false;
    this.parts.play.setAttribute("aria-pressed", "false");
    for (const { video } of this.cameras) video.pause();
  }

  setSpeed(speed) {
    this.speed = speed;
    for (const { video } of this.cameras) video.playbackRate = speed;
  }

  restart() { this.seek(this.fromMs); }

  // Whether what was seen is drawn on the picture.
  setMarks(isMarked) {
    this.isMarked = isMarked;
    for (const { marks } of this.cameras) marks.turn(isMarked);
    if (!this.playing && this.cameras.length) this.seek(this.atMs);
  }

  // Stands at a moment: each camera shows the frame that was on show then.
  seek(atMs) {
    this.pause();
    this.atMs = Math.round(Math.max(0, atMs));
    if (this.cameras.length) for (const camera of this.cameras) this.frame(camera, this.atMs, 0);
    else if (this.stills.length) this.turn(this.nearest(this.atMs));
    this.moved();
  }

  nearest(atMs) {
    const far = this.stills.map((one) => Math.abs(one.at_ms - atMs));
    return far.indexOf(Math.min(...far));
  }

  turn(index) {
    const still = this.stills[index];
    this.at = index;
    this.still.src = still.address;
    this.atMs = still.at_ms;
    this.moved();
  }

  async step(count) {
    if (!this.cameras.length) {
      if (!this.stills.length) return;
      this.pause();
      this.turn((this.at + count + this.stills.length) % this.stills.length);
      return;
    }
    this.pause();
    this.owed += count; // a key that is held down is quicker than frames come
    if (this.isStepping) return;
    this.isStepping = true;
    while (this.owed) {
      const steps = this.owed;
      this.owed = 0;
      const found = await this.frame(this.cameras[0], this.atMs, steps);
      if (found === null) break;
      this.atMs = found;
      for (const camera of this.cameras.slice(1)) this.frame(camera, found, 0);
      this.moved();
    }
    this.owed = 0;
    this.isStepping = false;
  }

  async frame(camera, atMs, step) {
    const asked = (camera.asked = (camera.asked ?? 0) + 1);
    camera.figure.classList.add("is-waiting"); // what is seen is not yet what the clock says
    try {
      const marked = this.isMarked ? { overlay: true } : {};
      const answer = await fetch(this.address(camera, "frame", { at_ms: atMs, step, width: WIDEST_PX, ...marked }));
      if (!answer.ok || asked !== camera.asked || this.playing) return null;
      const url = URL.createObjectURL(await answer.blob());
      if (camera.url) URL.revokeObjectURL(camera.url);
      camera.url = url;
      camera.image.src = url;
      camera.image.hidden = false;
      camera.figure.classList.remove("is-waiting");
      return Number(answer.headers.get("Kemps-At-Ms") ?? atMs);
    } catch { return null; }
  }

  tick() {
    requestAnimationFrame(() => this.tick());
    if (!this.playing) return;
    if (!this.cameras.length) {
      if (performance.now() - this.turned < STILL_MS / this.speed) return;
      this.turned = performance.now();
      this.turn((this.at + 1) % this.stills.length);
      return;
    }
    const [main, ...others] = this.cameras;
    const isReady = main.video.readyState >= HAS_PICTURE;
    this.parts.kind.textContent = isReady ? "" : this.texts["desk.loading"];
    if (!isReady) return;
    for (const { video, image, figure, marks, baseMs } of this.cameras) {
      if (video.readyState < HAS_PICTURE || video.seeking) continue;
      image.hidden = true;
      marks.show(baseMs + video.currentTime * 1000);
      figure.classList.remove("is-waiting");
      figure.classList.add("has-played"); // until then its video shows another moment, or nothing
    }
    const atMs = main.baseMs + main.video.currentTime * 1000;
    if (main.video.ended || atMs >= this.toMs) {
      this.turnTo(this.fromMs);
      for (const { video } of this.cameras) video.play().catch(() => { /* it is tried again at the next frame */ });
      return;
    }
    for (const { video, baseMs } of others) {
      const late = (atMs - baseMs) / 1000 - video.currentTime;
      if (Math.abs(late) > LOST_S) video.currentTime += late;
      else video.playbackRate = this.speed * (1 + Math.max(-EASE, Math.min(EASE, late * 2)));
    }
    this.atMs = Math.round(atMs);
    this.moved();
  }

  moved() {
    const share = (this.atMs - this.fromMs) / Math.max(1, this.toMs - this.fromMs);
    this.parts.head.style.left = `${Math.min(100, Math.max(0, share * 100))}%`;
    this.parts.clock.textContent = clock(this.atMs, 3);
    this.onTime?.(this.atMs);
  }

  mark(rows) {
    const length = Math.max(1, this.toMs - this.fromMs);
    const marks = rows.filter((row) => row.at_ms >= this.fromMs && row.at_ms <= this.toMs).map((row) => {
      const mark = el("span", { class: row.is_about ? "strip-mark is-about" : "strip-mark" });
      mark.style.left = `${((row.at_ms - this.fromMs) / length) * 100}%`;
      return mark;
    });
    this.parts.marks.replaceChildren(...marks);
  }
}
