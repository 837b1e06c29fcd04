// Small notes when something that had been on air stands otherwise now: never a silent swap.
import { made } from "./overlay_words.js";

const LASTING_MS = 15_000;

export class Notes {
  #list; #say; #known = null; #epoch = null;

  constructor(list, say) {
    this.#list = list;
    this.#say = say;
  }

  show(state, epoch) {
    const notes = state.notes ?? {};
    // What was corrected before this row of states began has been told by those that were there.
    if (this.#known === null || this.#epoch !== epoch) this.#known = new Set(Object.keys(notes));
    this.#epoch = epoch;
    for (const [number, note] of Object.entries(notes)) {
      if (this.#known.has(number)) continue;
      this.#known.add(number);
      this.#tell(note);
    }
  }

  #tell(note) {
    const by = this.#say(note.by === "person" ? "overlay.by_person" : "overlay.note_by_observer");
    const item = made("li", "note", made("b", "", this.#say("overlay.note")), made("span", "", this.#what(note)), made("span", "by", by));
    this.#list.append(item);
    setTimeout(() => item.remove(), LASTING_MS);
  }

  #what(note) {
    if (note.what !== "verdict") return this.#say(`overlay.note_${note.what}`);
    if (!note.now) return this.#say("overlay.note_gone");
    return this.#say("overlay.note_verdict", { was: this.#say(`ruling.${note.was}`), now: this.#say(`ruling.${note.now}`) });
  }
}
