// The same record as a pipe-delimited line: the field at the cursor is named, and a pasted record
// replaces it.
import { announce, byId } from "./dom.js";
import { FIELDS, cut } from "./lines.js";

export class PipedForm {
  #box = byId("editor-piped-line");
  #said = byId("editor-piped-field");

  // changed: called when the line changes.
  constructor(changed) {
    this.#box.addEventListener("input", () => {
      this.#say();
      changed();
    });
    this.#box.addEventListener("paste", (event) => {
      const text = event.clipboardData.getData("text/plain");
      if (!text.includes("|")) return; // a part of a field
      event.preventDefault();
      this.#box.value = text.replace(/[\r\n]+/g, "").trim();
      this.#say();
      changed();
      announce("The record was replaced.");
    });
    for (const name of ["keyup", "click", "focus"]) this.#box.addEventListener(name, () => this.#say());
    byId("editor-copy").addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(this.#box.value);
        announce("Copied.");
      } catch {
        this.#box.select();
        announce("The browser does not allow copying. The record is selected: copy it with the keyboard.");
      }
    });
  }

  setFields(fields, kind) {
    this.fields = fields;
    this.kind = kind;
  }

  get line() { return this.#box.value; }

  set line(line) {
    this.#box.value = line;
    this.#say();
  }

  // What is wrong with the line as a whole, in a sentence; blank if it has all fields.
  get fault() {
    const fields = cut(this.line, this.kind), wanted = FIELDS[this.kind], mark = this.kind === "ts" ? "1" : "2";
    if (fields[0] !== mark) return `The first field is "${fields[0]}"; this record begins with ${mark}.`;
    return fields.length === wanted ? "" : `The record has ${fields.length} fields instead of ${wanted}.`;
  }

  get values() { return cut(this.line, this.kind); }

  focus() { this.#box.focus(); }

  #say() {
    const place = this.line.slice(0, this.#box.selectionStart).split("|").length;
    const field = this.fields?.[place - 1];
    this.#said.textContent = field ? `Field ${place}: ${field.label}` : `Field ${place}: after the last one`;
  }
}
