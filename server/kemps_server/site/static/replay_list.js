// The events as a list of which only the rows in sight are there.
import { el } from "./desk_table.js";

const ROW = 40;
const MORE = 6;
const SWAPS = new Set(["card_touched", "card_taken", "card_laid", "centre_turned", "centre_swept", "hand_reached"]);
const HANDS = new Set(["gesture", "hand_hidden", "packet_hidden", "hands_touched", "card_passed", "not_observed", "not_measurable"]);
const CALLS = new Set(["called", "hand_shown", "show_refused", "ruled", "deal_started", "deal_ended"]);
const KINDS = {
  all: () => true,
  calls: (step) => CALLS.has(step.kind),
  flags: (step) => Boolean(step.flags),
  unsure: (step) => Boolean(step.is_unsure),
  swaps: (step) => SWAPS.has(step.kind),
  gestures: (step) => HANDS.has(step.kind),
};

export class EventList {
  constructor(place, game, clock, onPick) {
    Object.assign(this, { place, game, clock, current: -1 });
    this.room = el("div", { class: "event-room", role: "presentation" });
    this.none = el("p", { class: "soft event-none" }, place.dataset.none);
    place.replaceChildren(this.room, this.none);
    place.addEventListener("scroll", () => this.draw(), { passive: true });
    place.addEventListener("click", (event) => {
      const row = event.target.closest("[data-step]");
      if (row) onPick(Number(row.dataset.step));
    });
    new ResizeObserver(() => this.draw()).observe(place);
    this.filter("all");
  }

  filter(kind) {
    this.shown = this.game.steps.map((step, index) => [step, index]).filter(([step]) => KINDS[kind](step)).map(([, index]) => index);
    this.room.style.height = `${this.shown.length * ROW}px`;
    this.none.hidden = this.shown.length > 0;
    this.first = this.last = -1;
    this.show(this.current);
    this.draw();
  }

  show(step) {
    this.current = step;
    let place = 0;
    let high = this.shown.length;
    while (place < high) {
      const middle = (place + high) >> 1;
      if (this.shown[middle] <= step) place = middle + 1;
      else high = middle;
    }
    this.at = place - 1;
    const top = Math.max(0, this.at) * ROW;
    const { scrollTop } = this.place;
    this.tall ??= this.place.clientHeight;
    if (top < scrollTop + ROW || top > scrollTop + this.tall - 2 * ROW) this.place.scrollTop = top - this.tall / 2;
    this.mark();
  }

  draw() {
    this.tall = this.place.clientHeight;
    const first = Math.max(0, Math.floor(this.place.scrollTop / ROW) - MORE);
    const last = Math.min(this.shown.length, Math.ceil((this.place.scrollTop + this.tall) / ROW) + MORE);
    if (first === this.first && last === this.last) return;
    Object.assign(this, { first, last });
    this.room.replaceChildren(...this.shown.slice(first, last).map((index, offset) => this.row(index, first + offset)));
    this.mark();
  }

  row(index, place) {
    const step = this.game.steps[index];
    const sign = step.flags ? "⚑" : step.is_unsure ? "?" : "";
    const row = el("div", { class: `event-row k-${step.kind}${step.is_retracted ? " is-gone" : ""}`, role: "listitem", "data-step": index, "aria-posinset": place + 1, "aria-setsize": this.shown.length, title: step.text },
      el("time", {}, this.clock(step.at_ms)), el("span", { class: "event-text" }, step.text), el("span", { class: step.flags ? "event-flag" : "soft" }, sign));
    row.style.top = `${place * ROW}px`;
    return row;
  }

  mark() {
    const wanted = this.shown[this.at];
    for (const row of this.room.children) {
      const isNow = Number(row.dataset.step) === wanted;
      if (isNow) row.setAttribute("aria-current", "step");
      else row.removeAttribute("aria-current");
    }
  }
}
