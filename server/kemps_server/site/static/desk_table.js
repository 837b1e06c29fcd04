// The table as it stood after a line of the journal, and cards wherever the desk shows some.
const SVG = "http://www.w3.org/2000/svg";

export const make = (name, attributes = {}, ...children) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
};

export const el = (name, attributes = {}, ...children) => {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
};

export const sign = (card) =>
  card.replace("T", "10").replace("c", "♣").replace("d", "♦").replace("h", "♥").replace("s", "♠");

export function face(card, unread) {
  const label = card === null ? unread : sign(card);
  const svg = make("svg", { class: "card", viewBox: "0 0 63 88", role: "img", "aria-label": label });
  svg.append(make("use", { href: `#card-${card ?? "unread"}` }));
  return svg;
}

export const pairOf = (seat, seats) => seats.indexOf(seat) % (seats.length / 2);

export function badge(seat, seats) {
  return el("span", { class: `badge p${pairOf(seat, seats)}`, "aria-hidden": "true" }, seat);
}

const spread = (count, width, room, gap) => {
  const step = count < 2 ? width + gap : Math.min(width + gap, (room - width) / (count - 1));
  const start = -(step * (count - 1) + width) / 2;
  return Array.from({ length: count }, (_, index) => start + step * index);
};

const lay = (group, cards, [width, height], room, gap, top) => {
  const lefts = spread(cards.length, width, room, gap);
  cards.forEach((card, index) => {
    group.append(make("use", { href: `#card-${card ?? "unread"}`, x: lefts[index], y: top, width, height }));
  });
};

export function drawTable(svg, row, players, places, texts) {
  const seats = Object.keys(players);
  svg.replaceChildren(
    make("rect", { class: "rim", x: 8, y: 14, width: 944, height: 572, rx: 270 }),
    make("rect", { class: "felt", x: 24, y: 30, width: 912, height: 540, rx: 254 }),
    make("rect", { class: "mat", x: 318, y: 228, width: 324, height: 158, rx: 12 }),
  );
  seats.forEach((seat, index) => {
    const [x, y] = places[index];
    const hand = make("g", { transform: `translate(${x} ${y})` });
    lay(hand, row.hands[seat].faces, [46, 64], 156, 2, -32);
    const name = make("text", { class: "seat-name", x, y: y > 280 ? y + 58 : y - 44 }, `${seat} · ${players[seat]}`.slice(0, 22));
    const group = make("g", { class: row.seat === seat ? "is-active" : "" });
    group.append(make("rect", { class: "seat-ring", x: x - 86, y: y - 40, width: 172, height: 80, rx: 10 }), hand, name);
    svg.append(group);
  });
  const centre = make("g", { transform: "translate(480 242)" });
  lay(centre, row.centre, [70, 98], 312, 8, 0);
  const pile = `${texts["table.stock"]} ${row.stock ?? "?"}   ${texts["table.aside"]} ${row.aside ?? "?"}`;
  svg.append(centre, make("text", { class: "pile-text", x: 480, y: 370, "text-anchor": "middle" }, pile));
}

export function drawLedger(body, row, players, texts) {
  const seats = Object.keys(players);
  body.replaceChildren(...seats.map((seat) => {
    const hand = row.hands[seat];
    const cards = el("span", { class: "cards" }, ...hand.known.map((card) => face(card, texts["centre.unread"])));
    const owes = hand.owes ? el("small", { class: "soft" }, ` ${texts[`table.owes_${hand.owes}`]}`) : "";
    return el("tr", {},
      el("th", { scope: "row" }, badge(seat, seats), ` ${players[seat]}`),
      el("td", {}, hand.known.length ? cards : el("span", { class: "soft" }, texts["table.ledger_none"])),
      el("td", { class: "number" }, hand.size, owes));
  }));
}
