// What an overlay says, in the language that is on; players' own words for their calls come with the game.
export function speaker(catalogues, first) {
  let language = first;
  const say = (key, places = {}) => {
    const text = catalogues[language][key] ?? catalogues.en[key] ?? key;
    return text.replace(/\{(\w+)\}/g, (whole, name) => places[name] ?? whole);
  };
  // Speak this language from now on, or the page's own when it is none; tells which.
  say.turn = (wanted) => {
    language = wanted in catalogues ? wanted : first;
    return language;
  };
  say.names = (state, seats) => {
    const names = seats.map((seat) => state.seats[seat]?.name ?? seat);
    return names.length < 2 ? names.join("") : say("overlay.and", { names: names.slice(0, -1).join(", "), name: names.at(-1) });
  };
  say.pair = (state, pair) => say.names(state, Object.keys(state.seats).filter((seat) => state.seats[seat].pair === pair));
  say.call = (state, call) => {
    const own = (kind) => state.words[kind]?.[language] ?? Object.values(state.words[kind] ?? {})[0] ?? kind;
    if (call === "kemps" || call === "stop") return own(call);
    if (call === "double_kemps") return say("overlay.double", { call: own("kemps") });
    return call === "unclear" ? say("overlay.unclear") : call.replaceAll("_", " ");
  };
  return say;
}

const SVG = "http://www.w3.org/2000/svg";
const SUITS = { s: "♠", h: "♥", d: "♦", c: "♣" };

// An element with a class, and what is in it.
export function made(name, className = "", ...inside) {
  const element = document.createElement(name);
  if (className) element.className = className;
  element.append(...inside);
  return element;
}

// A card's face, drawn from the page's symbols; null is one that was not read.
export function face(card, say) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 63 88");
  svg.setAttribute("class", "card");
  svg.setAttribute("role", "img");
  const named = card === null ? say("overlay.unread") : card === "joker" ? card : card[0].replace("T", "10") + SUITS[card[1]];
  svg.setAttribute("aria-label", named);
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#card-${card ?? "unread"}`);
  svg.append(use);
  return svg;
}

// A seal as the page's templates hold it: right, wrong, cannot_verify or open.
export function seal(ruling) {
  return document.getElementById(`seal-${ruling}`).content.firstElementChild.cloneNode(true);
}
