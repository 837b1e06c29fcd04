// A link's secret stands after the #: it is shown to the server once, for a cookie, and taken out of the address.
const status = document.getElementById("enter");
const secret = decodeURIComponent(location.hash.slice(1));
history.replaceState(null, "", location.pathname + location.search);
let admitted = false;
if (secret) {
  try {
    const answer = await fetch("/api/session", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ token: secret }),
    });
    admitted = answer.ok;
  } catch { /* said below, as any other failure */ }
}
if (admitted) location.replace(status.dataset.next);
else {
  status.hidden = true;
  document.getElementById("enter-failed").hidden = false;
}
