// A game as it stands: letters of each pair, the centre, the stock, and the last verdict.
const SVG = "http://www.w3.org/2000/svg";
const SIGNS = { right: "✓", wrong: "✕", cannot_verify: "?" };

const made = (tag, text = "", name = "") => {
  const one = document.createElement(tag);
  if (name) one.className = name;
  one.textContent = text;
  return one;
};

const card = (name) => {
  const picture = document.createElementNS(SVG, "svg");
  picture.setAttribute("class", "card");
  picture.setAttribute("viewBox", "0 0 63 88");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", name ?? "?");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#card-${name ?? "unread"}`);
  picture.append(use);
  return picture;
};

// Whether the hands called for do not lie open yet: then it is too early to say that a call cannot be verified.
export const isChecked = (verdict) => Boolean(verdict?.is_provisional && verdict.ruling === "cannot_verify" && verdict.because === "open");

// What shows a state that live.js gives, in the parts of the page with the ids pairs, centre, stock, deal, verdict.
export function boardOf({ at, say, calls }) {
  const pairRow = (state, [pair, look], number) => {
    const row = made("div", "", `pair p${number}`), tiles = made("p", "", "tiles");
    const who = [...pair].map((seat) => state.seats[seat]?.name ?? seat).join(" & ");
    const count = [...(look.letters ?? "")].length;
    tiles.append(...[...(state.word ?? "KEMPS")].map((letter, n) => made("span", letter, `tile${n < count ? " lit" : ""}`)));
    tiles.setAttribute("role", "img");
    tiles.setAttribute("aria-label", look.letters || calls.none);
    row.append(made("p", who, "pair-names"), tiles);
    return row;
  };

  const showVerdict = (state) => {
    const judged = Object.entries(state.deals ?? {}).filter(([, deal]) => deal.verdict).sort(([a], [b]) => Number(b) - Number(a))[0];
    const isOpen = isChecked(judged?.[1].verdict);
    at("verdict").className = `verdict-line${judged && !isOpen ? ` ruling-${judged[1].verdict.ruling}` : ""}`;
    if (!judged) { at("verdict").textContent = say("verdict_none"); return; }
    const [number, { verdict }] = judged;
    const ruling = isOpen ? calls.checking : `${calls[verdict.ruling]}${verdict.is_provisional ? ` (${calls.provisional})` : ""}`;
    const who = state.seats[verdict.by]?.name ?? calls.someone;
    const deal = Number(number) === state.deal?.number ? "" : ` (${say("deal", { number })})`;
    at("verdict").textContent = `${isOpen ? "…" : SIGNS[verdict.ruling] ?? ""} ${who}: ${calls[verdict.call] ?? verdict.call} · ${ruling}${deal}`;
  };

  return (state) => {
    if (!state.seats) return;
    at("deal").textContent = state.deal?.number ? say("deal", { number: state.deal.number }) : "";
    at("pairs").replaceChildren(...Object.entries(state.pairs ?? {}).map((one, number) => pairRow(state, one, number)));
    at("centre").replaceChildren(...(state.centre ?? []).map(card));
    at("stock").textContent = state.stock ?? "?";
    showVerdict(state);
  };
}
