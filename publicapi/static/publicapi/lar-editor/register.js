// The transmittal sheet and the loans that are in the editor, and what was changed since they were
// downloaded. It sends "change" whenever a record, a line to review or a finding changes.
import { LEI, TOTAL, read, written } from "./lines.js";

export class Register extends EventTarget {
  sheet = null; // a record, as each of the loans: its values and its findings
  loans = [];
  review = []; // lines that are no record
  isUnsaved = false;
  #deleted = null; // the last one, with its place

  constructor(mostLoans) {
    super();
    this.mostLoans = mostLoans;
  }

  get isEmpty() { return !this.sheet && !this.loans.length && !this.review.length; }

  get isFull() { return this.loans.length >= this.mostLoans; }

  // The last deleted record that can be put back.
  get deleted() { return this.#deleted?.kind === "ts" && this.sheet ? null : this.#deleted; }

  record(kind, place) { return kind === "ts" ? this.sheet : this.loans[place]; }

  text() { return written(this.sheet?.values, this.loans.map(({ values }) => values)); }

  // Take the records of a text in place of all others; return what was said about its lines, or
  // null if there are too many.
  open(text) {
    const { sheet, loans, review, faults } = read(text);
    if (loans.length > this.mostLoans) return null;
    const record = (values) => ({ values, findings: [] });
    this.sheet = sheet && record(sheet);
    this.loans = loans.map(record);
    this.review = review;
    this.#deleted = null;
    this.isUnsaved = this.#count() || faults.length > 0;
    this.#tell();
    return faults;
  }

  reset() {
    [this.sheet, this.loans, this.review, this.#deleted] = [null, [], [], null];
    this.isUnsaved = false;
    this.#tell();
  }

  // Keep the values of a record, at its place or after the last loan; return it.
  save(kind, place, values) {
    const record = { values, findings: [] };
    if (kind === "ts") this.sheet = record;
    else if (place === null) this.loans.push(record);
    else this.loans[place] = record;
    this.#changed();
    return record;
  }

  delete(kind, place) {
    this.#deleted = { kind, place, record: this.record(kind, place) };
    if (kind === "ts") this.sheet = null;
    else this.loans.splice(place, 1);
    this.#changed();
  }

  // Put the last deleted record back; return where it is.
  undo() {
    const { kind, place, record } = this.#deleted;
    this.#deleted = null;
    if (kind === "ts") this.sheet = record;
    else this.loans.splice(Math.min(place, this.loans.length), 0, record);
    this.#changed();
    return { kind, place };
  }

  dismiss(entry) {
    this.review = this.review.filter((each) => each !== entry);
    this.isUnsaved = true;
    this.#tell();
  }

  // Set the findings of a record, unless it was replaced since they were asked for.
  find(record, findings) {
    record.findings = findings;
    this.#tell();
  }

  saved() {
    this.isUnsaved = false;
    this.#tell();
  }

  get lei() { return this.sheet?.values[LEI] ?? ""; }

  #changed() {
    this.#count();
    this.isUnsaved = true;
    this.#tell();
  }

  // Let the transmittal sheet have the right number of loans; return whether it had another one.
  #count() {
    const number = String(this.loans.length);
    if (!this.sheet || this.sheet.values[TOTAL] === number) return false;
    this.sheet.values[TOTAL] = number;
    return true;
  }

  #tell() { this.dispatchEvent(new Event("change")); }
}
