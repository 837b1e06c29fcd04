// The journal round an incident, and putting a card, a seat or a time right: one press for what, one for how.
import { clock } from "./desk_film.js";
import { badge, drawLedger, drawTable, el, face, sign } from "./desk_table.js";

const RANKS = "A23456789TJQK";
const SUITS = "shcd";

export class Journal {
  // `act` sends a decision; `moment` tells which moment the film shows.
  constructor(parts, texts, places, { act, moment, seek }) {
    Object.assign(this, { parts, texts, places, act, moment, seek, rows: [], players: {}, line: null });
    parts.pickerClose.addEventListener("click", () => parts.picker.close());
    parts.picker.addEventListener("keydown", (event) => this.typed(event));
    parts.picker.addEventListener("close", () => { this.typing = null; });
    parts.swap.addEventListener("click", () => this.pickSwap());
  }

  get row() { return this.rows.find((row) => row.line === this.line) ?? this.rows[0]; }

  show(detail, isOther) {
    this.rows = detail.rows;
    this.players = detail.players;
    this.seats = Object.keys(detail.players);
    const known = this.rows.some((row) => row.line === this.line);
    if (isOther || !known) this.line = (this.rows.find((row) => row.is_about) ?? this.rows[0])?.line ?? null;
    this.parts.rows.replaceChildren(...this.rows.map((row) => this.draw(row)));
    this.select(this.line, isOther);
  }

  draw(row) {
    const name = (what) => `${this.texts[what]} ${row.text}`;
    const time = el("button", { type: "button", class: "row-time", "aria-label": name("desk.correct_time"), "data-edit": "time" }, row.clock);
    const seat = row.has_seat
      ? el("button", { type: "button", class: "row-seat", "aria-label": name("desk.correct_seat"), "data-edit": "seat" },
        row.seat === null ? el("span", { class: "badge nobody" }, "?") : badge(row.seat, this.seats))
      : el("span");
    const cards = el("span", { class: "row-cards" });
    row.cards.forEach((card, index) => {
      const picture = face(card, this.texts["centre.unread"]);
      const isFixed = !row.card_field;
      cards.append(isFixed ? picture : el("button", { type: "button", class: "row-card", "aria-label": `${this.texts["desk.correct_card"]} ${card ? sign(card) : this.texts["centre.unread"]}`, "data-edit": "card", "data-index": index }, picture));
    });
    const marks = el("span", { class: "row-marks" });
    if (row.is_about) marks.append(el("b", {}, this.texts["desk.about"]));
    else if (row.is_evidence) marks.append(el("span", {}, this.texts["desk.evidence"]));
    if (row.doubt) marks.append(el("span", { class: "soft number" }, row.doubt));
    const text = el("span", { class: "row-text" }, row.text, marks);
    const item = el("li", { "data-line": row.line, class: ["row", row.is_about && "is-about", row.is_evidence && "is-evidence", row.is_retracted && "is-gone"].filter(Boolean).join(" ") }, time, seat, text, cards);
    item.addEventListener("click", (event) => {
      this.select(row.line, false);
      const button = event.target.closest("[data-edit]");
      if (button) this.edit(button.dataset.edit, Number(button.dataset.index ?? 0));
      else this.seek(row.at_ms);
    });
    return item;
  }

  select(line, intoView = true) {
    this.line = line;
    for (const item of this.parts.rows.children) {
      const isNow = Number(item.dataset.line) === line;
      item.toggleAttribute("aria-current", isNow);
      if (isNow && intoView) {
        const list = this.parts.rows;
        list.scrollTop += item.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
      }
    }
    const row = this.row;
    if (!row) { this.parts.table.replaceChildren(); this.parts.ledger.replaceChildren(); return; }
    drawTable(this.parts.table, row, this.players, this.places[this.seats.length], this.texts);
    drawLedger(this.parts.ledger, row, this.players, this.texts);
  }

  move(count) {
    const index = this.rows.findIndex((row) => row.line === this.line) + count;
    const row = this.rows[Math.min(this.rows.length - 1, Math.max(0, index))];
    if (!row) return;
    this.select(row.line);
    this.seek(row.at_ms);
  }

  edit(what, index = 0) {
    const row = this.row;
    if (!row) return;
    const hasCards = row.card_field && row.cards.length;
    if (what === "card" && hasCards) this.pickCard(row, index);
    else if (what === "time" || !row.has_seat) this.pickTime(row); // every line has a time that can be put right
    else this.pickSeat(row);
  }

  open(title, ...body) {
    this.parts.pickerTitle.textContent = title;
    this.parts.pickerBody.replaceChildren(...body);
    if (!this.parts.picker.open) this.parts.picker.showModal();
    (this.parts.pickerBody.querySelector("[autofocus]") ?? this.parts.pickerBody.querySelector("button, input"))?.focus();
  }

  correct(row, to) {
    this.parts.picker.close();
    const why = this.texts["desk.as_seen"].replace("{time}", clock(this.moment()));
    this.act({ kind: "corrected", event: row.line, to, why });
  }

  gone(row) {
    const button = el("button", { type: "button", class: "quiet" }, this.texts["desk.never_was"]);
    button.addEventListener("click", () => {
      this.parts.picker.close();
      this.act({ kind: "retracted", event: row.line, why: this.texts["desk.as_seen"].replace("{time}", clock(this.moment())) });
    });
    return button;
  }

  withCard(row, index, card) {
    if (row.card_field === "card") return { card };
    const cards = row.cards.slice();
    cards[index] = card;
    return { cards: cards.filter((one) => one !== null), unread: cards.filter((one) => one === null).length };
  }

  pickCard(row, index) {
    const grid = el("div", { class: "card-grid" });
    for (const suit of SUITS) {
      for (const rank of RANKS) {
        const card = rank + suit;
        const button = el("button", { type: "button", "aria-label": sign(card), "data-card": card, "aria-pressed": String(row.cards[index] === card) }, face(card, ""));
        button.addEventListener("click", () => this.correct(row, this.withCard(row, index, card)));
        grid.append(button);
      }
    }
    const unknown = el("button", { type: "button", class: "quiet" }, this.texts["desk.not_known"]);
    unknown.addEventListener("click", () => this.correct(row, this.withCard(row, index, null)));
    const echo = el("p", { class: "typed soft", role: "status" }, "9♠: 9 s");
    this.typing = { row, index, rank: "", echo };
    this.open(`${this.texts["desk.correct_card"]} ${row.text}`, grid, el("p", { class: "picker-more" }, unknown, this.gone(row), echo));
    (grid.querySelector('[aria-pressed="true"]') ?? grid.firstElementChild).focus();
  }

  // A card by its letters: its rank, then its suit.
  typed(event) {
    event.stopPropagation();
    if (this.typing === null || this.typing === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const rank = event.key === "1" || event.key === "0" ? "T" : event.key.toUpperCase();
    const suit = event.key.toLowerCase();
    if (this.typing.rank && SUITS.includes(suit)) {
      event.preventDefault();
      const { row, index, rank: first } = this.typing;
      this.correct(row, this.withCard(row, index, first + suit));
    } else if (rank.length === 1 && RANKS.includes(rank)) {
      event.preventDefault();
      this.typing.rank = rank;
      this.typing.echo.textContent = `${rank === "T" ? "10" : rank} …`;
    }
  }

  pickSeat(row) {
    const list = el("div", { class: "seat-list" });
    for (const seat of this.seats) {
      const button = el("button", { type: "button", "aria-pressed": String(row.seat === seat) }, badge(seat, this.seats), ` ${this.players[seat]}`);
      button.addEventListener("click", () => this.correct(row, { seat }));
      list.append(button);
    }
    const unknown = el("button", { type: "button", class: "quiet" }, this.texts["desk.not_known"]);
    unknown.addEventListener("click", () => this.correct(row, { seat: null }));
    this.typing = null;
    this.open(`${this.texts["desk.correct_seat"]} ${row.text}`, list, el("p", { class: "picker-more" }, unknown, this.gone(row)));
  }

  pickTime(row) {
    const shown = this.moment();
    const now = el("button", { type: "button", class: "main-button", autofocus: true }, this.texts["desk.shown_moment"].replace("{time}", clock(shown)));
    now.addEventListener("click", () => this.correct(row, { at_ms: shown }));
    const seconds = el("input", { type: "number", min: 0, step: "0.001", value: (row.at_ms / 1000).toFixed(3), id: "picker-seconds" });
    const form = el("form", { class: "seconds" }, el("label", { for: "picker-seconds" }, this.texts["desk.seconds"]), seconds, el("button", {}, this.texts["desk.write"]));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.correct(row, { at_ms: Math.round(Number(seconds.value) * 1000) });
    });
    this.typing = null;
    this.open(`${this.texts["desk.correct_time"]} ${row.text}`, now, form, el("p", { class: "picker-more" }, this.gone(row)));
  }

  pickSwap() {
    const row = this.row;
    if (!row) return;
    const fill = (text) => text.replace("{time}", row.clock);
    const choose = (at) => {
      const select = el("select", { "aria-label": this.texts["desk.correct_seat"] }, ...this.seats.map((seat) => el("option", { value: seat }, `${seat} · ${this.players[seat]}`)));
      select.selectedIndex = at;
      return select;
    };
    const first = choose(0), second = choose(1);
    const form = el("form", { class: "swap-form" }, el("p", { class: "soft" }, fill(this.texts["desk.swap_from"])), first, second, el("button", { class: "main-button" }, fill(this.texts["desk.swap_do"])));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.parts.picker.close();
      this.act({ kind: "identities_swapped", at_ms: row.at_ms, seats: [first.value, second.value], why: this.texts["desk.as_seen"].replace("{time}", clock(this.moment())) });
    });
    this.typing = null;
    this.open(this.texts["desk.swap"], form);
  }
}
