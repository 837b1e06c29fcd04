// What was seen, drawn over a video while it plays: asked for some seconds at a time, drawn when it changes.
const BLOCK_MS = 10_000;
const AHEAD_MS = 3_000; // so long before a block begins it is asked for
const KEPT = 8;
const INK = "rgb(16 20 18)";

const colour = (rgb) => `rgb(${rgb.join(" ")})`;

export class Marks {
  // address(query) is where the marks of this camera are; size is that of its picture in px.
  constructor(canvas, size, address) {
    Object.assign(this, { canvas, address, blocks: new Map(), shown: null, isOn: false });
    const shrunk = Math.min(1, 1280 / size[0]);
    Object.assign(canvas, { width: Math.round(size[0] * shrunk), height: Math.round(size[1] * shrunk), hidden: true });
    this.factor = shrunk;
  }

  turn(isOn) {
    this.isOn = isOn;
    if (!isOn) this.hide();
  }

  hide() {
    this.canvas.hidden = true;
    this.shown = null;
  }

  // Draws what is on show at a moment of the game; nothing is drawn twice.
  show(atMs) {
    if (!this.isOn) return;
    const block = this.block(Math.floor(atMs / BLOCK_MS));
    this.block(Math.floor((atMs + AHEAD_MS) / BLOCK_MS));
    const mark = block.marks?.findLast((one) => one.at_ms <= atMs) ?? null;
    const isFresh = mark !== null && atMs - mark.at_ms <= block.staysMs;
    if (!isFresh) { if (block.marks) this.hide(); return; }
    if (mark === this.shown) return;
    this.shown = mark;
    this.canvas.hidden = false;
    this.draw(mark, block.style);
  }

  block(number) {
    const known = this.blocks.get(number);
    if (known) return known;
    const made = { marks: null };
    this.blocks.set(number, made);
    while (this.blocks.size > KEPT) this.blocks.delete(this.blocks.keys().next().value);
    const fromMs = Math.max(0, number * BLOCK_MS - 1000); // what was seen just before stays on show a moment
    fetch(this.address({ from_ms: fromMs, until_ms: (number + 1) * BLOCK_MS }))
      .then((answer) => (answer.ok ? answer.json() : { marks: [], stays_ms: 0, style: {} }))
      .then(({ marks, stays_ms: staysMs, style }) => Object.assign(made, { marks, staysMs, style }))
      .catch(() => this.blocks.delete(number)); // it is asked for again
    return made;
  }

  draw(mark, style) {
    const pen = this.canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, this.canvas.width, this.canvas.height);
    pen.scale(this.factor, this.factor);
    const thick = Math.max(2, Math.min(this.canvas.width, this.canvas.height) / 320) / this.factor;
    for (const [x, y, width, height] of mark.faces ?? []) {
      pen.lineWidth = thick;
      pen.strokeStyle = colour(style.face);
      pen.strokeRect(x, y, width, height);
    }
    for (const points of mark.hands ?? []) this.hand(pen, points, style, thick);
    for (const card of mark.cards) this.outline(pen, card, thick);
    const taken = [];
    for (const card of mark.cards) this.label(pen, card, taken);
  }

  hand(pen, points, style, thick) {
    pen.beginPath();
    for (const [from, to] of style.bones) {
      pen.moveTo(...points[from]);
      pen.lineTo(...points[to]);
    }
    for (const [width, ink] of [[thick + 2, INK], [thick, colour(style.hand)]]) {
      Object.assign(pen, { lineWidth: width, strokeStyle: ink });
      pen.stroke();
    }
  }

  outline(pen, { quad, colour: rgb, dash }, thick) {
    pen.beginPath();
    quad.forEach((point, number) => (number ? pen.lineTo(...point) : pen.moveTo(...point)));
    pen.closePath();
    pen.setLineDash(dash[0] ? dash : []);
    for (const [width, ink] of [[thick + 3, INK], [thick, colour(rgb)]]) {
      Object.assign(pen, { lineWidth: width, strokeStyle: ink });
      pen.stroke();
    }
    pen.setLineDash([]);
  }

  // Above its card, where its own corner is not covered; else below it, or higher, where no other label is.
  label(pen, { quad, name, note, colour: rgb }, taken) {
    const size = Math.min(30, Math.max(13, Math.min(this.canvas.width, this.canvas.height) / 38)) / this.factor;
    pen.font = `700 ${size}px system-ui, sans-serif`;
    const text = note ? `${name} ${note}` : name, wide = pen.measureText(text).width + size * 0.8, high = size * 1.5;
    const left = Math.min(...quad.map(([x]) => x)), right = Math.max(...quad.map(([x]) => x));
    const top = Math.min(...quad.map(([, y]) => y)), bottom = Math.max(...quad.map(([, y]) => y));
    const x = Math.max(2, (left + right - wide) / 2);
    const isFree = (at) => at >= 2 && !taken.some(([x0, y0, wide0]) => x < x0 + wide0 + 2 && x0 < x + wide + 2 && at < y0 + high + 2 && y0 < at + high + 2);
    const y = [top - high - 4, bottom + 4, top - 2 * high - 8, bottom + high + 8].find(isFree) ?? bottom + 4;
    taken.push([x, y, wide]);
    pen.fillStyle = "rgb(255 255 255 / .95)";
    pen.fillRect(x, y, wide, high);
    Object.assign(pen, { lineWidth: 2 / this.factor, strokeStyle: colour(rgb) });
    pen.strokeRect(x, y, wide, high);
    pen.fillStyle = /[♥♦]/.test(name) ? "rgb(190 30 40)" : INK;
    pen.fillText(text, x + size * 0.4, y + size * 1.1);
  }
}
