// The table at the cursor: drawn once, then only the cards that are others are changed, for each step of a drag.
import { make } from "./desk_table.js";

const CENTRE = { width: 70, height: 98, room: 312, gap: 8, top: 0 };
const HAND = { width: 46, height: 64, room: 156, gap: 2, top: -32 };
const LONGEST_NAME = 22;

// A row of cards side by side, closer when they are many.
class Cards {
  constructor(group, size) {
    Object.assign(this, { group, size, shown: [] });
  }

  show(cards) {
    const { size, group, shown } = this;
    if (cards.length !== shown.length) {
      const step = cards.length < 2 ? 0 : Math.min(size.width + size.gap, (size.room - size.width) / (cards.length - 1));
      const start = -(step * (cards.length - 1) + size.width) / 2;
      while (group.children.length > cards.length) group.lastChild.remove();
      cards.forEach((_, index) => {
        const card = group.children[index] ?? group.appendChild(make("use", { y: size.top, width: size.width, height: size.height }));
        card.setAttribute("x", start + step * index);
      });
      shown.length = cards.length;
    }
    cards.forEach((card, index) => {
      if (card === shown[index]) return;
      shown[index] = card;
      group.children[index].setAttribute("href", `#card-${card ?? "unread"}`);
    });
  }
}

export class TablePicture {
  constructor(svg, game, texts) {
    Object.assign(this, { game, texts, seats: new Map(), pile: "" });
    svg.replaceChildren(
      make("rect", { class: "rim", x: 8, y: 14, width: 944, height: 572, rx: 270 }),
      make("rect", { class: "felt", x: 24, y: 30, width: 912, height: 540, rx: 254 }),
      make("rect", { class: "mat", x: 318, y: 228, width: 324, height: 158, rx: 12 }),
    );
    game.seats.forEach((seat, index) => this.addSeat(svg, seat, game.places[index]));
    const centre = make("g", { transform: "translate(480 242)" });
    this.centre = new Cards(centre, CENTRE);
    this.pileText = make("text", { class: "pile-text", x: 480, y: 370, "text-anchor": "middle" });
    this.bubble = make("g", { class: "bubble" });
    svg.append(centre, this.pileText, this.bubble);
  }

  addSeat(svg, { id, name }, [x, y]) {
    const hand = make("g", { transform: `translate(${x} ${y})` });
    const group = make("g", {},
      make("rect", { class: "seat-ring", x: x - 86, y: y - 40, width: 172, height: 80, rx: 10 }), hand,
      make("text", { class: "seat-name", x, y: y > 280 ? y + 58 : y - 44 }, `${id} · ${name}`.slice(0, LONGEST_NAME)));
    svg.append(group);
    this.seats.set(id, { group, cards: new Cards(hand, HAND), faces: null });
  }

  show(step) {
    const active = step?.seats?.[0];
    for (const [id, seat] of this.seats) {
      const faces = step?.table.hands[id]?.faces ?? [];
      if (faces !== seat.faces) seat.cards.show(faces);
      seat.faces = faces;
      if (seat.isActive !== (id === active)) {
        seat.isActive = id === active;
        seat.group.classList.toggle("is-active", seat.isActive);
      }
    }
    this.centre.show(step?.table.centre ?? []);
    const pile = `${this.texts["table.stock"]} ${step?.table.stock ?? "?"}   ${this.texts["table.aside"]} ${step?.table.aside ?? "?"}`;
    if (pile !== this.pile) this.pileText.textContent = this.pile = pile;
    this.say(step?.bubble);
  }

  say(bubble) {
    if (this.said === bubble) return;
    this.said = bubble;
    const [x, , y] = bubble ? this.game.places[this.game.seats.findIndex((seat) => seat.id === bubble[0])] ?? [] : [];
    if (x === undefined) { this.bubble.replaceChildren(); return; }
    const width = Math.max(90, bubble[1].length * 12 + 30);
    this.bubble.replaceChildren(
      make("rect", { x: x - width / 2, y: y - 19, width, height: 38, rx: 12 }), make("text", { x, y: y + 7 }, bubble[1]));
  }
}
