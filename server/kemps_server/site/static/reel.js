// The highlight reel: asked for, followed while it is made, and shown.
import { inMyLanguage, lineOf } from "./asking.js";

const section = document.getElementById("reel");
const form = document.getElementById("reel-form");
if (section && form) {
  const one = (id) => document.getElementById(id);
  const address = `/api/games/${encodeURIComponent(section.dataset.game)}/reel`;
  const say = (text) => { one("reel-state").textContent = text; };
  const fill = (key, place, value) => section.dataset[key].replace(`{${place}}`, value);

  const show = () => {
    one("reel-shown").hidden = false;
    const video = one("reel-shown").querySelector("video");
    video.src = `/games/${encodeURIComponent(section.dataset.game)}/reel.mp4?v=${Date.now()}`;
  };

  const draw = (job) => {
    const isMaking = job.state === "making";
    one("reel-make").disabled = isMaking;
    one("reel-stop").hidden = one("reel-progress").hidden = !isMaking;
    if (isMaking) {
      const percent = job.of_ms ? Math.round((100 * job.done_ms) / job.of_ms) : 0;
      one("reel-progress").value = percent;
      say(fill("waiting", "percent", String(percent)));
    } else if (job.state === "failed") say(fill("failed", "why", job.problem));
    else if (job.state === "stopped") say(section.dataset.stopped);
    else say("");
  };

  let isNew = false; // whether this page has seen it being made
  const follow = async () => {
    const answer = await fetch(address, { headers: inMyLanguage() });
    if (!answer.ok) { say(fill("failed", "why", lineOf(await answer.json(), answer.status))); return; }
    const { job, reel } = await answer.json();
    draw(job);
    isNew ||= job.state === "making";
    if (job.state === "making") setTimeout(follow, 1000);
    else if (job.state === "done" && reel && isNew) show();
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const wish = {
      most: Number(form.elements.most.value),
      blurs_faces: form.elements.blurs_faces.checked,
      language: section.dataset.language,
    };
    const answer = await fetch(address, {
      method: "POST", headers: { ...inMyLanguage(), "content-type": "application/json" }, body: JSON.stringify(wish),
    });
    if (!answer.ok) { say(fill("failed", "why", lineOf(await answer.json(), answer.status))); return; }
    draw(await answer.json());
    setTimeout(follow, 500);
  });
  one("reel-stop").addEventListener("click", async () => { await fetch(address, { method: "DELETE" }); follow(); });
  follow();
}
