// Buttons and hot keys for calls: a seat's letter, then K or S; a Stop among several pairs names one of them.
const CALLS = { k: "kemps", s: "stop", 2: "double_kemps" };
const FORGET_MS = 6000;

export class CallKeys {
  // seats: [[letter, name, pair], …]; send(seat, call, against, pressedAt) makes a call, seat "" is nobody known.
  constructor({ seats, place, told, say, send }) {
    Object.assign(this, { seats, place, told, say, send, seat: null, call: null, pressedAt: 0, timer: 0, isOn: false });
    place.addEventListener("click", (event) => this.#clicked(event));
    document.addEventListener("keydown", (event) => this.#pressed(event));
  }

  enable(isOn) {
    this.isOn = isOn;
    for (const button of this.place.querySelectorAll("button")) button.disabled = !isOn;
    if (!isOn) this.#forget();
  }

  #clicked(event) {
    const button = event.target.closest("button[data-call]"), seat = event.target.closest("[data-seat]");
    if (!this.isOn || !seat) return;
    if (this.call === "stop" && this.seat !== null) this.#accuse(seat.dataset.seat);
    else if (button) this.#made(seat.dataset.seat, button.dataset.call, performance.now());
  }

  #pressed(event) {
    if (!this.isOn || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
    if (event.target.closest?.("input, select, textarea, dialog")) return;
    const key = event.key.toLowerCase(), letter = key.toUpperCase();
    const isSeat = this.seats.some(([seat]) => seat === letter);
    if (key === "escape") { this.#forget(); return; }
    if (this.call === "stop") { if (isSeat) { event.preventDefault(); this.#accuse(letter); } return; }
    if (this.seat !== null && CALLS[key] && this.#may(CALLS[key])) {
      event.preventDefault();
      this.#made(this.seat, CALLS[key], this.pressedAt);
    } else if (isSeat || key === "0") {
      event.preventDefault();
      this.#pick(isSeat ? letter : "");
    }
  }

  // A rule of the house, by which buttons there are.
  #may(call) { return this.place.querySelector(`[data-call="${call}"]`) !== null; }

  #pick(seat) {
    this.#forget();
    Object.assign(this, { seat, pressedAt: performance.now() });
    this.#mark();
    const name = this.seats.find(([one]) => one === seat)?.[1] ?? this.say("unknown");
    this.told.textContent = this.say("picked", { name });
    this.timer = setTimeout(() => this.#forget(), FORGET_MS);
  }

  #made(seat, call, pressedAt) {
    const count = this.seats.length;
    if (call === "stop" && count > 4) {
      clearTimeout(this.timer);
      Object.assign(this, { seat, call, pressedAt });
      this.#mark();
      const name = this.seats.find(([one]) => one === seat)?.[1] ?? this.say("unknown");
      this.told.textContent = this.say("accuse", { name });
      return;
    }
    this.#forget();
    this.send(seat, call, "", pressedAt);
  }

  #accuse(against) {
    const own = this.seats.find(([one]) => one === this.seat)?.[2], other = this.seats.find(([one]) => one === against)?.[2];
    if (other === undefined || other === own) return;
    const { seat, call, pressedAt } = this;
    this.#forget();
    this.send(seat, call, against, pressedAt);
  }

  #forget() {
    clearTimeout(this.timer);
    Object.assign(this, { seat: null, call: null });
    this.told.textContent = "";
    this.#mark();
  }

  #mark() {
    for (const one of this.place.querySelectorAll("[data-seat]")) {
      one.classList.toggle("is-picked", one.dataset.seat === this.seat);
      const pair = this.seats.find(([seat]) => seat === one.dataset.seat)?.[2];
      const own = this.seats.find(([seat]) => seat === this.seat)?.[2];
      one.classList.toggle("is-accusable", this.call === "stop" && pair !== undefined && pair !== own);
    }
  }
}
