// Asking the server for an act: JSON there and back, and what went wrong as one line.

// A header that has refusals told in the language of the page.
export const inMyLanguage = () => ({ "kemps-language": document.documentElement.lang });

// The line of a refusal, as the page says it.
export const lineOf = (data, status) => data?.said ?? data?.detail ?? `${status}`;

export async function ask(method, address, body) {
  let answer;
  try {
    answer = await fetch(address, {
      method,
      headers: { ...inMyLanguage(), ...(body === undefined ? {} : { "content-type": "application/json" }) },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch { // what the browser says of it is English, and no help
    return { ok: false, line: document.body.dataset.noAnswer, data: null };
  }
  const text = await answer.text();
  let data = null;
  try { data = text ? JSON.parse(text) : null; } catch { /* a page of a proxy, say */ }
  return { ok: answer.ok, line: answer.ok ? "" : lineOf(data, answer.status), data };
}

// Says under a form how its act went; `failed` marks it for eyes, the text says it for all.
export function tell(place, line, failed) {
  if (!place) return;
  place.textContent = line;
  place.classList.toggle("is-failed", Boolean(failed));
}
