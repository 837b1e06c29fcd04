// The owner's page: each form is one act of the interface; what is told of it stands under it.
import { ask, tell } from "./asking.js";

const filled = (text, values) => text.replace(/\{(\w+)\}/g, (place, name) => values[name] ?? place);
const sized = (bytes) => {
  const [unit, scale] = bytes >= 1e9 ? ["GB", 1e9] : bytes >= 1e6 ? ["MB", 1e6] : ["kB", 1e3];
  return `${(bytes / scale).toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 })} ${unit}`;
};
const listed = (place, lines) => place.replaceChildren(...lines.map((line) => {
  const item = document.createElement("li");
  item.textContent = line;
  return item;
}));

function bodyOf(form) {
  const body = {};
  for (const field of form.elements) {
    if (!field.name) continue;
    if (field.type === "checkbox") body[field.name] = field.checked;
    else if (field.type === "number") {
      if (field.value === "") { if ("empty" in field.dataset) body[field.name] = null; }
      else body[field.name] = Math.round(Number(field.value) * Number(field.dataset.scale ?? 1));
    } else body[field.name] = field.value;
  }
  return body;
}

const isSure = (element) => !element.dataset.sure || confirm(element.dataset.sure);

async function showDue() {
  const list = document.getElementById("due");
  const { ok, line, data } = await ask("GET", "/api/retention");
  if (!ok) return listed(list, [line]);
  const lines = data.due.map((game) => filled(list.dataset.line, { title: game.title, files: game.files, size: sized(game.size), held: game.held_files }));
  listed(list, lines.length ? lines : [list.dataset.none]);
  document.getElementById("run-button").disabled = !lines.length;
}

function showLink(data) {
  document.getElementById("made").hidden = false;
  const address = document.getElementById("made-address");
  address.value = data.address;
  address.focus();
  address.select();
}

for (const form of document.querySelectorAll("form[data-act]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!isSure(form)) return;
    const told = form.querySelector(".told");
    const body = form.querySelector("[name]") ? bodyOf(form) : undefined;
    const { ok, line, data } = await ask(form.dataset.act, form.dataset.address, body);
    if (!ok) return tell(told ?? form, line, true);
    if (form.id === "link") return showLink(data);
    if (!("stays" in form.dataset)) return location.reload();
    const numbers = data ? { files: data.files, size: sized(data.size ?? 0), held: data.held_files } : {};
    tell(told, filled(form.dataset.done ?? "", numbers), false);
    if (form.dataset.then === "due") showDue();
  });
}

for (const button of document.querySelectorAll("button[data-act]")) {
  button.addEventListener("click", async () => {
    if (!isSure(button)) return;
    let { ok, line } = await ask(button.dataset.act, button.dataset.address);
    if (!ok && button.dataset.held && /held as evidence/.test(line)) {
      if (!confirm(button.dataset.held)) return;
      ({ ok, line } = await ask(button.dataset.act, `${button.dataset.address}?with_held=true`));
    }
    if (ok) location.reload();
    else alert(line);
  });
}

document.getElementById("copy").addEventListener("click", async (event) => {
  const address = document.getElementById("made-address");
  address.select();
  try {
    await navigator.clipboard.writeText(address.value);
    event.target.textContent = event.target.dataset.done;
  } catch { /* it is selected: Ctrl-C does it */ }
});

for (const state of document.querySelectorAll("[data-until]")) {
  if (state.dataset.until && new Date(state.dataset.until) <= new Date()) state.textContent = state.dataset.ended;
}

const look = document.getElementById("look");
const traces = document.getElementById("traces");
const forget = document.getElementById("forget");

async function showPeople() {
  const { ok, data } = await ask("GET", "/api/people");
  if (!ok) return;
  document.getElementById("people").replaceChildren(...data.map((person) => new Option(`${person.games}`, person.name)));
}

look.addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = new FormData(look).get("name");
  const { ok, line, data } = await ask("GET", `/api/people/traces?name=${encodeURIComponent(name)}`);
  tell(look.querySelector(".told"), line, !ok);
  traces.hidden = !ok;
  if (!ok) return;
  const counts = { games: data.games.length, titles: data.titles, tables: data.tables.length, links: data.links, acts: data.acts };
  document.getElementById("traces-found").textContent = filled(traces.dataset.found, counts);
  const lines = data.games.flatMap((game) => [
    filled(traces.dataset.row, { title: game.title, lines: game.lines, files: game.files, size: sized(game.size), held: game.held_files }),
    ...game.linked.map((path) => filled(traces.dataset.linked, { path })),
  ]);
  if (data.copies.length) lines.push(filled(traces.dataset.copies, { names: data.copies.join(", ") }));
  listed(document.getElementById("traces-list"), lines);
  forget.elements.pseudonym.value = data.pseudonym;
  forget.dataset.name = data.name;
  document.getElementById("forget-button").textContent = filled(forget.dataset.run, { name: data.name });
});

forget.addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = forget.dataset.name;
  if (!confirm(filled(forget.dataset.sure, { name }))) return;
  const told = forget.querySelector(".told");
  const { ok, line, data } = await ask("POST", "/api/people/forget", { name, ...bodyOf(forget) });
  if (!ok) return tell(told, line, true);
  tell(told, filled(forget.dataset.done, { name, pseudonym: data.pseudonym, files: data.removed.files, held: data.removed.held_files }), false);
  document.getElementById("forget-button").disabled = true;
  showPeople();
});

showDue();
showPeople();

// Until here a form would go its own way.
for (const waiting of document.querySelectorAll("main [inert]")) waiting.inert = false;
