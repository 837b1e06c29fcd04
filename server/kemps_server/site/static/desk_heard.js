// What was heard: the wave of each call with its mark, played; confirmed or denied by a key.
import { el } from "./desk_table.js";

export class Heard {
  #panel; #box; #texts; #decide; #sounds = []; #shown = ""; #audio = null; #head = null; #frame = 0;

  constructor(panel, box, texts, decide) {
    [this.#panel, this.#box, this.#texts, this.#decide] = [panel, box, texts, decide];
  }

  show(detail, isOther) {
    this.#sounds = detail.sounds;
    this.#panel.hidden = !this.#sounds.length;
    const shown = JSON.stringify([detail.id, this.#sounds]);
    if (isOther) this.#stop();
    if (shown === this.#shown) return;
    this.#stop();
    this.#shown = shown;
    this.#box.replaceChildren(...this.#sounds.map((sound) => this.#row(sound, detail)));
  }

  // The keys are for the first one that nobody has looked at. Each act tells whether there was anything to do.
  get #first() { return this.#sounds.find((sound) => sound.is_unconfirmed) ?? this.#sounds[0]; }

  play(sound = this.#first) {
    if (!sound?.address) return false;
    const isOn = this.#audio && !this.#audio.paused && this.#audio.dataset.line === String(sound.line);
    this.#stop();
    if (isOn) return true;
    this.#audio = new Audio(sound.address);
    this.#audio.dataset.line = sound.line;
    this.#head = this.#box.querySelector(`[data-line="${sound.line}"] .wave-head`);
    this.#audio.addEventListener("ended", () => this.#stop());
    this.#audio.play().then(() => this.#follow(), () => this.#stop());
    return true;
  }

  confirm(sound = this.#first) {
    if (!sound?.is_unconfirmed) return false;
    this.#decide({ kind: "corrected", event: sound.line, to: { confidence: 1 }, why: this.#say("heard_confirmed") });
    return true;
  }

  deny(sound = this.#first) {
    if (!sound?.is_unconfirmed) return false;
    this.#decide({ kind: "retracted", event: sound.line, why: this.#say("heard_why") });
    return true;
  }

  #say(key, args = {}) {
    return (this.#texts[`desk.${key}`] ?? key).replace(/\{(\w+)\}/g, (place, name) => args[name] ?? place);
  }

  #row(sound, detail) {
    const who = sound.seat ? detail.players[sound.seat] ?? sound.seat : this.#say("heard_nobody");
    const word = sound.call === "stop" ? "Stop Kemps" : "Kemps";
    const line = this.#say("heard_line", { call: word, seat: who, percent: `${Math.round(sound.confidence * 100)} %` });
    const row = el("div", { class: "heard-row", "data-line": sound.line },
      el("p", {}, el("b", {}, sound.is_unconfirmed || sound.confidence < 1 ? line : `${word}, ${who}`), ` ${this.#say("heard_doubt", { ms: sound.uncertainty_ms })}`));
    if (sound.is_overlapped) row.append(el("p", { class: "soft" }, this.#say("heard_overlap")));
    if (sound.wave) row.append(this.#wave(sound));
    const buttons = el("div", { class: "heard-buttons" });
    if (sound.address) buttons.append(this.#button("heard_play", "p", () => this.play(sound)));
    if (sound.is_unconfirmed) {
      buttons.append(this.#button("heard_yes", "y", () => this.confirm(sound)), this.#button("heard_no", "0", () => this.deny(sound)));
    } else if (sound.confidence === 1) {
      buttons.append(el("span", { class: "chip state-decided" }, this.#say("heard_confirmed")));
    }
    row.append(buttons);
    return row;
  }

  #wave(sound) {
    const drawn = new DOMParser().parseFromString(sound.wave, "image/svg+xml").documentElement;
    const box = el("div", { class: "wave-box", "aria-hidden": "true" }, document.importNode(drawn, true), el("div", { class: "wave-head" }));
    box.addEventListener("click", () => this.play(sound));
    return box;
  }

  #button(key, letter, act) {
    const button = el("button", { type: "button" }, el("span", {}, this.#say(key)), " ", el("kbd", {}, letter));
    button.addEventListener("click", act);
    return button;
  }

  #follow() {
    if (!this.#audio || !this.#head) return;
    const { currentTime, duration } = this.#audio;
    this.#head.style.left = `${100 * currentTime / (duration || 1)}%`;
    this.#head.classList.add("is-on");
    this.#frame = requestAnimationFrame(() => this.#follow());
  }

  #stop() {
    cancelAnimationFrame(this.#frame);
    this.#audio?.pause();
    this.#head?.classList.remove("is-on");
    this.#audio = null;
  }
}
