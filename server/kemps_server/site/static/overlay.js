// The overlay: what the table's socket tells, drawn. Nothing moves, and nothing runs, while nothing changes.
import { follow } from "./live.js";
import { Board } from "./overlay_board.js";
import { Call } from "./overlay_call.js";
import { fit } from "./overlay_fit.js";
import { Notes } from "./overlay_notes.js";
import { speaker } from "./overlay_words.js";

const main = document.querySelector("main");
const link = document.querySelector(".link");
const asked = JSON.parse(document.getElementById("asked").textContent);
const say = speaker(JSON.parse(document.getElementById("words").textContent), document.documentElement.lang);
const board = new Board(main, say);
const sample = JSON.parse(document.getElementById("sample").textContent);
const slips = JSON.parse(document.getElementById("slips").textContent);
const unknown = JSON.parse(document.getElementById("unknown").textContent);
const call = new Call(main.querySelector(".call"), say, { stays: sample !== null });
const notes = new Notes(main.querySelector(".notes"), say);
const PARTS = ["score", "names", "centre", "stock", "call", "hands", "notes"];

let state = null, epoch = "", scale = 1, linked = { isStale: false, why: "" };

const dress = (looks) => {
  const worn = { ...looks, ...asked };
  const spoken = say.turn(asked.language || looks?.language);
  Object.assign(main.dataset, { theme: worn.theme, layout: worn.layout, side: worn.side });
  document.documentElement.lang = spoken;
  scale = worn.scale / 100;
  for (const part of PARTS) main.classList.toggle(`no-${part}`, !worn.parts.includes(part) || (asked.hide ?? []).includes(part));
};

const show = () => {
  if (state === null) return;
  dress(state.overlay ?? {});
  main.hidden = !state.seats;
  if (state.seats) {
    board.show(state);
    call.show(state);
    notes.show(state, epoch);
  }
  fit(main, scale);
  tellLink();
};

// What no overlay knows is told where its owner looks at it, and never on air.
const named = sample === null ? slips : [...slips, ...unknown];
const tellLink = () => {
  link.hidden = !linked.isStale && named.length === 0;
  link.textContent = linked.isStale ? say(`overlay.stale_${linked.why}`)
    : named.length ? say("overlay.slips", { names: named.join(", ") }) : "";
};
if (unknown.length) console.info(say("overlay.slips", { names: unknown.join(", ") }));
tellLink();
addEventListener("resize", () => fit(main, scale));

// On the page where an overlay is set up, a made-up game shows what it will look like.
if (sample !== null) { state = sample; show(); }
else follow(
  `/api/tables/${encodeURIComponent(main.dataset.table)}/live?as=viewer`,
  (next, _change, row) => { [state, epoch] = [next, row]; show(); },
  (next) => { linked = next; tellLink(); },
);
