// The page that a table is set up on: every change is a step that can be undone, and nothing holds until it is saved.
import { ask } from "./asking.js";
import { Zones } from "./zones.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const at = (id) => document.getElementById(id);
const said = read("said"), given = read("given");
const say = (key, places = {}) => said[key].replace(/\{(\w+)\}/g, (whole, name) => places[name] ?? whole);
const LETTERS = "ABCDEFGH";
const made = (tag, text = "", name = "") => {
  const one = document.createElement(tag);
  if (name) one.className = name;
  one.textContent = text;
  return one;
};

// -- what is set up, and its history ------------------------------------------------------------------------
const fresh = () => ({
  delay_ms: 0,
  set_up: { rules: "leaflet", deck: "any", alphabet: "any", cameras: [], seats: seatsOf(4, []), record: true, disk_budget: "20G", people: true, listen: true, sounds: [], loop: false },
});
const seatsOf = (count, before) => [...LETTERS].slice(0, count).map((id, n) => before[n] ?? { id, name: say("player", { seat: id }), at: null, face: null });
const whole = (saved) => {
  const told = { delay_ms: saved.delay_ms, set_up: structuredClone(saved.set_up) };
  if (!told.set_up.seats.length) told.set_up.seats = seatsOf(4, []);
  return told;
};
let table = given.table, draft = given.saved ? whole(given.saved) : fresh();
let saved = JSON.stringify(draft), past = [], future = [], last = JSON.stringify(draft);
const pictures = {}; // by source: {picture, size}
let shown = { edge: null, guessed: new Set(), view: "" };

function changed() {
  const now = JSON.stringify(draft);
  if (now !== last) { past.push(last); last = now; future = []; }
  show();
}
function step(from, to) {
  if (!from.length) return;
  to.push(last);
  last = from.pop();
  draft = JSON.parse(last);
  show();
}

const cameras = () => draft.set_up.cameras;
const tableCamera = () => cameras().find((camera) => camera.role === "table");
const viewed = () => cameras().find((camera) => camera.name === shown.view) ?? tableCamera() ?? cameras()[0];

// -- the picture --------------------------------------------------------------------------------------------
const zones = new Zones(at("zones"), { say, onMove: moved, onTell: (text) => { at("zones-at").textContent = text; } });

function moved(kind, which, point, grow, isDone) {
  const seat = draft.set_up.seats.find((one) => one.id === which);
  if (kind === "corner") viewed().centre[which] = point;
  else if (kind === "seat") { seat.at = point; shown.guessed.delete(which); }
  else {
    const [, , w, h] = seat.face.box;
    seat.face.box = [point[0], point[1], Math.max(20, w + grow), Math.max(20, h + grow)];
  }
  if (isDone) changed(); else showZones();
}

function showZones() {
  const camera = viewed(), isTable = camera?.role === "table", known = pictures[camera?.source];
  const seats = isTable ? draft.set_up.seats.map((seat) => ({ ...seat, isGuess: shown.guessed.has(seat.id) })) : [];
  const faces = draft.set_up.seats.filter((seat) => seat.face && seat.face.camera === camera?.name).map(({ id, name, face }) => ({ id, name, box: face.box }));
  zones.draw({ href: known?.picture, size: camera?.size ?? known?.size, centre: isTable ? camera.centre : null, edge: isTable ? shown.edge : null, seats, faces });
}

// Places round the table for those who have none: players sit evenly, from the lower edge clockwise.
function placeAll(size) {
  const [w, h] = size, count = draft.set_up.seats.length;
  draft.set_up.seats.forEach((seat, n) => {
    if (seat.at) return;
    const angle = Math.PI / 2 + (2 * Math.PI * n) / count;
    seat.at = [Math.round(w / 2 + Math.cos(angle) * w * 0.56), Math.round(h / 2 + Math.sin(angle) * h * 0.56)];
    shown.guessed.add(seat.id);
  });
}

// "Kitchen Table" as it stands in addresses: kitchen-table.
const plain = (name) => name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");

// -- the form -----------------------------------------------------------------------------------------------
const FIELDS = { rules: "rules", deck: "deck", alphabet: "alphabet", budget: "disk_budget" }, TICKS = ["record", "people", "listen", "loop"];

function show() {
  for (const [id, key] of Object.entries(FIELDS)) if (at(id).value !== draft.set_up[key]) at(id).value = draft.set_up[key];
  for (const id of TICKS) at(id).checked = draft.set_up[id];
  if (Number(at("delay").value) * 1000 !== draft.delay_ms || at("delay").value === "") at("delay").value = draft.delay_ms / 1000;
  at("microphone").value = draft.set_up.sounds.map((sound) => sound.source ?? "").filter(Boolean).join(", ");
  at("microphone").disabled = draft.set_up.sounds.length > 1; // several stand in table.toml; they stay as they are
  at("count").value = draft.set_up.seats.length;
  at("undo").disabled = !past.length;
  at("redo").disabled = !future.length;
  at("add-centre").hidden = !tableCamera() || viewed() !== tableCamera() || tableCamera().centre !== null;
  at("find").disabled = !tableCamera()?.source;
  at("view").replaceChildren(...cameras().map((camera) => new Option(camera.role === "table" ? say("view_table") : say("view_camera", { name: camera.name }), camera.name)));
  at("view").hidden = cameras().length < 2;
  if (viewed()) at("view").value = viewed().name;
  showSeats();
  showListed();
  showZones();
  if (!at("told").classList.contains("is-failed")) tell(last === saved ? "" : say("unsaved"));
}

function tell(line, isFailed = false) {
  at("told").textContent = line;
  at("told").classList.toggle("is-failed", isFailed);
}

// Rows are made anew only when there are other ones: who goes from one name to the next must not lose the place.
let seatRows = "";
const seatOf = (id) => draft.set_up.seats.find((seat) => seat.id === id);

function showSeats() {
  const faces = cameras().find((camera) => camera.role === "faces");
  const rows = draft.set_up.seats.map((seat) => `${seat.id}${seat.face ? "+" : "-"}`).join(" ") + (faces?.name ?? "");
  if (rows !== seatRows) {
    seatRows = rows;
    const focused = document.activeElement?.id;
    at("seat-list").replaceChildren(...draft.set_up.seats.map(({ id }) => seatRow(id, faces)));
    if (focused && at(focused)) at(focused).focus();
  }
  for (const { id, name } of draft.set_up.seats) {
    const input = at(`seat-${id}`);
    if (input.value !== name) input.value = name;
    at(`swap-${id}`).setAttribute("aria-label", `${say("swap")}: ${name}`);
  }
}

function seatRow(id, faces) {
  const row = made("li"), name = made("input"), swap = made("button", "⇅");
  Object.assign(name, { maxLength: 60, autocomplete: "off", id: `seat-${id}` });
  name.setAttribute("aria-label", say("seat", { seat: id }));
  name.addEventListener("change", () => { seatOf(id).name = name.value.trim() || say("player", { seat: id }); changed(); });
  Object.assign(swap, { type: "button", title: say("swap"), id: `swap-${id}` });
  swap.addEventListener("click", () => {
    const seats = draft.set_up.seats, seat = seatOf(id), next = seats[(seats.indexOf(seat) + 1) % seats.length];
    [seat.name, next.name, seat.face, next.face] = [next.name, seat.name, next.face, seat.face];
    changed();
  });
  row.append(made("b", id), name, swap);
  if (faces) {
    const face = made("button", say(seatOf(id).face ? "remove_face" : "add_face"));
    Object.assign(face, { type: "button", id: `face-${id}` });
    face.addEventListener("click", () => frameFace(id, faces));
    row.append(face);
  }
  return row;
}

function frameFace(id, faces) {
  const [w, h] = faces.size ?? pictures[faces.source]?.size ?? [1280, 720], side = Math.round(h / 4);
  const seat = seatOf(id), place = (w * (LETTERS.indexOf(id) + 0.5)) / draft.set_up.seats.length;
  seat.face = seat.face ? null : { camera: faces.name, box: [Math.round(place - side / 2), Math.round(h / 2 - side / 2), side, side] };
  shown.view = faces.name;
  changed();
}

for (const [id, key] of Object.entries(FIELDS)) at(id).addEventListener("change", () => { draft.set_up[key] = at(id).value; changed(); });
for (const id of TICKS) at(id).addEventListener("change", () => { draft.set_up[id] = at(id).checked; changed(); });
at("microphone").addEventListener("change", () => {
  const source = at("microphone").value.trim(), known = draft.set_up.sounds[0];
  if (source) draft.set_up.sounds = [known?.source === source ? known : { source, seats: "", offset_ms: null }];
  else draft.set_up.sounds = [];
  changed();
});
at("delay").addEventListener("change", () => { draft.delay_ms = Math.round(Math.min(10800, Math.max(0, Number(at("delay").value) || 0)) * 1000); changed(); });
at("count").addEventListener("change", () => {
  draft.set_up.seats = seatsOf(Number(at("count").value), draft.set_up.seats);
  if (tableCamera()?.centre) placeAll(tableCamera().size ?? [1280, 720]);
  changed();
});
at("view").addEventListener("change", () => { shown.view = at("view").value; show(); });
at("undo").addEventListener("click", () => step(past, future));
at("redo").addEventListener("click", () => step(future, past));
document.addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "s") { event.preventDefault(); at("save").click(); return; }
  if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "z" || event.target.closest?.("input:not([type=checkbox])")) return;
  event.preventDefault();
  if (event.shiftKey) step(future, past); else step(past, future);
});
at("add-centre").addEventListener("click", () => {
  const camera = tableCamera(), [w, h] = camera.size ?? pictures[camera.source]?.size ?? [1280, 720];
  camera.size = [w, h];
  camera.centre = [[0.28, 0.4], [0.72, 0.4], [0.72, 0.62], [0.28, 0.62]].map(([x, y]) => [Math.round(x * w), Math.round(y * h)]);
  placeAll([w, h]);
  changed();
});

// -- cameras ------------------------------------------------------------------------------------------------
let listed = []; // {source, name, isSample, line}
const roleOf = (source) => cameras().find((camera) => camera.source === source)?.role ?? "";

function use(source, role) {
  draft.set_up.cameras = cameras().filter((camera) => camera.source !== source || camera.role === role);
  if (role && !roleOf(source)) {
    const size = pictures[source]?.size ?? null, old = role === "table" ? tableCamera() : null;
    if (old) {
      const isSame = !old.size || !size || old.size[0] * size[1] === old.size[1] * size[0];
      Object.assign(old, { source, size: isSame && old.size ? old.size : size, centre: isSame ? old.centre : null });
    } else {
      const name = role === "table" ? "table" : ["faces", "faces 2", "faces 3", "faces 4"].find((one) => !cameras().some((camera) => camera.name === one));
      cameras().push({ name, role, source, size, offset_ms: 0, centre: null });
    }
    shown.view = cameras().find((camera) => camera.source === source)?.name ?? "";
  }
  const names = new Set(cameras().map((camera) => camera.name));
  for (const seat of draft.set_up.seats) if (seat.face && !names.has(seat.face.camera)) seat.face = null;
  if (role === "table") shown.edge = null;
  changed();
}

function showListed() {
  for (const camera of cameras()) if (camera.source && !listed.some((one) => one.source === camera.source)) listed.push({ source: camera.source, name: "", isSample: false, line: "" });
  const focused = document.activeElement?.dataset?.source;
  at("camera-list").replaceChildren(...listed.map((one) => {
    const row = made("li", "", roleOf(one.source) ? "is-chosen" : ""), shot = made("div", "", "shot"), known = pictures[one.source];
    if (known) { const picture = made("img"); Object.assign(picture, { src: known.picture, alt: "" }); shot.append(picture); } else shot.textContent = one.isBusy ? "…" : "—";
    const name = one.isSample ? say("sample") : one.name || say("camera", { source: one.source.split("/").pop() });
    const choice = made("select");
    choice.dataset.source = one.source;
    choice.setAttribute("aria-label", name);
    for (const [value, key] of [["", "not_used"], ["table", "use_table"], ["faces", "use_faces"]]) choice.append(new Option(say(key), value));
    choice.value = roleOf(one.source);
    choice.addEventListener("change", () => use(one.source, choice.value));
    const line = known ? say(known.fps ? "size" : "size_only", { width: known.size[0], height: known.size[1], fps: known.fps }) : one.line;
    row.append(shot, made("strong", name), made("span", line || one.source, one.isBad ? "is-bad" : "soft"), choice);
    return row;
  }));
  if (focused) at("camera-list").querySelector(`[data-source="${CSS.escape(focused)}"]`)?.focus();
}

async function tryOne(one) {
  Object.assign(one, { isBusy: true, isBad: false, line: say("looking", { source: one.source.split("/").pop() }) });
  showListed();
  const answer = await ask("POST", "/api/cameras/try", { source: one.source });
  Object.assign(one, { isBusy: false, isBad: !answer.ok, line: answer.line });
  if (answer.ok) {
    pictures[one.source] = answer.data;
    if (one.source === tableCamera()?.source) draft.set_up.stood = ""; // places are put right on this picture now
    for (const camera of cameras()) if (camera.source === one.source && !camera.size) camera.size = answer.data.size;
  }
  show();
  return answer.ok;
}
const remembered = (source, name = "", isSample = false) => {
  let one = listed.find((other) => other.source === source);
  if (!one) { one = { source, name, isSample, line: "" }; listed.push(one); }
  return Object.assign(one, { name: name || one.name, isSample: isSample || one.isSample });
};
at("look").addEventListener("click", async () => {
  busy("look", true);
  const answer = await ask("GET", "/api/cameras");
  if (answer.ok) for (const { source, name, is_sample } of answer.data) await tryOne(remembered(source, name, is_sample));
  else tell(answer.line, true);
  busy("look", false);
});
at("try-other").addEventListener("submit", async (event) => {
  event.preventDefault();
  const source = at("other").value.trim();
  if (source && await tryOne(remembered(source))) { at("other").value = ""; if (!tableCamera()) use(source, "table"); }
});

// -- finding ------------------------------------------------------------------------------------------------
at("find").addEventListener("click", async () => {
  const camera = tableCamera();
  if (!camera?.source) { tell(say("need_camera"), true); return; }
  busy("find", true);
  tell(say("finding"));
  const faces = cameras().filter((one) => one.role === "faces" && one.source).map(({ name, source }) => ({ name, source }));
  const answer = await ask("POST", "/api/cameras/find", { source: camera.source, seats: draft.set_up.seats.length, names: [], faces });
  busy("find", false);
  if (!answer.ok) { tell(answer.line, true); return; }
  const found = answer.data, told = found.cameras.find((one) => one.role === "table");
  pictures[camera.source] = { ...pictures[camera.source], picture: found.picture, size: found.size, fps: pictures[camera.source]?.fps ?? null };
  Object.assign(camera, { size: told.size, centre: told.centre });
  draft.set_up.stood = found.stood;
  for (const one of found.cameras) { const mine = cameras().find((other) => other.name === one.name && other.role === "faces"); if (mine) mine.size = one.size; }
  for (const seat of draft.set_up.seats) {
    const theirs = found.seats.find((one) => one.id === seat.id);
    if (theirs) { seat.at = theirs.at; seat.face = theirs.face ?? seat.face; }
  }
  Object.assign(shown, { edge: found.edge, guessed: new Set(draft.set_up.seats.map((seat) => seat.id).filter((id) => !found.seen.includes(id))), view: camera.name });
  tell(say("found"));
  showQuality(found);
  changed();
  tell(say("found"));
});

function showQuality(found) {
  const [low, high] = found.good_px.map(Math.round), px = found.card_px;
  at("quality").hidden = false;
  at("quality").classList.toggle("is-good", found.is_good);
  at("quality").textContent = px === null ? say("no_cards") : found.is_good ? `✓ ${say("good", { px })}` : say(px < low ? "too_small" : "too_large", { px, low, high });
  const guessed = draft.set_up.seats.filter((seat) => shown.guessed.has(seat.id)).map((seat) => seat.id);
  at("guessed").hidden = !guessed.length;
  at("guessed").textContent = say("guessed", { seats: guessed.join(", ") });
  const rows = [...found.notes_said.map((says) => ({ level: "note", about: say("about_table"), says })), ...found.findings_said].map((one) => {
    const row = made("li");
    row.append(made("b", `${one.level === "ok" ? "✓" : one.level === "fix" ? "✕" : "·"} ${one.about}: `), `${one.says}${one.do ? ` → ${one.do}` : ""}`);
    return row;
  });
  at("doctor").hidden = false;
  at("findings").replaceChildren(...rows);
}

// A button that is disabled while it works loses the keyboard's place; it gets it back.
function busy(id, isBusy) {
  const button = at(id), here = document.activeElement;
  if (isBusy) button.dataset.held = here === button ? "yes" : "";
  button.disabled = isBusy;
  if (!isBusy && button.dataset.held && (here === document.body || here?.closest(".handle"))) button.focus({ preventScroll: true });
}

// -- saving -------------------------------------------------------------------------------------------------
let isSaving = false; // the button stays as it is: one that is disabled loses the keyboard's place
let isPressedAgain = false; // while it was being saved: what has changed since then is saved next
at("save").addEventListener("click", async () => {
  if (isSaving) { isPressedAgain = true; return; }
  const name = table ?? plain(at("name").value);
  at("name").value = name;
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name) || name === "new") { tell(say("need_name"), true); at("name").focus(); return; }
  isSaving = true;
  const sent = last, answer = await ask("PUT", `/api/tables/${name}`, { set_up: draft.set_up, delay_ms: draft.delay_ms, is_new: !table });
  isSaving = false;
  if (isPressedAgain) setTimeout(() => { isPressedAgain = false; at("save").click(); }); // once this answer is shown
  if (!answer.ok) { tell(say("not_saved", { reason: answer.line }), true); return; }
  saved = sent;
  if (!table) {
    table = name;
    history.replaceState(null, "", `/tables/${name}/setup`);
    at("name").readOnly = true;
    for (const id of ["run", "restore"]) at(id).hidden = false;
    at("run").href = `/tables/${name}`;
    document.querySelector("h1").textContent = say("title_of", { name });
  }
  at("told").classList.remove("is-failed");
  show();
  tell(say("saved"));
});
at("restore").addEventListener("click", async () => {
  const answer = await ask("POST", `/api/tables/${table}/setup/undo`);
  if (!answer.ok) { tell(answer.line, true); return; }
  draft = whole(answer.data);
  saved = JSON.stringify(draft);
  changed();
  tell(say("saved"));
});
addEventListener("beforeunload", (event) => { if (last !== saved && past.length) event.preventDefault(); });

// -- what a camera that is set up shows: from its observer while it is watched, else it is tried -------------
async function firstPicture(camera) {
  if (table) {
    const answer = await fetch(`/api/tables/${table}/cameras/${encodeURIComponent(camera.name)}.jpg?marked=false`);
    if (answer.status === 200) {
      const picture = URL.createObjectURL(await answer.blob());
      pictures[camera.source] = { picture, size: camera.size ?? [1280, 720], fps: null };
      show();
      return;
    }
  }
  await tryOne(remembered(camera.source));
}
show();
for (const camera of cameras()) if (camera.source) firstPicture(camera);
