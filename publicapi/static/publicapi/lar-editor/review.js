// The lines that could not be read: each can be edited and moved to the records, or dismissed.
import { announce, byId, element } from "./dom.js";
import { MARKS, cut, fitted } from "./lines.js";

export class Review {
  // moved: keeps the values of a line, and returns why not, in a sentence.
  constructor(register, moved) {
    this.register = register;
    this.moved = moved;
  }

  show() {
    const { review } = this.register;
    byId("editor-review").hidden = !review.length;
    byId("editor-review-title").textContent = `Lines to review (${review.length})`;
    const place = byId("editor-review-lines");
    const known = new Map([...place.children].map((item) => [item.entry, item]));
    place.replaceChildren(...review.map((entry) => known.get(entry) ?? this.#item(entry)));
  }

  #item(entry) {
    const id = `review-${entry.line}`;
    const box = element("textarea", { class: "usa-textarea editor-line", id, rows: "2", spellcheck: "false", "aria-describedby": `${id}-reason` });
    box.value = entry.text;
    const reason = element("p", { id: `${id}-reason`, class: "editor-finding" }, entry.reason);
    const item = element("li", {}, element("label", { class: "usa-label", for: id }, `Line ${entry.line}`), reason, box,
      element("div", { class: "site-buttons" },
        element("button", { type: "button", class: "usa-button usa-button--outline", onclick: () => this.#move(entry, box, reason) }, "Move to the records", this.#of(entry)),
        element("button", { type: "button", class: "usa-button usa-button--unstyled", onclick: () => this.#dismiss(entry) }, "Dismiss", this.#of(entry))));
    item.entry = entry;
    return item;
  }

  #of({ line }) { return element("span", { class: "usa-sr-only" }, ` line ${line}`); }

  #move(entry, box, reason) {
    const kind = MARKS[box.value.split("|")[0].trim()];
    const { values, fault } = kind ? fitted(cut(box.value, kind), kind) : { fault: "" };
    const refusal = kind ? fault && `The line has ${fault}. Correct it first.` : "The first field is neither 1 nor 2: enter 2 for a loan, 1 for the transmittal sheet.";
    reason.textContent = refusal || this.moved(kind, values) || "";
    if (reason.textContent) return box.focus();
    this.#gone(entry, `Line ${entry.line} was moved to the records.`);
  }

  #dismiss(entry) { this.#gone(entry, `Line ${entry.line} was dismissed.`); }

  #gone(entry, text) {
    this.register.dismiss(entry);
    byId(this.register.review.length ? "editor-review-title" : "editor-heading").focus();
    announce(text);
  }
}
