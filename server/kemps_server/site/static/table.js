// The page that a table is run from: its game as it stands, its pictures, its health, and calls by key.
import { ask } from "./asking.js";
import { follow } from "./live.js";
import { CallKeys } from "./call_keys.js";
import { boardOf } from "./game_board.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const at = (id) => document.getElementById(id);
const said = read("said"), calls = read("calls-said"), given = read("given");
const say = (key, places = {}) => said[key].replace(/\{(\w+)\}/g, (whole, name) => places[name] ?? whole);
const api = `/api/tables/${given.table.name}`;
const names = Object.fromEntries(given.seats.map(([seat, name]) => [seat, name]));
let table = given.table;

const made = (tag, text = "", name = "") => {
  const one = document.createElement(tag);
  if (name) one.className = name;
  one.textContent = text;
  return one;
};
const clock = (ms) => {
  const s = Math.max(0, Math.floor(ms / 1000)), two = (n) => String(n).padStart(2, "0");
  return s >= 3600 ? `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}` : `${Math.floor(s / 60)}:${two(s % 60)}`;
};
const size = (bytes) => bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${Math.round(bytes / 1e6)} MB`;
// -- how it goes -------------------------------------------------------------------------------------------
const WATCHED = new Set(["starting", "watching", "waiting", "stopping"]);

function showTable() {
  const { game, state } = table, sits = game !== null && game.ended_at === null;
  const told = state === "ended" && !sits ? "off" : state; // a clip that is over is nobody's any more
  at("state").dataset.state = told;
  at("state").textContent = say(`state_${told}`);
  at("game-title").textContent = game ? game.title : say("no_game");
  const isOn = WATCHED.has(state);
  at("start").hidden = isOn;
  at("start").textContent = say(sits ? "resume" : "start");
  at("stop").hidden = !isOn;
  at("stop").disabled = state === "stopping";
  at("next").hidden = at("end").hidden = !sits;
  at("replay").hidden = game === null;
  if (game) at("replay").href = `/games/${encodeURIComponent(game.id)}`;
  const isOver = sits && state === "ended", mayCall = sits && game.at_ms !== null && !isOver;
  at("calls-hint").textContent = say(mayCall ? "calls_hint" : isOver ? "calls_over" : "calls_off");
  keys.enable(mayCall);
  at("reason").hidden = !table.reason || !["waiting", "failed", "starting"].includes(state);
  at("reason").textContent = say("reason", { reason: table.reason_said });
  showHealth();
  showCameras();
  const notes = table.notes_said.slice(-6).reverse().map((note) => made("li", note));
  at("notes").replaceChildren(...(notes.length ? notes : [made("li", say("no_notes"), "soft")]));
}

function showHealth() {
  const { recording } = table, none = "—";
  const rows = [
    ["behind", table.latency_ms === null ? none : say("ms", { ms: table.latency_ms }), table.latency_ms > 500],
    ["events", table.event_p95_ms === null ? none : say("ms", { ms: table.event_p95_ms }), table.event_p95_ms > 1500],
    ["frames", table.fps ?? none, table.fps !== null && table.fps < 9],
    ["dropped", table.dropped, false],
    ["processors", table.cpus ?? none, false],
    ["memory", table.memory_mb ? size(table.memory_mb * 1e6) : none, false],
    ["restarts", table.restarts, table.restarts > 0],
    ["heard", table.heard_ms === null ? none : say("ago", { seconds: (table.heard_ms / 1000).toFixed(1) }), table.heard_ms > 5000],
    ["delay", say("seconds", { seconds: given.delay_ms / 1000 }), false],
    ["recording", `${say(`recording_${recording.state}`)} · ${say("used", { used: size(recording.used_bytes), budget: size(recording.budget_bytes) })} · ${say("free", { free: size(recording.free_bytes) })}`, ["full", "failed"].includes(recording.state)],
  ];
  at("health").replaceChildren(...rows.map(([key, value, isBad]) => {
    const row = made("div", "", isBad ? "is-bad" : "");
    row.append(made("dt", say(key)), made("dd", `${isBad ? "⚠ " : ""}${value}`));
    return row;
  }));
}

function showCameras() {
  at("cameras").replaceChildren(...table.cameras.map((camera) => {
    const isLost = camera.state === "lost", row = made("li", "", isLost ? "is-bad" : "");
    const told = [say(`camera_${camera.state}`)];
    if (isLost) told.push(say("silent", { seconds: Math.round(camera.silent_ms / 1000) }));
    if (camera.dropped) told.push(`${say("dropped")}: ${camera.dropped}`);
    if (camera.skew_ms !== null) told.push(say("skew", { ms: camera.skew_ms }));
    row.append(made("strong", camera.name), made("span", `${isLost ? "⚠ " : ""}${told.join(" · ")}`));
    return row;
  }));
}

async function refresh() {
  const answer = await ask("GET", api);
  if (answer.ok) { table = answer.data; heardAt = performance.now(); showTable(); }
}
let heardAt = performance.now();
setInterval(() => {
  const game = table.game;
  at("clock").textContent = game && game.at_ms !== null && game.ended_at === null && table.state !== "ended" ? clock(game.at_ms + performance.now() - heardAt) : "";
}, 250);
setInterval(() => { if (!document.hidden) refresh(); }, 1000);

// -- pictures: the next is asked for when the last has come -------------------------------------------------
let shown = "";
async function showPicture() {
  const isOn = table.state === "watching" && !document.hidden && at("camera").value;
  if (isOn) {
    try {
      const answer = await fetch(`${api}/cameras/${encodeURIComponent(at("camera").value)}.jpg?marked=${at("marked").value}`);
      if (answer.status === 200) {
        const next = URL.createObjectURL(await answer.blob());
        at("picture").src = next;
        if (shown) URL.revokeObjectURL(shown);
        shown = next;
      }
    } catch { /* the server is away; the line above says so */ }
  }
  const isThere = table.state === "watching" && shown !== "";
  at("picture").hidden = !isThere;
  at("picture-none").hidden = isThere;
  setTimeout(showPicture, isOn ? 1000 : 1500);
}

// -- the game as it stands ----------------------------------------------------------------------------------
const showGame = boardOf({ at, say, calls });

follow(`${api}/live`, showGame, ({ isStale, why }) => {
  const sits = table.game !== null && table.game.ended_at === null;
  const isOver = table.cameras.length > 0 && table.cameras.every((camera) => camera.state === "over"); // a clip's end says so itself
  at("stale").hidden = !isStale || !["observer", "store", "link"].includes(why) || (why === "observer" && (!sits || isOver));
  if (isStale && said[`stale_${why}`]) at("stale").textContent = say(`stale_${why}`);
});

// -- calls --------------------------------------------------------------------------------------------------
const seconds = (ms) => (ms / 1000).toFixed(1);

async function send(seat, call, against, pressedAt) {
  const row = made("li", "");
  at("taken").prepend(row);
  while (at("taken").children.length > 6) at("taken").lastChild.remove();
  const game = table.game?.id;
  for (let wait = 300; ; wait = Math.min(2000, wait * 2)) {
    const body = { seat: seat || null, call, against: against || null, age_ms: Math.round(performance.now() - pressedAt) };
    const answer = await ask("POST", `${api}/calls`, body);
    if (answer.ok) { tellTaken(row, game, seat, call, answer.data); return; }
    if (answer.data || performance.now() - pressedAt > 25_000) {
      row.className = "is-bad";
      row.textContent = say("not_taken", { reason: answer.line });
      return;
    }
    row.textContent = say("trying");
    await new Promise((resolve) => setTimeout(resolve, wait));
  }
}

function tellTaken(row, game, seat, call, taken) {
  const places = { call: calls[call] ?? call, name: names[seat], time: clock(taken.at_ms), uncertainty: seconds(taken.uncertainty_ms) };
  row.textContent = say(seat ? "taken" : "taken_by_nobody", places);
  const back = made("button", say("take_back"));
  back.type = "button";
  back.addEventListener("click", async () => {
    const body = { decision: { kind: "retracted", event: taken.line, why: said.take_back_why } };
    const answer = await ask("POST", `/api/games/${encodeURIComponent(game)}/decisions`, body);
    if (answer.ok) { row.classList.add("is-gone"); back.replaceWith(made("span", ` · ${say("taken_back")}`)); }
    else back.replaceWith(made("span", ` · ${say("failed", { reason: answer.line })}`, "is-bad"));
  });
  row.append(" ", back);
}

const keys = new CallKeys({ seats: given.seats, place: at("seats"), told: at("picking"), say, send });

// -- acts ---------------------------------------------------------------------------------------------------
async function act(path, body) {
  const answer = await ask("POST", `${api}/${path}`, body);
  at("reason").hidden = answer.ok;
  if (!answer.ok) at("reason").textContent = say("failed", { reason: answer.line });
  await refresh();
  if (!answer.ok) { at("reason").hidden = false; at("reason").textContent = say("failed", { reason: answer.line }); }
}
const asked = (dialog, value) => new Promise((resolve) => {
  dialog.returnValue = "cancel";
  dialog.addEventListener("close", () => resolve(dialog.returnValue === value), { once: true });
  dialog.showModal();
});
for (const button of document.querySelectorAll("[data-close]")) button.addEventListener("click", () => button.closest("dialog").close("cancel"));
const beginning = () => ({ title: at("title").value, consent: at("consent").value });
at("start").addEventListener("click", async () => {
  const sits = table.game !== null && table.game.ended_at === null;
  if (sits) act("start");
  else if (await asked(at("start-dialog"), "begin")) act("start", beginning());
});
at("next").addEventListener("click", async () => {
  if (await asked(at("start-dialog"), "begin")) act("next", beginning());
});
at("stop").addEventListener("click", () => act("stop"));
at("end").addEventListener("click", async () => {
  const release = document.getElementById("release");
  if (release) release.checked = false;
  if (await asked(at("end-dialog"), "end")) act("end", { release: release?.checked ?? false });
});

showTable();
showPicture();
