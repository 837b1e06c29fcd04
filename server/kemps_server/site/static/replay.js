// The replay of a game: film, table, events and timeline stand at one moment, the cursor.
import { ask } from "./asking.js";
import { el } from "./desk_table.js";
import { exact, Film } from "./replay_film.js";
import { Lanes } from "./replay_lanes.js";
import { EventList } from "./replay_list.js";
import { TablePicture } from "./replay_table.js";

const one = (id) => document.getElementById(id);
const setting = JSON.parse(one("setting").textContent);
const { texts } = setting;
const LOOP_MS = 2000;
const path = `/api/games/${encodeURIComponent(setting.game)}`;
const short = (atMs) => exact(atMs).slice(0, -2);

const state = { cursor: 0, step: -1, isPlaying: false, loop: null, ticked: 0 };
const film = new Film(one("film"), setting);
let game = null;
let lanes = null;
let list = null;
let table = null;

const fetched = async (address) => {
  const got = await ask("GET", address);
  if (!got.ok) throw new Error(got.line);
  return got.data;
};

// Every step is given the whole table: what it does not tell is as it was after the step before.
function completed(steps) {
  let before = { deal: 0, centre: [], stock: null, aside: null, loose: [], hands: {} };
  for (const step of steps) {
    step.table = {
      deal: step.deal ?? before.deal,
      centre: step.centre ?? before.centre,
      stock: step.stock === undefined ? before.stock : step.stock,
      aside: step.aside === undefined ? before.aside : step.aside,
      loose: step.loose ?? before.loose,
      hands: step.hands ? { ...before.hands, ...step.hands } : before.hands,
    };
    before = step.table;
  }
  return steps;
}

function stepAt(atMs) {
  let low = 0;
  let high = game.steps.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (game.steps[middle].at_ms <= atMs) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function drawScore() {
  const boxes = game.pairs.map((pair, index) => {
    const seats = game.seats.filter((seat) => seat.pair === pair.id);
    const letters = pair.points ?? (pair.letters || "–");
    return el("span", { class: `score-pair p${index}` }, el("span", { class: `badge p${index}` }, pair.id[0]), ` ${seats.map((seat) => seat.name).join(" & ")} `, el("b", {}, String(letters)));
  });
  one("score").replaceChildren(...boxes);
}

function drawMoment(index) {
  const step = game.steps[index];
  table.show(step);
  const now = one("now");
  now.replaceChildren(step ? el("span", {}, step.text) : "");
  if (step?.doubt) now.append(" ", el("small", { class: "soft" }, step.doubt));
  if (step?.is_heard) now.append(" ", el("small", { class: "unsure-mark" }, texts.heard));
  if (step?.is_unsure) now.append(" ", el("small", { class: "unsure-mark" }, texts.unsure));
  drawVerdict(step);
}

function drawVerdict(step) {
  const deal = game.deals.find((other) => other.number === step?.table.deal);
  const verdict = deal?.verdict && deal.verdict.at_ms <= state.cursor ? deal.verdict : null;
  const line = one("verdict");
  if (state.verdict === verdict && state.deal === deal) return;
  Object.assign(state, { verdict, deal });
  line.className = `replay-verdict ruling-${verdict?.ruling ?? "none"}`;
  const number = deal ? texts.deal.replace("{number}", deal.number) : "";
  if (verdict) line.replaceChildren(el("b", {}, verdict.said), ` · ${verdict.claim}. `, el("span", { class: "soft" }, verdict.because));
  else line.replaceChildren(el("span", { class: "soft" }, deal ? `${number} · ${texts.verdict_none}` : ""));
}

// All but the film: cheap enough for each frame of a drag.
function draw(isFollowed = true) {
  const index = stepAt(state.cursor);
  one("clock").textContent = exact(state.cursor);
  lanes.set(state.cursor, isFollowed);
  if (index !== state.step) {
    state.step = index;
    drawMoment(index);
    list.show(index);
    const canvas = one("lanes");
    canvas.setAttribute("aria-valuetext", `${short(state.cursor)} ${game.steps[index]?.text ?? ""}`);
  }
  one("lanes").setAttribute("aria-valuenow", String(Math.round(state.cursor)));
}

function seek(atMs, { isFollowed = true, hasFilm = true } = {}) {
  state.cursor = Math.max(0, Math.min(game.duration_ms, Math.round(atMs)));
  draw(isFollowed);
  if (hasFilm) film.stand(state.cursor);
  if (!state.isPlaying) keep();
}

// The address tells the moment, so that it can be shared; not at each frame of a drag.
function keep() {
  clearTimeout(state.keeping);
  state.keeping = setTimeout(() => history.replaceState(null, "", here()), 300);
}

function here() {
  const address = new URL(location.href);
  address.searchParams.set("at", String(Math.round(state.cursor)));
  return address.pathname + address.search;
}

function setPlaying(isPlaying) {
  state.isPlaying = isPlaying;
  const button = one("play");
  button.setAttribute("aria-pressed", String(isPlaying));
  button.setAttribute("aria-label", isPlaying ? texts.pause : texts.play);
  button.title = isPlaying ? texts.pause : texts.play;
  one("now").setAttribute("aria-live", isPlaying ? "off" : "polite");
  if (isPlaying) {
    if (state.cursor >= game.duration_ms) state.cursor = 0;
    state.ticked = performance.now();
    state.hasFilm = film.play(state.cursor);
    requestAnimationFrame(tick);
  } else {
    film.pause();
    film.stand(state.cursor);
    keep();
  }
}

// Where no camera leads, the page's own clock does.
function tick(now) {
  if (!state.isPlaying) return;
  if (!film.leader) {
    const passed = (now - state.ticked) * film.rate;
    moveTo(state.cursor + passed);
    if (film.isPlaying && film.cameras.some((camera) => camera.covers(state.cursor))) film.play(state.cursor);
  }
  state.ticked = now;
  if (state.isPlaying) requestAnimationFrame(tick);
}

function moveTo(atMs) {
  const { loop } = state;
  if (loop && (atMs >= loop.until || atMs < loop.from - 50)) {
    state.cursor = loop.from;
    film.play(loop.from);
  } else if (atMs >= game.duration_ms) {
    state.cursor = game.duration_ms;
    setPlaying(false);
  } else state.cursor = Math.min(atMs, game.duration_ms);
  draw();
}

function toEvent(ahead, isWanted = () => true) {
  const from = stepAt(state.cursor);
  const { steps } = game;
  for (let index = from + ahead; index >= 0 && index < steps.length; index += ahead) {
    const isThere = ahead > 0 ? steps[index].at_ms > state.cursor : steps[index].at_ms < state.cursor;
    if (isThere && isWanted(steps[index])) { seek(steps[index].at_ms); return; }
  }
}

function toFlag(ahead) {
  const times = game.flags.map((flag) => flag.at_ms).sort((a, b) => a - b);
  const found = ahead > 0 ? times.find((at) => at > state.cursor) : times.reverse().find((at) => at < state.cursor);
  if (found !== undefined) seek(found);
}

async function toFrame(count) {
  if (state.isPlaying) setPlaying(false);
  const atMs = await film.step(count);
  if (atMs === null) return;
  state.cursor = Math.max(0, atMs);
  draw();
  keep();
}

function setLoop() {
  state.loop = state.loop ? null : { from: Math.max(0, state.cursor - LOOP_MS), until: Math.min(game.duration_ms, state.cursor + LOOP_MS) };
  lanes.loop = state.loop;
  one("loop").setAttribute("aria-pressed", String(state.loop !== null));
  lanes.draw();
}

function setSpeed(ahead) {
  const select = one("speed");
  select.selectedIndex = Math.max(0, Math.min(select.options.length - 1, select.selectedIndex + ahead));
  film.setRate(Number(select.value));
}

function setBoxes() {
  const button = one("boxes");
  if (!button) return;
  const hasBoxes = button.getAttribute("aria-pressed") !== "true";
  button.setAttribute("aria-pressed", String(hasBoxes));
  film.setBoxes(hasBoxes);
}

async function share() {
  const button = one("share");
  const said = button.textContent;
  history.replaceState(null, "", here());
  try {
    await navigator.clipboard.writeText(new URL(here(), location.href).href);
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = said; }, 1500);
  } catch { /* the address bar has it all the same */ }
}

const isUnsure = (step) => Boolean(step.is_unsure);
const isCall = (step) => step.kind === "called";
const KEYS = {
  " ": () => setPlaying(!state.isPlaying),
  ArrowLeft: (shift) => (shift ? toEvent(-1) : toFrame(-1)),
  ArrowRight: (shift) => (shift ? toEvent(1) : toFrame(1)),
  Home: () => seek(film.firstMs ?? game.steps[0]?.at_ms ?? 0),
  End: () => seek(game.duration_ms),
  f: (shift) => toFlag(shift ? -1 : 1),
  c: (shift) => toEvent(shift ? -1 : 1, isCall),
  d: (shift) => toEvent(shift ? -1 : 1, isUnsure),
  l: setLoop,
  b: setBoxes,
  "+": () => setSpeed(1),
  "=": () => setSpeed(1),
  "-": () => setSpeed(-1),
  ",": () => setting.is_staff && film.chosen && film.nudge(film.chosen, 1),
  ".": () => setting.is_staff && film.chosen && film.nudge(film.chosen, -1),
  "?": () => one("keys-open").click(),
};

function listen() {
  document.addEventListener("keydown", (event) => {
    if (state.isGone || event.altKey || event.ctrlKey || event.metaKey || event.target.closest("input, select, textarea")) return;
    if (event.key === " " && event.target.closest("button, a")) return;
    const act = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!act) return;
    event.preventDefault();
    act(event.shiftKey);
  });
  const clicks = {
    play: () => setPlaying(!state.isPlaying), loop: setLoop, boxes: setBoxes, share,
    "back-event": () => toEvent(-1), "next-event": () => toEvent(1), "back-frame": () => toFrame(-1), "next-frame": () => toFrame(1),
    "next-call": () => toEvent(1, isCall), "next-flag": () => toFlag(1), "next-unsure": () => toEvent(1, isUnsure),
    "zoom-in": () => lanes.zoomBy(-1), "zoom-out": () => lanes.zoomBy(1),
  };
  for (const [id, act] of Object.entries(clicks)) one(id)?.addEventListener("click", act);
  one("speed").addEventListener("change", () => setSpeed(0));
  one("filter").addEventListener("change", () => list.filter(one("filter").value));
  for (const name of ["keys", "export"]) {
    one(`${name}-open`)?.addEventListener("click", (event) => {
      one(name).hidden = !one(name).hidden;
      event.currentTarget.setAttribute("aria-expanded", String(!one(name).hidden));
      if (!one(name).hidden) one(name).querySelector("input:not([type=hidden])")?.focus();
    });
  }
  const dressed = () => { lanes.dress(); lanes.overview = null; lanes.draw(); };
  new MutationObserver(dressed).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dressed);
}

const msOf = (text) => text.trim().split(":").reduce((sum, part) => sum * 60 + Number(part), 0) * 1000;

function prepareExport() {
  const form = one("export");
  if (!form) return;
  const fields = { from_ms: one("export-from"), until_ms: one("export-until") };
  const offer = () => {
    const span = state.loop ?? { from: Math.max(0, state.cursor - 15000), until: Math.min(game.duration_ms, state.cursor + 15000) };
    fields.from_ms.value = exact(span.from);
    fields.until_ms.value = exact(span.until);
  };
  one("export-open").addEventListener("click", offer);
  for (const name of ["from", "until"]) {
    one(`export-${name}-here`).addEventListener("click", () => { one(`export-${name}`).value = exact(state.cursor); });
  }
  form.addEventListener("submit", (event) => {
    for (const [name, field] of Object.entries(fields)) {
      const ms = msOf(field.value);
      field.setCustomValidity(Number.isFinite(ms) && ms >= 0 ? "" : "0:00.000");
      form.elements[name].value = String(Math.round(ms));
    }
    if (!form.reportValidity()) event.preventDefault();
    for (const field of Object.values(fields)) field.setCustomValidity("");
  });
}

// The film may go on after the last event.
function lengthen({ cameras }) {
  game.duration_ms = Math.max(game.duration_ms, ...cameras.filter((camera) => !camera.problem).map((camera) => camera.until_ms));
  lanes.lengthen(game.duration_ms);
  one("lanes").setAttribute("aria-valuemax", String(game.duration_ms));
}

// Whether the game itself has been deleted, and not only a picture of it refused: then the page says so,
// and shows no more of what it holds.
async function isGone() {
  if (state.isGone) return true;
  const answer = await fetch(`${path}/replay?lang=${setting.language}`).catch(() => null);
  // Whoever may see only games that are over is refused one that is not there.
  if (state.isGone || !answer || ![403, 404].includes(answer.status)) return Boolean(state.isGone);
  state.isGone = true;
  state.isPlaying = false;
  film.close();
  clearTimeout(state.keeping);
  document.querySelector("main").classList.add("is-gone");
  one("gone").textContent = answer.status === 404 ? texts.gone : texts.withheld;
  return true;
}

async function begin() {
  const filmed = fetched(`${path}/film`).catch((error) => ({ cameras: [], problem: String(error.message) }));
  try {
    game = await fetched(`${path}/replay?lang=${setting.language}`);
  } catch (error) {
    if (await isGone()) return;
    one("film-none").textContent = texts.failed.replace("{text}", String(error.message));
    return;
  }
  completed(game.steps);
  table = new TablePicture(one("table"), game, texts);
  lanes = new Lanes(one("lanes"), game, texts, (atMs, isFollowed) => seek(atMs, { isFollowed: !isFollowed }));
  list = new EventList(one("list"), game, short, (index) => seek(game.steps[index].at_ms));
  one("lanes").setAttribute("aria-valuemax", String(game.duration_ms));
  drawScore();
  listen();
  prepareExport();
  const asked = new URLSearchParams(location.search).get("at");
  const isAsked = Boolean(asked?.trim()) && Number.isFinite(Number(asked));
  if (isAsked) seek(Number(asked), { hasFilm: false });
  else draw();
  performance.mark("replay-usable");
  document.body.dataset.isUsable = "yes";
  film.onRefused = isGone;
  film.onTime = (atMs) => { if (state.isPlaying) moveTo(atMs); };
  film.onEnd = () => { if (state.loop) film.play(state.loop.from); else { film.leader = null; film.isPlaying = true; } };
  const cameras = await filmed;
  lengthen(cameras);
  film.show(cameras);
  // A film begins some ms after its game: opened at no moment, the page shows the first picture.
  if (!isAsked && state.cursor === 0 && !state.isPlaying && film.firstMs !== null) seek(film.firstMs);
  else film.stand(state.cursor);
  document.body.dataset.isFilmed = "yes";
}

begin();
