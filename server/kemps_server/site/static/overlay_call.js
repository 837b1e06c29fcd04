// The call of the running deal and its verdict: comes, is settled, and goes after a while.
import { face, made, seal } from "./overlay_words.js";

const LASTING_MS = 20_000; // after the verdict is final
const LEAST_MS = 4_000; // a verdict can be read although the next deal has begun
const LEAVING_MS = 450;

export class Call {
  #box; #say; #lasting; #shown = ""; #gone = ""; #timer = 0; #drawn = 0;

  constructor(box, say, { stays = false } = {}) {
    this.#box = box;
    this.#say = say;
    this.#lasting = stays ? Infinity : LASTING_MS;
  }

  show(state) {
    const verdict = state.deals?.[state.deal.number]?.verdict;
    const id = verdict ? `${state.game} ${state.deal.number} ${verdict.at_ms}` : "";
    const told = verdict ? JSON.stringify([id, verdict, state.shown, state.seats, document.documentElement.lang]) : "";
    if (told === this.#shown) return;
    const is_new = this.#box.hidden || this.#box.dataset.id !== id;
    this.#shown = told;
    if (!verdict) {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#leave(), Math.max(0, this.#drawn + LEAST_MS - performance.now()));
      return;
    }
    if (told === this.#gone) return;
    clearTimeout(this.#timer);
    this.#box.dataset.id = id;
    this.#draw(state, verdict, is_new);
    if (!verdict.is_provisional && this.#lasting < Infinity) {
      this.#timer = setTimeout(() => { this.#gone = told; this.#leave(); }, this.#lasting);
    }
  }

  #draw(state, verdict, is_new) {
    const before = this.#box.dataset.ruling;
    const ruling = this.#ruling(verdict);
    this.#box.replaceChildren(
      this.#claim(state, verdict), this.#hands(state, verdict), this.#verdict(state, verdict, ruling),
    );
    this.#box.hidden = false;
    this.#drawn = performance.now();
    this.#box.dataset.ruling = ruling;
    this.#box.classList.remove("leaving");
    this.#box.classList.toggle("coming", is_new);
    this.#box.classList.toggle("settling", !is_new && before !== ruling);
    this.#box.classList.toggle("provisional", verdict.is_provisional);
    this.#box.classList.toggle("heard", Boolean(verdict.is_heard));
  }

  // Before the hands lie open nothing has been ruled: that is not the same as what cannot be verified.
  #ruling(verdict) {
    return verdict.is_provisional && verdict.ruling === "cannot_verify" && verdict.because === "open" ? "open" : verdict.ruling;
  }

  #claim(state, verdict) {
    const say = this.#say;
    const who = verdict.because === "tie" ? say("overlay.tie")
      : verdict.by ? say("overlay.calls", { name: say.names(state, [verdict.by]) }) : say("overlay.calls_unknown");
    const against = verdict.call === "stop" && verdict.hands.length
      ? [made("span", "against", say("overlay.against", { names: say.names(state, verdict.hands) }))] : [];
    const word = say.call(state, verdict.is_double ? "double_kemps" : verdict.call);
    const claim = made("div", "claim", made("p", "who", who), made("p", "word", `${word}!`), ...against);
    claim.style.setProperty("--letters", String(Math.max(7, word.length + 1)));
    return claim;
  }

  #hands(state, verdict) {
    const hands = verdict.hands.filter((seat) => state.shown?.[seat]);
    return made("ul", "shown", ...hands.map((seat) => made(
      "li", "", made("span", "name", state.seats[seat]?.name ?? seat),
      made("span", "cards", ...state.shown[seat].map((card) => face(card, this.#say))),
    )));
  }

  #verdict(state, verdict, ruling) {
    const say = this.#say;
    const title = ruling === "open" ? say("overlay.checking") : say(`ruling.${ruling}`);
    const given = [
      ...[...new Set(verdict.letters_to)].map((pair) => say("overlay.letter_to", { names: say.pair(state, pair) })),
      ...Object.entries(verdict.points_to).map(([pair, points]) =>
        say("overlay.points_to", { names: say.pair(state, pair), points: points > 0 ? `+${points}` : String(points) })),
    ];
    const more = given.length ? given : ruling === "open" ? [] : [
      say(ruling === "cannot_verify" && !verdict.by_person ? "overlay.to_person" : "overlay.no_letter"),
    ];
    const doubt = verdict.is_provisional && ruling !== "open" ? [made("p", "tag", say("overlay.provisional"))] : [];
    const heard = verdict.is_heard ? [made("p", "tag", say("overlay.heard"))] : [];
    const person = verdict.by_person ? [made("p", "tag", say("overlay.by_person"))] : [];
    return made("div", "verdict", seal(ruling), made(
      "div", "", made("p", "ruling", title), ...more.map((line) => made("p", "given", line)), ...doubt, ...heard, ...person,
    ));
  }

  #leave() {
    clearTimeout(this.#timer);
    if (this.#box.hidden || this.#box.classList.contains("leaving")) return;
    this.#box.classList.remove("coming", "settling");
    this.#box.classList.add("leaving");
    this.#timer = setTimeout(() => {
      this.#box.hidden = true;
      this.#box.classList.remove("leaving");
      this.#box.replaceChildren();
    }, LEAVING_MS);
  }
}
