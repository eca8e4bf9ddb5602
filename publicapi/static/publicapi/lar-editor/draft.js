// A draft in this browser, only if its box is ticked. Without it, nothing is stored anywhere.
import { announce, byId, notify } from "./dom.js";

const KEY = "lar-editor-draft";

// A browser may forbid storage altogether.
const stored = () => {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
};

const forget = () => {
  try {
    localStorage.removeItem(KEY);
  } catch { /* there is nothing to remove */ }
};

export class Draft {
  #box = byId("editor-draft");
  #delete = byId("editor-draft-delete");

  // open: shows the text of a draft.
  constructor(register, open) {
    this.register = register;
    const text = stored();
    if (text !== null) {
      this.#box.checked = true;
      byId("editor-draft-found").hidden = false;
      byId("editor-draft-open").addEventListener("click", () => {
        byId("editor-draft-found").hidden = true;
        open(stored() ?? "");
      });
    }
    this.#delete.hidden = text === null;
    this.#box.addEventListener("change", () => (this.#box.checked ? this.keep() : this.#remove()));
    this.#delete.addEventListener("click", () => {
      this.#box.checked = false;
      this.#remove();
      this.#box.focus();
    });
  }

  // Store the records, if the box is ticked and an earlier draft does not wait to be opened.
  keep() {
    if (!this.#box.checked || !byId("editor-draft-found").hidden || this.register.isEmpty) return;
    const lines = [this.register.text(), ...this.register.review.map(({ text }) => text)];
    try {
      localStorage.setItem(KEY, lines.filter(Boolean).join("\n"));
      this.#delete.hidden = false;
    } catch {
      this.#box.checked = false;
      this.#remove();
      notify("This browser has no room for the draft, or does not allow it. Download the file to keep it.");
    }
  }

  #remove() {
    forget();
    this.#delete.hidden = byId("editor-draft-found").hidden = true;
    announce("The draft was deleted.");
  }
}
