// One's own account: another password, and out on all devices.
import { ask, tell } from "./asking.js";

const password = document.getElementById("password");
password?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const told = password.querySelector(".told");
  const fields = new FormData(password);
  const { ok, line } = await ask("PUT", "/api/account/password", { old: fields.get("old"), new: fields.get("new") });
  tell(told, ok ? told.dataset.done : line, !ok);
  if (ok) password.reset();
});

const everywhere = document.getElementById("everywhere");
everywhere?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const { ok, line } = await ask("DELETE", "/api/account/sessions");
  if (ok) location.assign("/login");
  else tell(everywhere.querySelector(".told"), line, true);
});

// Until here a form would go its own way.
for (const waiting of document.querySelectorAll("main [inert]")) waiting.inert = false;
