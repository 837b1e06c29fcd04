// The zones of a table over a camera's picture: moved with the mouse, a finger, or the arrow keys.
const SVG = "http://www.w3.org/2000/svg";
const ROOM = 0.16; // round the picture, for players who sit outside it
const STEPS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

const node = (tag, values = {}, ...inside) => {
  const one = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(values)) one.setAttribute(name, value);
  one.append(...inside);
  return one;
};

export class Zones {
  // onMove(kind, which, point, isDone) hears each move: kind is corner, seat or face; onTell(text) what is moved.
  constructor(svg, { say, onMove, onTell }) {
    Object.assign(this, { svg, say, onMove, onTell, dragged: null, size: [1280, 720], focused: "" });
    svg.addEventListener("pointerdown", (event) => this.#take(event));
    svg.addEventListener("pointermove", (event) => this.#drag(event));
    for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => this.#drop());
    svg.addEventListener("keydown", (event) => this.#press(event));
    svg.addEventListener("focusin", (event) => { const one = event.target.closest(".handle"); if (one) { this.focused = one.dataset.key; this.onTell(one.getAttribute("aria-label")); } });
  }

  // look: {href, size, centre, edge, seats: [{id, name, at, isGuess}], faces: [{id, name, box}]}
  draw(look) {
    const [w, h] = look.size ?? this.size;
    this.unit = w / 100;
    // Who sits farther away than there is room for is drawn at the border.
    const edge = 2.6 * this.unit, near = (value, most) => Math.min(most * (1 + ROOM) - edge, Math.max(edge - most * ROOM, value));
    const seats = look.seats.map((seat) => ({ ...seat, at: seat.at && [near(seat.at[0], w), near(seat.at[1], h)] }));
    look = { ...look, seats };
    Object.assign(this, { size: [w, h], look });
    this.svg.setAttribute("viewBox", [-w * ROOM, -h * ROOM, w * (1 + 2 * ROOM), h * (1 + 2 * ROOM)].join(" "));
    const parts = [look.href
      ? node("image", { href: look.href, x: 0, y: 0, width: w, height: h, preserveAspectRatio: "none" })
      : node("text", { class: "zone-none", x: w / 2, y: h / 2, "font-size": 2.6 * this.unit }, "")];
    if (!look.href) parts[0].textContent = this.say("need_camera");
    if (look.edge) parts.push(node("polygon", { class: "zone-edge", points: look.edge.join(" ") }));
    const middle = look.centre ? [0, 1].map((n) => look.centre.reduce((sum, point) => sum + point[n], 0) / look.centre.length) : [w / 2, h / 2];
    for (const seat of look.seats) if (seat.at) parts.push(node("line", { class: "zone-line", x1: middle[0], y1: middle[1], x2: seat.at[0], y2: seat.at[1] }));
    if (look.centre) parts.push(node("polygon", { class: "zone-centre", points: look.centre.join(" ") }));
    for (const face of look.faces) parts.push(this.#face(face));
    (look.centre ?? []).forEach((point, n) => parts.push(this.#corner(point, n)));
    for (const seat of look.seats) if (seat.at) parts.push(this.#seat(seat));
    this.svg.replaceChildren(...parts);
    if (this.focused && document.activeElement === document.body) this.svg.querySelector(`[data-key="${this.focused}"]`)?.focus({ preventScroll: true });
  }

  #handle(kind, which, name, point, ...inside) {
    const label = `${name}: ${this.say("at", { x: Math.round(point[0]), y: Math.round(point[1]) })}`;
    return node("g", { class: "handle", tabindex: 0, role: "button", "aria-label": label, "data-kind": kind, "data-which": which, "data-key": `${kind}-${which}` }, ...inside);
  }

  #corner([x, y], n) {
    const u = this.unit;
    return this.#handle("corner", n, this.say("corner", { number: n + 1 }), [x, y],
      node("circle", { class: "halo", cx: x, cy: y, r: 2 * u }), node("circle", { class: "grip", cx: x, cy: y, r: 0.95 * u }));
  }

  #seat(seat) {
    const u = this.unit, [x, y] = seat.at;
    const letter = node("text", { x, y: y + 0.75 * u, "font-size": 2.1 * u, "text-anchor": "middle" });
    letter.textContent = seat.id;
    const handle = this.#handle("seat", seat.id, this.say("seat_place", { seat: seat.id, name: seat.name }), seat.at,
      node("circle", { class: "halo", cx: x, cy: y, r: 3 * u }), node("circle", { class: "plate", cx: x, cy: y, r: 2 * u }), letter);
    handle.classList.toggle("is-guess", Boolean(seat.isGuess));
    return handle;
  }

  #face({ id, name, box: [x, y, w, h] }) {
    const u = this.unit, letter = node("text", { x: x + 0.8 * u, y: y + 2.4 * u, "font-size": 2 * u });
    letter.textContent = id;
    return this.#handle("face", id, this.say("face_box", { name }), [x, y],
      node("rect", { class: "halo", x: x - u, y: y - u, width: w + 2 * u, height: h + 2 * u }),
      node("rect", { class: "face", x, y, width: w, height: h }),
      node("rect", { class: "plate", x, y, width: 3 * u, height: 3 * u }), letter);
  }

  #place(kind, which) {
    const { centre, seats, faces } = this.look;
    if (kind === "corner") return centre[which];
    if (kind === "seat") return seats.find((seat) => seat.id === which).at;
    return faces.find((face) => face.id === which).box;
  }

  #point(event) {
    const place = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [place.x, place.y];
  }

  #take(event) {
    const one = event.target.closest(".handle");
    if (!one) return;
    const { kind, which } = one.dataset, place = this.#place(kind, which), [x, y] = this.#point(event);
    this.dragged = { kind, which, dx: place[0] - x, dy: place[1] - y };
    this.svg.setPointerCapture(event.pointerId);
    one.focus({ preventScroll: true });
    event.preventDefault();
  }

  #drag(event) {
    if (!this.dragged) return;
    const { kind, which, dx, dy } = this.dragged, [x, y] = this.#point(event);
    this.#move(kind, which, [x + dx, y + dy], 0, false);
  }

  #drop() {
    if (!this.dragged) return;
    const { kind, which } = this.dragged, place = this.#place(kind, which);
    this.dragged = null;
    this.#move(kind, which, place, 0, true);
  }

  #press(event) {
    const one = event.target.closest(".handle");
    if (!one || event.ctrlKey || event.metaKey || event.altKey) return;
    const { kind, which } = one.dataset, place = this.#place(kind, which);
    const grows = kind === "face" ? { "+": 1, "=": 1, "-": -1 }[event.key] ?? 0 : 0;
    const step = STEPS[event.key];
    if (!step && !grows) return;
    event.preventDefault();
    const far = event.shiftKey && step ? 10 : 1;
    this.#move(kind, which, step ? [place[0] + step[0] * far, place[1] + step[1] * far] : place, grows * 4, true);
  }

  #move(kind, which, [x, y], grow, isDone) {
    const [w, h] = this.size, room = kind === "seat" ? ROOM : 0;
    const inside = (value, most) => Math.round(Math.min(most * (1 + room), Math.max(-most * room, value)));
    const point = [inside(x, w), inside(y, h)];
    this.focused = `${kind}-${which}`;
    this.onMove(kind, which, point, grow, isDone);
    const now = this.svg.querySelector(`[data-key="${this.focused}"]`);
    if (now && document.activeElement !== now) now.focus({ preventScroll: true });
    if (now) this.onTell(now.getAttribute("aria-label"));
  }
}
