// How an overlay looks, its link, and what OBS does: each change is saved at once and seen beside it.
import { ask, tell } from "./asking.js";

const grid = document.querySelector(".overlay-grid");
const table = encodeURIComponent(grid.dataset.table);

const looks = document.getElementById("looks");
const shown = document.getElementById("shown");
const wanted = () => {
  const given = new FormData(looks);
  return {
    theme: given.get("theme"), layout: given.get("layout"), side: given.get("side"), language: given.get("language"),
    scale: Number(given.get("scale")), parts: given.getAll("parts"),
  };
};
const preview = () => {
  const { parts, language, ...rest } = wanted();
  const query = new URLSearchParams({ sample: "true", ...rest, lang: language || document.documentElement.lang });
  const absent = [...looks.elements.parts].map((box) => box.value).filter((part) => !parts.includes(part));
  if (absent.length) query.set("hide", absent.join(","));
  shown.contentWindow.location.replace(`/overlay/${table}?${query}`);
};
looks.elements.scale.addEventListener("input", () => { document.getElementById("scale-told").value = looks.elements.scale.value; });
looks.addEventListener("change", async () => {
  const told = looks.querySelector(".told");
  preview();
  const answer = await ask("PUT", `/api/tables/${table}/overlay`, wanted());
  tell(told, answer.ok ? told.dataset.done : answer.line, !answer.ok);
});
looks.addEventListener("submit", (event) => event.preventDefault());
preview();

const made = document.getElementById("made");
document.getElementById("make-link").addEventListener("click", async (event) => {
  const told = event.target.parentElement.querySelector(".told");
  const answer = await ask("POST", "/api/links", { role: "viewer", label: `OBS, ${grid.dataset.table}`, table: grid.dataset.table });
  tell(told, answer.line, !answer.ok);
  if (!answer.ok) return;
  made.hidden = false;
  const field = document.getElementById("made-address");
  field.value = answer.data.address;
  field.select();
});
document.getElementById("copy").addEventListener("click", async (event) => {
  const field = document.getElementById("made-address");
  field.select();
  try { await navigator.clipboard.writeText(field.value); } catch { document.execCommand("copy"); }
  event.target.textContent = event.target.dataset.done;
});

const obs = document.getElementById("obs");
const told = obs.querySelector(".told");
obs.addEventListener("submit", async (event) => {
  event.preventDefault();
  const plan = { address: obs.elements.address.value.trim() };
  if (obs.elements.password.value) plan.password = obs.elements.password.value;
  for (const box of obs.querySelectorAll("[data-moment]")) {
    const [replay, scene, wait] = ["save_replay", "scene", "wait_s"].map((name) => box.querySelector(`[name="${name}"]`));
    plan[box.dataset.moment] = { save_replay: replay.checked, scene: scene.value.trim(), wait_ms: Math.round(Number(wait.value) * 1000) };
  }
  const answer = await ask("PUT", `/api/tables/${table}/obs`, plan);
  tell(told, answer.ok ? told.dataset.done : answer.line, !answer.ok);
  if (!answer.ok) return;
  obs.elements.password.value = "";
  document.getElementById("try").disabled = false;
  document.getElementById("forget").hidden = false;
});
document.getElementById("try").addEventListener("click", async () => {
  const answer = await ask("POST", `/api/tables/${table}/obs/try`);
  if (!answer.ok) { tell(told, answer.line, true); return; }
  const { version, scenes, is_replay_on: isOn } = answer.data;
  document.getElementById("scenes").replaceChildren(...scenes.map((name) => Object.assign(document.createElement("option"), { value: name })));
  const line = told.dataset.tried.replace("{version}", version).replace("{scenes}", scenes.join(", "));
  tell(told, isOn ? line : `${line} ${told.dataset.replay}`, false);
});
document.getElementById("forget").addEventListener("click", async (event) => {
  const answer = await ask("DELETE", `/api/tables/${table}/obs`);
  tell(told, answer.ok ? told.dataset.forgotten : answer.line, !answer.ok);
  if (!answer.ok) return;
  event.target.hidden = true;
  document.getElementById("try").disabled = true;
});
