// What stays on the picture: pairs with names and letters, the centre, the stock.
import { face, made } from "./overlay_words.js";

export class Board {
  #main; #say; #slots = []; #deal = null; #pairs = ""; #scores = new Map();

  constructor(main, say) {
    this.#main = main;
    this.#say = say;
  }

  show(state) {
    this.#seat(state);
    for (const [pair, score] of this.#scores) this.#count(state, pair, score);
    this.#lay(state);
    this.#stock(state);
  }

  // The pairs, made anew only when somebody else sits there or another word is spelt.
  #seat(state) {
    const ids = Object.keys(state.pairs);
    const made_of = JSON.stringify([state.seats, state.word, state.scoring, ids, document.documentElement.lang]);
    if (made_of === this.#pairs) return;
    this.#pairs = made_of;
    this.#scores.clear();
    const lists = this.#main.querySelectorAll(".pairs");
    for (const list of lists) list.replaceChildren();
    const half = Math.ceil(ids.length / 2);
    ids.forEach((pair, index) => {
      const seats = Object.keys(state.seats).filter((seat) => state.seats[seat].pair === pair);
      const names = made("p", "names", ...seats.map((seat) => made("span", "name", state.seats[seat].name)));
      const score = made("p", "score");
      const item = made("li", `pair p${index}`, made("span", "shape"), made("div", "who", names, score), made("p", "standing"));
      item.dataset.pair = pair;
      lists[index < half ? 0 : 1].append(item);
      this.#scores.set(pair, item);
    });
    this.#main.dataset.pairs = String(ids.length);
  }

  #count(state, pair, item) {
    const { letters = "", points, standing = "" } = state.pairs[pair];
    const score = item.querySelector(".score");
    const open = pending(state).filter((given) => given === pair).length;
    if (points !== undefined) {
      score.replaceChildren(made("b", open || pending(state).length ? "points open" : "points", String(points)), made("span", "goal", ` / ${state.goal}`));
    } else {
      const tiles = [...state.word];
      if (score.children.length !== tiles.length || !score.querySelector(".tile")) {
        score.replaceChildren(...tiles.map((letter) => made("b", "tile", letter)));
      }
      [...score.children].forEach((tile, index) => {
        tile.classList.toggle("lit", index < letters.length);
        tile.classList.toggle("open", index < letters.length && index >= letters.length - open);
      });
      score.setAttribute("aria-label", letters || "–");
      score.setAttribute("role", "img");
    }
    const ended = ["lost", "won", "shared"].includes(standing) ? standing : "";
    item.dataset.standing = ended;
    item.querySelector(".standing").textContent = ended ? this.#say(`page.${ended}`) : "";
  }

  // Cards keep their places while others come and go; a taken card leaves its place empty.
  #lay(state) {
    const cards = [...(state.centre ?? [])];
    if (this.#deal !== state.deal.number || state.game !== this.game) this.#slots = [];
    [this.#deal, this.game] = [state.deal.number, state.game];
    const next = this.#slots.map((card) => {
      const index = card === undefined ? -1 : cards.indexOf(card);
      return index < 0 ? undefined : cards.splice(index, 1)[0];
    });
    while (next.length < 4) next.push(undefined);
    for (const card of cards) {
      const free = next.indexOf(undefined);
      if (free < 0) next.push(card);
      else next[free] = card;
    }
    while (next.length > 4 && next.at(-1) === undefined) next.pop();
    this.#slots = next;
    const list = this.#main.querySelector(".centre");
    while (list.children.length > next.length) list.lastElementChild.remove();
    next.forEach((card, index) => {
      const name = card === undefined ? "none" : card ?? "unread";
      const there = list.children[index];
      if (there?.dataset.card === name && there.lang === document.documentElement.lang) return;
      const item = made("li", "", ...(card === undefined ? [] : [face(card, this.#say)]));
      item.dataset.card = name;
      item.lang = document.documentElement.lang;
      if (there?.dataset.card === name) item.classList.add("still");
      if (there) there.replaceWith(item);
      else list.append(item);
    });
    const missing = this.#main.querySelector(".missing");
    missing.hidden = !state.missing;
    missing.textContent = state.missing ? this.#say("overlay.missing", { count: state.missing }) : "";
  }

  #stock(state) {
    const stock = this.#main.querySelector(".stock");
    stock.hidden = state.stock === undefined;
    stock.querySelector("b").textContent = state.stock ?? "";
    stock.querySelector("span").textContent = this.#say("table.stock");
  }
}

// The pairs that a verdict gives something, while that is not final.
export function pending(state) {
  const verdict = state.deals?.[state.deal.number]?.verdict;
  return verdict?.is_provisional ? [...verdict.letters_to, ...Object.keys(verdict.points_to)] : [];
}
