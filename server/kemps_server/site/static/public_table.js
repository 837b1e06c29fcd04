// What everybody may see of the game at a table, as late as its owner wants.
import { boardOf } from "./game_board.js";
import { follow } from "./live.js";

const read = (id) => JSON.parse(document.getElementById(id).textContent);
const at = (id) => document.getElementById(id);
const said = read("said"), calls = read("calls-said"), { table } = read("given");
const say = (key, places = {}) => said[key].replace(/\{(\w+)\}/g, (whole, name) => places[name] ?? whole);

follow(`/api/tables/${table}/live`, boardOf({ at, say, calls }), ({ isStale, why }) => {
  at("stale").hidden = !isStale || !said[`stale_${why}`];
  if (!at("stale").hidden) at("stale").textContent = say(`stale_${why}`);
});
