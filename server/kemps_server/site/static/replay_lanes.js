// The timeline on a canvas: the whole game in a strip, below it lanes round the cursor. Only what is seen is drawn.
const LEFT = 118;
const OVERVIEW = 30;
const LANE = 27;
const TICKS = 20;
const SPANS_MS = [5e3, 1e4, 2e4, 4e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5];
const STEPS_MS = [500, 1e3, 2e3, 5e3, 1e4, 15e3, 3e4, 6e4, 12e4, 3e5, 6e5];
const LEAST_PX = 6;

const firstAfter = (list, value, of) => {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (of(list[middle]) < value) low = middle + 1;
    else high = middle;
  }
  return low;
};

export class Lanes {
  constructor(canvas, game, texts, onSeek) {
    Object.assign(this, { canvas, game, texts, onSeek, cursor: 0, fromMs: 0, zoom: 4 });
    this.length = Math.max(1000, game.duration_ms);
    this.rows = [...game.seats.map((seat, index) => ({ key: seat.id, name: `${seat.id} · ${seat.name}`, pair: index % (game.seats.length / 2) }))];
    if (game.spans.some(([sort, seat]) => seat === null && sort !== "unobserved")) this.rows.push({ key: null, name: texts.someone });
    this.rows.push({ key: "centre", name: texts.centre }, { key: "flags", name: texts.flags });
    this.y = new Map(this.rows.map((row, index) => [row.key, OVERVIEW + TICKS + index * LANE]));
    this.height = OVERVIEW + TICKS + this.rows.length * LANE + 6;
    canvas.style.height = `${this.height}px`;
    // Sorted by their beginnings; no span before `reach` back from a time can still last then.
    this.spans = [...game.spans].sort((a, b) => a[2] - b[2]);
    this.reach = this.spans.reduce((most, [, , from, to]) => Math.max(most, to - from), 0);
    this.points = game.steps.flatMap((step, index) => {
      const sort = { centre_turned: "turn", centre_swept: "sweep", called: "call" }[step.kind];
      return sort && !step.is_retracted ? [{ sort, at: step.at_ms, seat: step.seats?.[0] ?? null, step: index }] : [];
    });
    this.flags = [...game.flags].sort((a, b) => a.at_ms - b.at_ms);
    this.listen();
    this.dress();
    new ResizeObserver(() => this.fit()).observe(canvas);
    this.fit();
  }

  lengthen(length) {
    if (length <= this.length) return;
    Object.assign(this, { length, overview: null });
    this.draw();
  }

  // Colours are those of the page, and change with it.
  dress() {
    const style = getComputedStyle(this.canvas);
    const probe = document.createElement("canvas").getContext("2d");
    const colour = (name) => { probe.fillStyle = "#888"; probe.fillStyle = this.resolved(`var(${name})`); return probe.fillStyle; };
    const names = ["ink", "soft", "line", "sheet", "paper", "accent", "gold", "flag", "focus", "pair-0", "pair-1", "pair-2", "pair-3"];
    this.colours = Object.fromEntries(names.map((name) => [name, colour(`--${name}`)]));
    this.font = style.fontFamily;
    this.hatch = this.hatched();
  }

  resolved(value) {
    this.probe ??= this.canvas.parentElement.appendChild(Object.assign(document.createElement("i"), { hidden: true }));
    this.probe.style.color = value;
    return getComputedStyle(this.probe).color;
  }

  hatched() {
    const tile = document.createElement("canvas");
    tile.width = tile.height = 6;
    const pen = tile.getContext("2d");
    pen.strokeStyle = this.colours.soft;
    pen.beginPath();
    pen.moveTo(0, 6);
    pen.lineTo(6, 0);
    pen.stroke();
    return this.canvas.getContext("2d").createPattern(tile, "repeat");
  }

  fit() {
    const ratio = devicePixelRatio || 1;
    this.width = Math.max(200, this.canvas.clientWidth);
    Object.assign(this.canvas, { width: Math.round(this.width * ratio), height: Math.round(this.height * ratio) });
    this.ratio = ratio;
    this.overview = null;
    this.draw();
  }

  get spanMs() { return Math.min(SPANS_MS[this.zoom], this.length); }

  get scale() { return (this.width - LEFT - 8) / this.spanMs; }

  x(atMs) { return LEFT + (atMs - this.fromMs) * this.scale; }

  at(x) { return this.fromMs + (x - LEFT) / this.scale; }

  wholeX(atMs) { return LEFT + (atMs / this.length) * (this.width - LEFT - 8); }

  set(cursor, isFollowed = true) {
    this.cursor = cursor;
    const share = (cursor - this.fromMs) / this.spanMs;
    if (isFollowed && (share < 0.08 || share > 0.92)) this.fromMs = cursor - this.spanMs / 2;
    this.fromMs = Math.max(0, Math.min(this.fromMs, this.length - this.spanMs));
    this.draw();
  }

  zoomBy(steps, atMs = this.cursor) {
    const share = (atMs - this.fromMs) / this.spanMs;
    this.zoom = Math.max(0, Math.min(SPANS_MS.length - 1, this.zoom + steps));
    this.fromMs = atMs - share * this.spanMs;
    this.fromMs = Math.max(0, Math.min(this.fromMs, this.length - this.spanMs));
    this.draw();
  }

  listen() {
    const { canvas } = this;
    const place = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top];
    };
    const seek = (event) => {
      const [x] = place(event);
      const atMs = this.isWhole ? ((x - LEFT) / (this.width - LEFT - 8)) * this.length : this.at(x);
      this.onSeek(Math.round(Math.max(0, Math.min(this.length, atMs))), !this.isWhole);
    };
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      canvas.setPointerCapture(event.pointerId);
      this.isWhole = place(event)[1] < OVERVIEW;
      this.isHeld = true;
      seek(event);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.isHeld) seek(event);
      else this.hint(...place(event));
    });
    for (const name of ["pointerup", "pointercancel"]) canvas.addEventListener(name, () => { this.isHeld = false; });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [x] = place(event);
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY) || event.shiftKey) {
        this.fromMs = Math.max(0, Math.min(this.fromMs + (event.deltaX || event.deltaY) / this.scale, this.length - this.spanMs));
        this.draw();
      } else this.zoomBy(Math.sign(event.deltaY), this.at(x));
    }, { passive: false });
  }

  hint(x, y) {
    const row = this.rows.find((one) => y >= this.y.get(one.key) && y < this.y.get(one.key) + LANE);
    const atMs = this.at(x);
    const near = LEAST_PX / this.scale;
    let step = null;
    let text = "";
    if (row?.key === "flags") text = this.flags.filter((flag) => Math.abs(flag.at_ms - atMs) < near).map((flag) => `${flag.rule} ${flag.name}: ${flag.said}`).join("\n");
    else if (row) {
      step = this.points.find((point) => Math.abs(point.at - atMs) < near && (row.key === "centre" || point.seat === row.key))?.step
        ?? this.visible(atMs - near, atMs + near).find(([, seat]) => seat === row.key)?.[4] ?? null;
    }
    this.canvas.title = step === null ? text : this.game.steps[step].text;
  }

  visible(fromMs, untilMs) {
    const first = firstAfter(this.spans, fromMs - this.reach, (span) => span[2]);
    const found = [];
    for (let index = first; index < this.spans.length && this.spans[index][2] <= untilMs; index += 1) {
      if (this.spans[index][3] >= fromMs) found.push(this.spans[index]);
    }
    return found;
  }

  draw() {
    if (this.isDue) return;
    this.isDue = true;
    requestAnimationFrame(() => { this.isDue = false; this.paint(); });
  }

  paint() {
    const pen = this.canvas.getContext("2d");
    pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    pen.clearRect(0, 0, this.width, this.height);
    this.overview ??= this.paintOverview();
    pen.drawImage(this.overview, 0, 0, this.width, OVERVIEW);
    this.paintGrid(pen);
    pen.save();
    pen.beginPath();
    pen.rect(LEFT, OVERVIEW, this.width - LEFT - 8, this.height);
    pen.clip();
    const untilMs = this.fromMs + this.spanMs;
    for (const span of this.visible(this.fromMs, untilMs)) this.paintSpan(pen, span);
    const start = firstAfter(this.points, this.fromMs - 2000, (point) => point.at);
    for (let index = start; index < this.points.length && this.points[index].at <= untilMs; index += 1) this.paintPoint(pen, this.points[index]);
    const flag = firstAfter(this.flags, this.fromMs - 2000, (one) => one.at_ms);
    for (let index = flag; index < this.flags.length && this.flags[index].at_ms <= untilMs; index += 1) this.paintFlag(pen, this.flags[index]);
    this.paintLoop(pen);
    pen.restore();
    this.paintHead(pen);
  }

  // The strip of the whole game is painted once: how much happened when, calls and flags.
  paintOverview() {
    const picture = document.createElement("canvas");
    Object.assign(picture, { width: Math.round(this.width * this.ratio), height: Math.round(OVERVIEW * this.ratio) });
    const pen = picture.getContext("2d");
    pen.scale(this.ratio, this.ratio);
    const width = Math.round(this.width - LEFT - 8);
    const counts = new Float32Array(width);
    for (const step of this.game.steps) counts[Math.min(width - 1, Math.floor((step.at_ms / this.length) * width))] += 1;
    const most = Math.max(1, ...counts);
    pen.fillStyle = this.colours.accent;
    pen.globalAlpha = 0.4;
    counts.forEach((count, index) => { if (count) pen.fillRect(LEFT + index, OVERVIEW - 4 - (count / most) * 20, 1, (count / most) * 20); });
    pen.globalAlpha = 1;
    pen.fillStyle = this.colours.line;
    pen.fillRect(LEFT, OVERVIEW - 4, width, 1);
    for (const flag of this.flags) this.triangle(pen, this.wholeX(flag.at_ms), OVERVIEW - 9, 4, this.colours.flag);
    for (const point of this.points) if (point.sort === "call") this.pennant(pen, this.wholeX(point.at), 2, 8, this.colours.ink);
    return picture;
  }

  paintGrid(pen) {
    const { colours } = this;
    pen.font = `12px ${this.font}`;
    pen.textBaseline = "middle";
    this.rows.forEach((row) => {
      const y = this.y.get(row.key);
      pen.fillStyle = colours.line;
      pen.fillRect(0, y, this.width, 1);
      pen.fillStyle = row.pair === undefined ? colours.soft : colours[`pair-${row.pair}`];
      let name = row.name;
      while (pen.measureText(name).width > LEFT - 18 && name.length > 3) name = `${name.replace(/…$/, "").slice(0, -1)}…`;
      pen.fillText(name, 10, y + LANE / 2 + 1);
    });
    const every = STEPS_MS.find((step) => step * this.scale >= 78) ?? STEPS_MS[STEPS_MS.length - 1];
    pen.textAlign = "center";
    for (let at = Math.ceil(this.fromMs / every) * every; at <= this.fromMs + this.spanMs; at += every) {
      const x = this.x(at);
      pen.fillStyle = colours.line;
      pen.fillRect(x, OVERVIEW + TICKS - 4, 1, this.height);
      pen.fillStyle = colours.soft;
      if (x < this.width - 20) pen.fillText(this.label(at, every), x, OVERVIEW + 9);
    }
    pen.textAlign = "start";
  }

  label(at, every) {
    const seconds = at / 1000;
    const minutes = Math.floor(seconds / 60);
    const rest = (seconds % 60).toFixed(every < 1000 ? 1 : 0).padStart(every < 1000 ? 4 : 2, "0");
    return minutes >= 60 ? `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")}:${rest}` : `${minutes}:${rest}`;
  }

  // Each sort has a shape of its own; the colour only helps.
  paintSpan(pen, [sort, seat, from, to]) {
    const { colours } = this;
    const y = sort === "unobserved" ? OVERVIEW + TICKS : this.y.get(seat);
    if (y === undefined) return;
    const x = this.x(from);
    const width = Math.max((to - from) * this.scale, LEAST_PX);
    pen.lineWidth = 1.5;
    if (sort === "unobserved" || sort === "hidden") {
      pen.fillStyle = this.hatch;
      pen.globalAlpha = sort === "unobserved" ? 0.55 : 1;
      pen.fillRect(x, y + (sort === "hidden" ? 4 : 0), width, sort === "hidden" ? LANE - 8 : this.height - y);
      pen.globalAlpha = 1;
      if (sort === "hidden") { pen.strokeStyle = colours.soft; pen.strokeRect(x, y + 4, width, LANE - 8); }
    } else if (sort === "reach") {
      pen.fillStyle = colours.accent;
      pen.globalAlpha = 0.35;
      pen.fillRect(x, y + LANE - 5, width, 3);
      pen.globalAlpha = 1;
    } else if (sort === "take" || sort === "lay") {
      pen.strokeStyle = colours.accent;
      pen.beginPath();
      if (sort === "take") { pen.moveTo(x, y + 7); pen.lineTo(x + 6, y + 18); pen.lineTo(x - 6, y + 18); } else { pen.moveTo(x, y + 18); pen.lineTo(x + 6, y + 7); pen.lineTo(x - 6, y + 7); }
      pen.closePath();
      pen.stroke();
    } else {
      pen.beginPath();
      const thin = sort === "gesture" || sort === "touch";
      pen.roundRect(x, y + (thin ? 3 : 7), width, thin ? 5 : 12, thin ? 2.5 : sort === "shown" ? 3 : 6);
      pen.fillStyle = { swap: colours.accent, shown: colours.gold }[sort] ?? colours.sheet;
      pen.strokeStyle = { gesture: colours["pair-1"], touch: colours.flag, shown: colours.ink }[sort] ?? colours.accent;
      if (sort === "touch") pen.setLineDash([3, 2]);
      pen.fill();
      pen.stroke();
      pen.setLineDash([]);
    }
  }

  paintPoint(pen, point) {
    const x = this.x(point.at);
    const y = point.sort === "call" ? this.y.get(point.seat) ?? OVERVIEW + TICKS : this.y.get("centre");
    if (point.sort === "call") {
      pen.fillStyle = this.colours.ink;
      pen.fillRect(x, OVERVIEW + TICKS, 1.5, this.height);
      this.pennant(pen, x, y + 3, 18, this.colours.ink);
      pen.fillStyle = this.colours.paper;
      pen.font = `700 12px ${this.font}`;
      pen.fillText("!", x + 5, y + 13);
    } else if (point.sort === "turn") {
      pen.fillStyle = this.colours.accent;
      pen.beginPath();
      pen.moveTo(x, y + 5);
      pen.lineTo(x + 6, y + 13);
      pen.lineTo(x, y + 21);
      pen.lineTo(x - 6, y + 13);
      pen.fill();
    } else {
      pen.strokeStyle = this.colours.ink;
      pen.lineWidth = 2;
      pen.beginPath();
      pen.moveTo(x - 6, y + 7);
      pen.lineTo(x + 6, y + 19);
      pen.moveTo(x - 6, y + 19);
      pen.lineTo(x + 6, y + 7);
      pen.stroke();
    }
  }

  paintFlag(pen, flag) {
    const y = this.y.get("flags");
    const x = this.x(flag.at_ms);
    pen.globalAlpha = flag.decision === "dismiss" ? 0.4 : 1;
    this.triangle(pen, x, y + 14, 8, this.colours.flag);
    pen.fillStyle = this.colours.ink;
    pen.font = `600 11px ${this.font}`;
    pen.fillText(flag.rule, x + 10, y + 14);
    pen.globalAlpha = 1;
  }

  paintLoop(pen) {
    if (!this.loop) return;
    pen.fillStyle = this.colours.gold;
    pen.globalAlpha = 0.16;
    pen.fillRect(this.x(this.loop.from), OVERVIEW + TICKS, (this.loop.until - this.loop.from) * this.scale, this.height);
    pen.globalAlpha = 1;
  }

  paintHead(pen) {
    pen.strokeStyle = this.colours.focus;
    pen.fillStyle = this.colours.focus;
    pen.lineWidth = 1;
    pen.strokeRect(this.wholeX(this.fromMs), 1.5, Math.max(3, this.wholeX(this.fromMs + this.spanMs) - this.wholeX(this.fromMs)), OVERVIEW - 5);
    pen.fillRect(this.wholeX(this.cursor) - 0.75, 0, 1.5, OVERVIEW - 3);
    const x = this.x(this.cursor);
    if (x < LEFT - 1 || x > this.width) return;
    pen.fillRect(x - 1, OVERVIEW + TICKS - 6, 2, this.height);
    this.triangle(pen, x, OVERVIEW + TICKS - 8, -6, this.colours.focus);
  }

  triangle(pen, x, y, size, colour) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(x, y - size);
    pen.lineTo(x + Math.abs(size), y + size * 0.8);
    pen.lineTo(x - Math.abs(size), y + size * 0.8);
    pen.fill();
  }

  pennant(pen, x, y, size, colour) {
    pen.fillStyle = colour;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + size * 0.75, y);
    pen.lineTo(x + size, y + size / 2);
    pen.lineTo(x + size * 0.75, y + size);
    pen.lineTo(x, y + size);
    pen.fill();
  }
}
