// The cameras of a game in step: exact frames while it stands, <video> while it plays, one clock for all.
import { el } from "./desk_table.js";
import { Marks } from "./film_marks.js";
import { PartSource } from "./replay_parts.js";

const NEAR_S = 0.02; // cameras this close are in step
const FAR_S = 0.3; // further off it is sought anew, nearer the rate is bent
const KEPT = 80; // frames that were shown of late

const encode = encodeURIComponent;
const fill = (text, values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);

class Camera {
  constructor(info, film) {
    Object.assign(this, { info, film, asked: 0, shownMs: null, offMs: null });
    const { texts } = film.setting;
    this.canvas = el("canvas", { width: info.size[0], height: info.size[1], role: "img", "aria-label": info.name });
    this.video = el("video", { playsinline: true, preload: "auto", tabindex: "-1", hidden: true });
    this.video.muted = true;
    const over = el("canvas", { class: "film-marks", "aria-hidden": "true", hidden: true });
    this.marks = new Marks(over, info.size, (query) => this.address("marks", query));
    this.problem = el("p", { class: "no-picture", hidden: !info.problem }, info.problem);
    this.told = el("span", { class: "frame-time" });
    this.moved = el("span", { class: "soft" });
    const caption = el("figcaption", {}, el("strong", {}, info.name), this.told, this.moved);
    if (film.setting.is_staff && !info.problem) {
      const nudge = (sign, text, title) => {
        const button = el("button", { type: "button", class: "nudge", title, "aria-label": `${info.name}: ${title}` }, text);
        button.addEventListener("click", (event) => { event.stopPropagation(); film.nudge(this, sign); });
        return button;
      };
      caption.append(el("span", { class: "nudges" }, nudge(1, "‹", texts.earlier), nudge(-1, "›", texts.later)));
    }
    const screen = el("div", { class: "screen" }, this.canvas, this.video, over, this.problem);
    screen.style.aspectRatio = `${info.size[0]} / ${info.size[1]}`;
    this.figure = el("figure", { class: "camera" }, screen, caption);
    this.figure.addEventListener("click", () => film.choose(this));
    this.tell();
  }

  get canPlay() { return this.info.plays !== "none"; }

  get frameMs() { return Math.max(1, Math.round(1000 / this.info.fps)); }

  address(what, query) {
    const path = `/api/games/${encode(this.film.setting.game)}/film/${encode(this.info.name)}/${what}`;
    return query ? `${path}?${new URLSearchParams(query)}` : path;
  }

  covers(atMs) { return this.canPlay && atMs >= this.info.from_ms && atMs < this.info.until_ms; }

  // Whether a frame of it was on show then: nothing is asked for that is not there.
  hadPicture(atMs) {
    const { parts, from_ms, until_ms } = this.info;
    if (atMs < from_ms || atMs > until_ms + this.film.shownForMs) return false;
    const part = parts.findLast(([from]) => from <= atMs);
    return !part || atMs <= part[1] + this.film.shownForMs;
  }

  // The game's time of a second of the video, and back.
  gameMs(second) { return this.info.from_ms + (second - this.info.start_s) * 1000; }

  second(atMs) { return (atMs - this.info.from_ms) / 1000 + this.info.start_s; }

  load() {
    if (this.video.src || !this.canPlay) return;
    if (this.info.plays === "file") this.video.src = this.address("video.mp4");
    else this.parts = new PartSource(this);
  }

  goTo(atMs) {
    this.load();
    const second = Math.max(0, this.second(atMs));
    this.parts?.want(atMs);
    if (this.video.readyState >= 1 || this.parts) this.video.currentTime = second;
    else this.video.addEventListener("loadedmetadata", () => { this.video.currentTime = second; }, { once: true });
  }

  tell() {
    const { texts } = this.film.setting;
    const { offset_ms: ms, offset_by: name } = this.info;
    this.moved.textContent = ms ? fill(name ? texts.offset_by : texts.offset, { ms, name }) : "";
  }

  async frame(atMs, step = 0) {
    const asked = ++this.asked;
    const found = await this.film.picture(this, atMs, step);
    if (asked !== this.asked || this.film.isPlaying) return null;
    this.draw(found);
    return found?.atMs ?? null;
  }

  draw(found) {
    const { texts } = this.film.setting;
    this.video.hidden = true;
    this.marks.hide();
    this.canvas.hidden = !found;
    this.problem.hidden = Boolean(found);
    this.problem.textContent = this.info.problem || texts.no_picture;
    this.figure.dataset.atMs = found?.atMs ?? "";
    this.figure.dataset.index = found?.index ?? "";
    this.told.textContent = found ? fill(texts.frame_time, { time: exact(found.atMs) }) : "";
    if (!found) return;
    const { image } = found;
    if (this.canvas.width !== image.width || this.canvas.height !== image.height) {
      Object.assign(this.canvas, { width: image.width, height: image.height });
    }
    this.canvas.getContext("2d").drawImage(image, 0, 0);
  }
}

export function exact(atMs) {
  const ms = Math.max(0, Math.round(atMs));
  const pad = (value, count) => String(value).padStart(count, "0");
  const hours = Math.floor(ms / 3600000);
  const minutes = Math.floor(ms / 60000) % 60;
  const rest = `${pad(Math.floor(ms / 1000) % 60, 2)}.${pad(ms % 1000, 3)}`;
  return hours ? `${hours}:${pad(minutes, 2)}:${rest}` : `${minutes}:${rest}`;
}

export class Film {
  constructor(place, setting) {
    Object.assign(this, { place, setting, cameras: [], kept: new Map(), isPlaying: false, rate: 1, atMs: 0, hasBoxes: false });
  }

  show(film) {
    this.shownForMs = film.shown_for_ms ?? 0;
    this.cameras = film.cameras.map((info) => new Camera(info, this));
    this.place.replaceChildren(...this.cameras.map((camera) => camera.figure));
    this.place.dataset.count = String(this.cameras.length);
    this.place.parentElement.classList.toggle("is-filmless", !this.cameras.length);
    if (!this.cameras.length) {
      this.place.append(el("p", { class: "soft film-none" }, fill(this.setting.texts.no_film, { text: film.problem })));
    }
    if (this.cameras.length) this.choose(this.cameras[0]);
    for (const camera of this.cameras) this.watch(camera);
    setInterval(() => this.align(), 200);
  }

  choose(camera) {
    this.chosen = camera;
    for (const one of this.cameras) one.figure.classList.toggle("is-main", one === camera);
  }

  // Nothing more is asked for, and what was kept of it is let go.
  close() {
    this.pause();
    this.isClosed = true;
    this.kept.clear();
    for (const camera of this.cameras) camera.parts?.close();
  }

  // Exact frames: the last ones are kept, so that going to and fro asks for nothing twice.
  async picture(camera, atMs, step) {
    if (this.isClosed || !camera.hadPicture(atMs)) return null;
    const key = `${camera.info.name}|${camera.info.offset_ms}|${atMs}|${step}|${this.hasBoxes}`;
    if (this.kept.has(key)) return this.kept.get(key);
    const width = Math.min(camera.info.size[0], 1280);
    const query = { at_ms: Math.max(0, Math.round(atMs)), step, width, overlay: this.hasBoxes };
    try {
      const answer = await fetch(camera.address("frame", query));
      if (!answer.ok) { this.onRefused?.(); return null; }
      const image = await createImageBitmap(await answer.blob());
      const found = { image, atMs: Number(answer.headers.get("Kemps-At-Ms")), index: Number(answer.headers.get("Kemps-Index")) };
      this.kept.set(key, found);
      if (this.kept.size > KEPT) {
        const [oldest] = this.kept.keys();
        this.kept.delete(oldest);
      }
      return found;
    } catch { return null; }
  }

  stand(atMs) {
    this.atMs = atMs;
    if (this.isPlaying) { this.play(atMs); return; }
    this.wanted = atMs;
    if (!this.isFetching) this.fetchWanted();
  }

  // While it is dragged only the newest place is asked for, one at a time.
  async fetchWanted() {
    this.isFetching = true;
    while (this.wanted !== null && !this.isPlaying) {
      const atMs = this.wanted;
      this.wanted = null;
      await Promise.all(this.cameras.filter((camera) => !camera.info.problem).map((camera) => camera.frame(atMs)));
    }
    this.isFetching = false;
  }

  // One frame of the chosen camera on or back; the others show what they showed then.
  async step(count) {
    const camera = this.chosen?.info.problem ? this.cameras.find((one) => !one.info.problem) : this.chosen;
    if (!camera) return null;
    const found = await this.picture(camera, this.atMs, count);
    if (!found) return null;
    this.atMs = found.atMs;
    await Promise.all(this.cameras.filter((one) => !one.info.problem).map((one) => one.frame(found.atMs)));
    this.picture(camera, found.atMs, Math.sign(count));
    return found.atMs;
  }

  // When the first picture of the chosen camera was on show, or of the first one that has any.
  get firstMs() {
    const camera = [this.chosen, ...this.cameras].find((one) => one && !one.info.problem);
    return camera ? camera.info.from_ms : null;
  }

  get master() {
    const main = this.chosen?.covers(this.atMs) ? this.chosen : null;
    return main ?? this.cameras.find((camera) => camera.covers(this.atMs)) ?? null;
  }

  // Gives false when no camera can lead: then the page's own clock does.
  play(atMs) {
    this.atMs = atMs;
    this.isPlaying = true;
    this.leader = this.master;
    for (const camera of this.cameras) {
      if (!camera.covers(atMs)) continue;
      camera.goTo(atMs);
      camera.video.playbackRate = this.rate;
      camera.video.play().catch(() => { /* it was paused again before it began */ });
    }
    return this.leader !== null;
  }

  pause() {
    this.isPlaying = false;
    for (const { video } of this.cameras) video.pause();
  }

  setRate(rate) {
    this.rate = rate;
    for (const { video } of this.cameras) video.playbackRate = rate;
  }

  watch(camera) {
    const { video } = camera;
    const heard = (mediaTime) => {
      if (this.isPlaying && !video.seeking) {
        const atMs = camera.gameMs(mediaTime);
        camera.marks.show(atMs);
        video.hidden = false;
        camera.canvas.hidden = camera.problem.hidden = true;
        camera.figure.dataset.atMs = String(Math.round(atMs));
        camera.told.textContent = fill(this.setting.texts.frame_time, { time: exact(atMs) });
        camera.parts?.want(atMs);
        if (camera === this.leader) { this.atMs = atMs; this.onTime?.(atMs); }
        if (camera === this.leader && atMs >= camera.info.until_ms - 1) this.onEnd?.(); // a source in parts never ends
      }
    };
    const onFrame = (_, { mediaTime }) => { heard(mediaTime); video.requestVideoFrameCallback(onFrame); };
    if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(onFrame);
    else video.addEventListener("timeupdate", () => heard(video.currentTime));
    video.addEventListener("error", () => this.onRefused?.());
    video.addEventListener("ended", () => { if (camera === this.leader) this.onEnd?.(); });
    video.addEventListener("waiting", () => {
      const next = camera.parts?.afterGap(camera.gameMs(video.currentTime));
      if (next !== undefined && this.isPlaying && camera === this.leader) this.play(next);
    });
  }

  // The others follow the one that leads: bent in rate when a little off, sought when far off.
  align() {
    if (!this.isPlaying || !this.leader) return;
    const now = this.leader.gameMs(this.leader.video.currentTime);
    for (const camera of this.cameras) {
      if (camera === this.leader || !camera.canPlay) continue;
      const { video } = camera;
      if (!camera.covers(now)) { video.pause(); continue; }
      if (video.paused) { camera.goTo(now); video.play().catch(() => { /* as above */ }); continue; }
      const off = camera.second(now) - video.currentTime;
      camera.offMs = off * 1000;
      if (Math.abs(off) > FAR_S) camera.goTo(now);
      video.playbackRate = Math.abs(off) > NEAR_S ? this.rate * (1 + Math.max(-0.2, Math.min(0.2, off))) : this.rate;
    }
  }

  async nudge(camera, sign) {
    const offset = camera.info.offset_ms + sign * camera.frameMs;
    try {
      const answer = await fetch(camera.address("offset"), {
        method: "PUT",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ offset_ms: offset }),
      });
      if (!answer.ok) { this.onRefused?.(); return; }
      camera.info = { ...camera.info, ...(await answer.json()) };
    } catch { return; }
    camera.parts?.moved();
    camera.tell();
    if (!this.isPlaying) camera.frame(this.atMs);
  }

  setBoxes(hasBoxes) {
    this.hasBoxes = hasBoxes;
    for (const camera of this.cameras) camera.marks.turn(hasBoxes);
    if (!this.isPlaying) this.stand(this.atMs);
  }
}
