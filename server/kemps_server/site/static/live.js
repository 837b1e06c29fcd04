// Follows a table or a game: a snapshot first, then what changes. Comes back by itself after a break.
const SILENT_MS = 15_000; // the server says something every five seconds
const FIRST_MS = 400;
const LAST_MS = 8_000;
const REFUSED = 4401;

// The state after a JSON merge patch (RFC 7396).
export function patched(state, patch) {
  if (patch === null || typeof patch !== "object" || Array.isArray(patch)) return patch;
  const is_object = state !== null && typeof state === "object" && !Array.isArray(state);
  const next = is_object ? { ...state } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete next[name];
    else next[name] = patched(next[name], value);
  }
  return next;
}

/* Follow an address such as "/api/tables/club/live"; the page's own token goes with it.
 *
 * onState(state, change, epoch) hears each new state; `change` is the patch that led there, null for a snapshot;
 * `epoch` names the row of states, which is another one after a restart of the server or when a game begins.
 * onLink({link, isStale, why}) hears how it stands: link is "open", "lost" or "refused"; isStale when what is
 * shown may be old, `why` is "observer", "store", "link" or "refused".
 * Returns {close()}.
 */
export function follow(address, onState, onLink = () => {}) {
  let socket = null, state = null, epoch = "", seq = -1;
  let wait = FIRST_MS, timer = 0, watchdog = 0, closed = false, told = "";
  let link = "lost", stale = "";

  const tell = () => {
    const why = link === "open" ? stale : link === "refused" ? "refused" : "link";
    const now = { link, isStale: why !== "", why };
    if (JSON.stringify(now) === told) return;
    told = JSON.stringify(now);
    onLink(now);
  };

  const heed = () => {
    clearTimeout(watchdog);
    watchdog = setTimeout(() => socket?.close(), SILENT_MS);
  };

  const again = () => socket?.close(); // the next snapshot puts it right

  const take = (message) => {
    if (message.type === "snapshot") {
      ({ epoch, seq, state } = message);
      stale = message.why;
      onState(state, null, epoch);
    } else if (message.type === "delta") {
      if (state === null || message.seq !== seq + 1) { epoch = ""; again(); return; }
      seq = message.seq;
      state = patched(state, message.patch);
      onState(state, message.patch, epoch);
    } else if (message.type === "resumed") {
      stale = "";
    } else if (message.type === "stale") {
      stale = message.why;
    }
    link = "open";
    wait = FIRST_MS;
    tell();
  };

  const open = () => {
    const here = new URL(location.href);
    const target = new URL(address, here);
    target.protocol = here.protocol === "https:" ? "wss:" : "ws:";
    const token = here.searchParams.get("token");
    if (token) target.searchParams.set("token", token);
    if (epoch) { target.searchParams.set("epoch", epoch); target.searchParams.set("since", String(seq)); }
    socket = new WebSocket(target);
    socket.onmessage = (event) => { heed(); take(JSON.parse(event.data)); };
    socket.onclose = (event) => {
      clearTimeout(watchdog);
      if (closed) return;
      link = event.code === REFUSED ? "refused" : "lost";
      tell();
      // Many pages that lost one server do not come back in one moment.
      timer = setTimeout(open, link === "refused" ? LAST_MS : wait * (0.75 + Math.random() / 2));
      wait = Math.min(wait * 2, LAST_MS);
    };
    heed();
  };

  open();
  return { close() { closed = true; clearTimeout(timer); clearTimeout(watchdog); socket?.close(); } };
}
