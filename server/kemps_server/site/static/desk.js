// The referee's desk: a queue on the left, one item of it on the right, everything by keys.
import { ask } from "./asking.js";
import { Film } from "./desk_film.js";
import { Journal } from "./desk_journal.js";
import { Heard } from "./desk_heard.js";
import { el } from "./desk_table.js";

const POLL_MS = 400; // all desks show one state within a second
const HIDDEN_POLL_MS = 5_000;
const ROWS_MS = 4_000;
const TRIES = 3;

const given = JSON.parse(document.getElementById("desk-data").textContent);
const texts = given.texts;
const one = (id) => document.getElementById(id);
const say = (key, args = {}) => (texts[`desk.${key}`] ?? key).replace(/\{(\w+)\}/g, (place, name) => args[name] ?? place);
// Whoever sits at this machine is its owner in any language.
const nameOf = (by) => (by === "owner" ? texts["event.owner"] : by);
const known = (key, fallback) => texts[`desk.${key}`] ?? fallback;

let queue = given.queue;
let etag = "";
let chosen = readAddress();
let detail = null;
let asked = 0;
let shownStamp = "", loadedAt = 0;
let waiting = null; // the act that waits for its reason

const film = new Film({ cameras: one("cameras"), none: one("film-none"), kind: one("film-kind"), strip: one("strip"), marks: one("strip-marks"), marksChoice: one("marks").parentElement, head: one("head"), clock: one("clock"), play: one("play") }, texts);
const journal = new Journal(
  { rows: one("rows"), table: one("table"), ledger: one("ledger"), swap: one("swap"), picker: one("picker"), pickerTitle: one("picker-title"), pickerBody: one("picker-body"), pickerClose: one("picker-close") },
  texts, given.places,
  { act: (decision) => decide(decision), moment: () => film.atMs, seek: (atMs) => film.seek(atMs) },
);

const heard = new Heard(one("heard-panel"), one("heard"), texts, (decision) => decide(decision));

function readAddress() {
  const query = new URLSearchParams(location.search);
  return { game: query.get("game") ?? "", id: query.get("incident") ?? "" };
}

function writeAddress() {
  const address = new URL(location.href);
  for (const [name, value] of [["game", chosen.game], ["incident", chosen.id]]) {
    if (value) address.searchParams.set(name, value); else address.searchParams.delete(name);
  }
  history.replaceState(null, "", address);
}

/* the queue */
const isOpen = (item) => item.state !== "decided" && item.weight > 0;
const isDecided = (item) => item.state === "decided";
const shows = { open: isOpen, decided: isDecided, all: () => true };
const isChosen = (item) => item.game === chosen.game && item.id === chosen.id;
const ofGame = () => queue.incidents.filter((item) => !one("game").value || item.game === one("game").value);
// What was just decided stays where it is until another item is chosen: the list does not jump under the hand.
const listed = () => ofGame().filter((item) => shows[one("show").value](item) || isChosen(item));

function stateText(item) {
  const what = known(`decision.${item.decision}`, item.decision);
  return say(`state.${item.state}`, { name: nameOf(item.by), what });
}

function drawQueue() {
  const select = one("game"), value = select.value;
  const isAll = queue.games.every((game) => game.is_looked_at);
  select.replaceChildren(el("option", { value: "" }, say(isAll ? "all_games" : "newest_games")), ...queue.games.map(({ id, title }) => el("option", { value: id }, title)));
  select.value = queue.games.some(({ id }) => id === value) ? value : "";
  for (const option of one("show").options) option.textContent = say(`show_${option.value}`, { count: ofGame().filter(shows[option.value]).length });
  const items = listed();
  one("items").replaceChildren(...items.map(drawItem));
  if (!items.length) one("items").append(el("li", { class: "soft empty" }, say("empty")));
  one("troubles").replaceChildren(...Object.entries(queue.troubles).map(([game, why]) => el("p", { class: "warning" }, say("trouble", { game, why }))));
}

function drawItem(item) {
  const link = el("a", { href: `?${new URLSearchParams({ game: item.game, incident: item.id })}`, class: `weight-${item.weight}`, "aria-current": isChosen(item) ? "true" : null },
    el("span", { class: "pips", role: "img", "aria-label": say(`weight.${item.weight}`), title: say(`weight.${item.weight}`) }, ...[1, 2, 3].map((pip) => el("i", { class: pip <= item.weight ? "is-lit" : "" }))),
    el("span", { class: "item-what" }, el("b", {}, item.heading), el("span", { class: "item-who" }, item.names.join(", "))),
    el("span", { class: "item-where soft" }, el("span", {}, [say(`sort.${item.sort}`), item.rule].filter(Boolean).join(" · ")), el("span", {}, item.title), el("time", {}, item.clock)),
    el("span", { class: `chip state-${item.state}` }, stateText(item)));
  link.addEventListener("click", (event) => { event.preventDefault(); choose(item); });
  return el("li", {}, link);
}

function choose(item) {
  if (!isChosen(item)) { chosen = { game: item.game, id: item.id }; detail = null; leaveReason(); tell(""); }
  writeAddress();
  drawQueue();
  one("items").querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });
  load();
}

function move(count) {
  const items = listed();
  if (!items.length) return;
  const at = items.findIndex(isChosen);
  const next = at < 0 ? (count > 0 ? 0 : items.length - 1) : Math.min(items.length - 1, Math.max(0, at + count));
  choose(items[next]);
}

/* one item */
async function load() {
  if (!chosen.id) { nothing(say("choose")); return; }
  const number = ++asked;
  const { ok, data } = await ask("GET", `/api/games/${encodeURIComponent(chosen.game)}/incidents/${encodeURIComponent(chosen.id)}?lang=${given.language}`);
  if (number !== asked) return;
  if (!ok && data !== null) { nothing(say("gone")); return; }
  if (!ok) return;
  const isOther = detail === null || detail.id !== data.id || detail.game !== data.game;
  detail = data;
  drawDetail(isOther);
}

function nothing(text) {
  detail = null;
  one("detail").hidden = true;
  one("nothing").hidden = false;
  one("nothing").textContent = text;
}

function drawDetail(isOther) {
  one("nothing").hidden = true;
  one("detail").hidden = false;
  one("item-line").textContent = [say(`sort.${detail.sort}`), detail.rule, say(`weight.${detail.weight}`)].filter(Boolean).join(" · ");
  one("heading").textContent = detail.names.length && detail.sort === "flag" ? `${detail.heading}: ${detail.names.join(", ")}` : detail.heading;
  one("subline").replaceChildren(`${detail.clock} · `, el("a", { href: `/games/${encodeURIComponent(detail.game)}?at=${detail.at_ms}` }, detail.title));
  drawState();
  drawChoices();
  one("messages").replaceChildren(...detail.said.map((text) => el("p", {}, text)));
  one("reasons").replaceChildren(...detail.reasons.map((text) => el("li", {}, text)));
  one("rule-panel").hidden = !detail.rule;
  one("rule-title").textContent = say("rulebook", { rule: detail.rule, name: detail.rule_name });
  one("rule-text").textContent = detail.rule_text;
  drawHistory();
  heard.show(detail, isOther);
  journal.show(detail, isOther);
  film.show({ game: detail.game, fromMs: detail.from_ms, toMs: detail.to_ms, atMs: detail.at_ms, pictures: detail.pictures, rows: detail.rows });
}

function drawState() {
  one("state").replaceChildren(
    detail.verdict ? el("span", { class: `verdict-chip ruling-${detail.verdict}` }, known(`decision.${detail.verdict}`, detail.verdict)) : "",
    el("span", { class: `chip state-${detail.state}` }, stateText(detail)));
}

const KEYS = { confirm: "c", overturn: "o", dismiss: "d", right: "1", wrong: "2", cannot_verify: "3", first: "f", hold: "h", reopen: "r", note: "n", undo: "u" };

const labelOf = (word) => known(`act.${detail.sort}_${word}`, known(`act.${word}`, known(`act.call_${word}`, word)));
const taken = () => detail.choices.map(({ word }) => `${KEYS[word]} ${labelOf(word)}`).join(", ");

function drawChoices() {
  const buttons = detail.choices.map(({ word }) => {
    const label = labelOf(word);
    const button = el("button", { type: "button", "data-word": word, class: `act-${word}` }, el("span", {}, label), el("kbd", {}, KEYS[word]));
    button.addEventListener("click", (event) => begin(word, event.shiftKey));
    return button;
  });
  one("choices").replaceChildren(...buttons);
  one("second").hidden = !detail.is_second && !detail.own_opinion;
  const what = known(`decision.${detail.own_opinion}`, detail.own_opinion);
  one("second").textContent = detail.own_opinion ? say("own", { what }) : say("second", { name: nameOf(detail.by) });
  one("seal-label").hidden = detail.state === "decided" || detail.state === "sealed";
  if (one("seal-label").hidden) one("sealed").checked = false;
}

function drawHistory() {
  const entries = detail.history.map((entry) => {
    const when = entry.written_ms ? new Date(entry.written_ms).toLocaleTimeString(given.language) : "";
    const head = el("p", {}, el("b", {}, known(`decision.${entry.decision}`, entry.decision)), ` · ${nameOf(entry.by)} `, el("time", { class: "soft" }, when));
    const item = el("li", { class: entry.is_undone ? "is-gone" : "" }, head);
    if (entry.why && !entry.opinions.length) item.append(el("p", { class: "soft" }, entry.why));
    for (const opinion of entry.opinions) {
      const what = known(`decision.${opinion.decision}`, opinion.decision);
      item.append(el("p", { class: "soft" }, say("opinion", { name: nameOf(opinion.by), what }) + (opinion.why ? `: ${opinion.why}` : "")));
    }
    if (entry.is_undone) item.append(el("p", { class: "soft" }, say("undone")));
    else if (entry.kind !== "undone") {
      const back = el("button", { type: "button", class: "quiet" }, say("take_back"));
      back.addEventListener("click", () => act("undo", "", entry.line));
      item.append(back);
    }
    return item;
  });
  one("history").replaceChildren(...(entries.length ? entries : [el("li", { class: "soft" }, say("history_none"))]));
}

/* acts */
async function begin(word, withReason = false, isLatest = false) {
  const choice = detail?.choices.find((each) => each.word === word);
  if (!choice && !isLatest) { // what can be said may be on its way: somebody has just decided something
    await load();
    await begin(word, withReason, true);
    return;
  }
  if (!choice) { tell(say("not_here", { key: KEYS[word], what: labelOf(word), words: taken() }), true); return; }
  if (word === "first") { chooseFirst(); return; }
  if (!choice.needs_why && !withReason) { act(word, ""); return; }
  askReason(word, choice.needs_why);
}

function askReason(word, isNeeded, line = null) {
  waiting = { word, line };
  one("reason").hidden = false;
  one("why-label").textContent = `${labelOf(word)}: ${say(isNeeded ? "why_needed" : "why_given")}`;
  one("why").required = isNeeded;
  one("why").value = "";
  one("why").focus();
}

function leaveReason() {
  waiting = null;
  one("reason").hidden = true;
  if (document.activeElement === one("why")) one("item").focus({ preventScroll: true });
}

function chooseFirst() {
  const calls = detail.rows.filter((row) => row.is_about);
  const list = el("div", { class: "seat-list" });
  for (const row of calls) {
    const button = el("button", { type: "button" }, `${row.clock} ${row.text}`);
    button.addEventListener("click", () => {
      one("picker").close();
      const { needs_why } = detail.choices.find(({ word }) => word === "first");
      if (needs_why) askReason("first", true, row.line); else act("first", "", row.line);
    });
    list.append(button);
  }
  journal.typing = null;
  journal.open(say("first_call"), list);
}

function newKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(12));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Sent again under the same key when no answer came: the server does it once.
async function send(address, body) {
  const keyed = { ...body, key: newKey(), seen: detail.lines };
  let answer = { ok: false, line: "", data: null };
  for (let attempt = 0; attempt < TRIES && !answer.ok && answer.data === null; attempt += 1) {
    if (attempt) await new Promise((done) => setTimeout(done, 400 * attempt));
    answer = await ask("POST", address, keyed);
  }
  return answer;
}

async function act(word, why, line = null) {
  if (!detail) return;
  const { game, id, sort } = detail;
  const sealed = one("sealed").checked;
  const { ok, line: problem, data } = await send(`/api/games/${encodeURIComponent(game)}/incidents/${encodeURIComponent(id)}/acts`, { act: word, why, line, sealed });
  leaveReason();
  const what = known(`act.${sort}_${word}`, say(`act.${word}`));
  if (!ok) tell(problem, true);
  else if (data.settled) tell(say(data.settled));
  else tell(say(data.added.length || word === "undo" ? "saved" : "saved_sealed", { what }));
  if (ok) one("sealed").checked = false;
  await refresh();
}

async function decide(decision) {
  if (!detail) return;
  const { ok, line } = await send(`/api/games/${encodeURIComponent(detail.game)}/decisions`, { decision });
  tell(ok ? say("saved", { what: known(`decision.${decision.kind}`, say("swap")) }) : line, !ok);
  one("item").focus({ preventScroll: true });
  await refresh();
}

function tell(text, failed = false) {
  one("told").textContent = text;
  one("told").classList.toggle("is-failed", failed);
}

/* what others do */
async function refresh() {
  let answer;
  try {
    const game = one("game").value; // an older game is looked at once it is chosen
    const query = new URLSearchParams({ lang: given.language, ...(game ? { game } : {}) });
    answer = await fetch(`/api/incidents?${query}`, { cache: "no-store", headers: etag ? { "If-None-Match": etag } : {} });
  } catch {
    one("lost").hidden = false;
    return;
  }
  one("lost").hidden = answer.ok || answer.status === 304;
  if (answer.status === 304 || !answer.ok) return;
  etag = answer.headers.get("ETag") ?? "";
  queue = await answer.json();
  drawQueue();
  const item = queue.incidents.find(isChosen);
  if (detail && item) { Object.assign(detail, item); drawState(); }
  // In a game that is being played there are new lines all the time; what people do is shown at once.
  const stamp = stampOf(), now = performance.now();
  if (stamp === shownStamp && now - loadedAt < ROWS_MS) return;
  [shownStamp, loadedAt] = [stamp, now];
  await load();
}

function stampOf() {
  return JSON.stringify([chosen, queue.incidents.find(isChosen), queue.decided[chosen.game]]);
}

async function poll() {
  await refresh();
  setTimeout(poll, document.hidden ? HIDDEN_POLL_MS : POLL_MS);
}
document.addEventListener("visibilitychange", () => { if (!document.hidden) refresh(); });

/* keys */
const WORDS = Object.fromEntries(Object.entries(KEYS).map(([word, key]) => [key, word]));
const letterOf = (event) => (/^[a-z]$/i.test(event.key) ? event.key.toLowerCase() : event.code.startsWith("Key") ? event.code.slice(3).toLowerCase() : event.key);
// A key that does nothing says why: whoever looks at the film must not believe that something was decided.
const listened = (isDone) => { if (detail && !isDone) tell(say(detail.sounds.length ? "heard_settled" : "nothing_heard"), true); };
const acts = {
  a: () => { const show = one("show"); show.selectedIndex = (show.selectedIndex + 1) % show.options.length; drawQueue(); },
  j: () => move(1), k: () => move(-1),
  " ": () => film.toggle(), ArrowRight: () => film.step(1), ArrowLeft: () => film.step(-1), Home: () => film.restart(),
  ArrowDown: () => journal.move(1), ArrowUp: () => journal.move(-1),
  e: () => journal.edit("card"), w: () => journal.edit("seat"), t: () => journal.edit("time"),
  m: () => { one("marks").checked = !one("marks").checked; film.setMarks(one("marks").checked); },
  v: () => { if (!film.enlargeNext()) tell(say("one_camera"), true); },
  p: () => { if (detail && !heard.play()) tell(say("nothing_heard"), true); },
  y: () => listened(heard.confirm()), 0: () => listened(heard.deny()),
  x: () => {
    if (!detail) return;
    if (one("seal-label").hidden) tell(say("no_seal"), true);
    else one("sealed").checked = !one("sealed").checked;
  },
  "?": () => one("help").showModal(),
};
document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey) return;
  if (document.querySelector("dialog[open]")) return;
  if (event.target === one("why") && event.key === "Escape") { event.preventDefault(); leaveReason(); return; }
  if (event.target.closest("input:not([type=checkbox]), select, textarea")) return;
  const isPress = event.key === " " || event.key === "Enter";
  if (isPress && event.target.closest("button, a, summary, input")) return;
  const key = letterOf(event);
  const word = WORDS[key];
  if (word && detail) { event.preventDefault(); begin(word, event.shiftKey); return; }
  const done = acts[event.key] ?? acts[key];
  if (!done) return;
  event.preventDefault();
  done();
});

one("reason").addEventListener("submit", (event) => {
  event.preventDefault();
  const why = one("why").value.trim();
  if (waiting && (why || !one("why").required)) act(waiting.word, why, waiting.line);
});
one("cancel").addEventListener("click", leaveReason);
one("help-open").addEventListener("click", () => one("help").showModal());
one("help-close").addEventListener("click", () => one("help").close());
one("show").addEventListener("change", drawQueue);
one("game").addEventListener("change", () => { etag = ""; drawQueue(); refresh(); });
one("play").addEventListener("click", () => film.toggle());
one("frame-back").addEventListener("click", () => film.step(-1));
one("frame-on").addEventListener("click", () => film.step(1));
one("marks").addEventListener("change", (event) => film.setMarks(event.target.checked));
one("speed").addEventListener("change", (event) => film.setSpeed(Number(event.target.value)));

one("show").value = "open";
drawQueue();
if (chosen.id) load();
else if (listed().length) choose(listed()[0]);
else nothing(say("empty"));
poll();
