// Tables as viewers may know them: each follows by itself, and says when what it shows may be old.
import { follow } from "./live.js";
import { badge, el, face } from "./desk_table.js";
import { isChecked } from "./game_board.js";

const words = document.getElementById("watch-words").dataset;

function pairsOf(state) {
  const seats = Object.keys(state.seats);
  return Object.entries(state.pairs).map(([pair, told]) => {
    const names = seats.filter((seat) => state.seats[seat].pair === pair).map((seat) =>
      el("span", {}, badge(seat, seats), ` ${state.seats[seat].name}`));
    const lit = told.letters ?? "";
    const tiles = [...(state.word ?? "")].map((letter, place) => el("span", { class: `tile${place < lit.length ? " lit" : ""}`, "aria-hidden": "true" }, letter));
    const score = told.points === undefined ? el("span", { class: "tiles" }, ...tiles, el("span", { class: "hidden-text" }, lit || "–")) : el("strong", {}, `${told.points}`);
    return el("div", { class: "watched-pair" }, el("span", { class: "pair-names" }, ...names), score);
  });
}

function verdictOf(state) {
  const judged = Object.values(state.deals ?? {}).filter((deal) => deal.verdict);
  const last = judged.at(-1)?.verdict;
  if (!last) return "";
  const call = state.words?.[last.call === "stop" ? "stop" : "kemps"]?.[document.documentElement.lang] ?? last.call;
  const told = words[last.ruling === "cannot_verify" ? "cannotVerify" : last.ruling];
  const ruling = isChecked(last) ? words.checking : `${told}${last.is_provisional ? ` (${words.provisional})` : ""}`;
  return `${state.seats[last.by]?.name ?? "?"}: ${call} – ${ruling}`;
}

function draw(section, state) {
  const isThere = Boolean(state?.seats);
  section.classList.toggle("is-empty", !isThere);
  if (!isThere) return;
  section.querySelector(".watched-pairs").replaceChildren(...pairsOf(state));
  const cards = [...(state.centre ?? []), ...Array(state.missing ?? 0).fill(null)];
  section.querySelector(".watched-centre .cards").replaceChildren(...cards.map((card) => face(card, words.unread)));
  section.querySelector(".stock").textContent = state.stock === undefined ? "" : `${words.stock}: ${state.stock}`;
  section.querySelector(".watched-verdict").textContent = verdictOf(state);
}

for (const section of document.querySelectorAll("[data-table]")) {
  section.classList.add("is-empty");
  follow(
    `/api/tables/${section.dataset.table}/live?as=viewer`,
    (state) => draw(section, state),
    ({ link, isStale }) => {
      section.querySelector(".link").textContent = link === "refused" ? words.refused : isStale ? words.stale : "";
    },
  );
}
