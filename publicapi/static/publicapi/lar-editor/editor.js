// The record in the editor: which one it is, as fields or as a line, and what is done with it.
import { announce, byId, clearNotice, confirmed, counted, notify } from "./dom.js";
import { PipedForm } from "./piped-form.js";
import { RecordForm } from "./record-form.js";
import { fitted, lineOf } from "./lines.js";

export class Editor {
  kind = "ts";
  place = null; // of a saved loan; null for a new one
  isNew = true;
  #isChanged = false;
  #isPiped = false;

  // findingsOf: asks for those of a record. saved: called with the record that was saved.
  constructor(register, { states, findingsOf, shown }) {
    Object.assign(this, { register, findingsOf, shown });
    this.form = new RecordForm(states, () => this.#changed());
    this.piped = new PipedForm(() => this.#changed());
    byId("editor-save").addEventListener("click", () => this.save());
    byId("editor-delete").addEventListener("click", () => this.delete());
    byId("editor-new").addEventListener("click", () => this.leave(() => this.begin(true)));
    byId("editor-undo").addEventListener("click", () => this.undo());
    byId("editor-next-finding").addEventListener("click", () => this.leave(() => this.openNextFinding()));
    byId("editor-record").addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) this.save();
    });
    for (const radio of document.querySelectorAll("[name=editor-view]")) {
      radio.addEventListener("change", () => this.#view(radio.value === "piped"));
    }
  }

  get isChanged() { return this.#isChanged; }

  // Use the fields of a year. What is typed stays, and so does the focus.
  setFields(fields) {
    const isFirst = !this.fields;
    const { values } = this, wasChanged = this.#isChanged, at = document.activeElement?.dataset.field;
    this.fields = fields;
    this.#setFields();
    if (isFirst) return this.begin();
    this.values = values;
    this.#isChanged = wasChanged;
    this.form.showFindings(this.#record?.findings ?? []);
    this.show();
    if (at) this.form.focus(at);
  }

  get values() { return this.#isPiped ? fitted(this.piped.values, this.kind).values : this.form.values; }

  set values(values) {
    this.form.values = values;
    this.piped.line = lineOf(values);
  }

  // Begin a new record: the transmittal sheet first, then loans.
  begin(focuses = false) { this.#open(this.register.sheet ? "lar" : "ts", null, true, focuses ? "" : null); }

  // Show a saved record, at a field.
  open(kind, place, name = "") { this.#open(kind, place, false, name); }

  // Do something that replaces the record, unless it has changes that the reader wants to keep.
  async leave(act) {
    if (this.#isChanged && !(await confirmed("This record has changes that are not saved. Discard them?", "Discard"))) return;
    act();
  }

  async save() {
    clearNotice();
    if (!this.#isChanged) return;
    if (this.#isPiped && this.piped.fault) return notify(this.piped.fault);
    const [piped] = this.#isPiped ? [] : this.form.piped;
    if (piped) {
      notify(`${piped.label} has a pipe (|), which separates fields. Replace it.`);
      return this.form.focus(piped.name);
    }
    if (this.isNew && this.kind === "lar" && this.register.isFull) {
      return notify(`The editor holds at most ${counted(this.register.mostLoans, "loan")}. For more, use a spreadsheet.`);
    }
    const record = this.register.save(this.kind, this.place, this.values);
    if (this.kind === "lar" && this.place === null) this.place = this.register.loans.length - 1;
    this.isNew = this.#isChanged = false;
    this.values = record.values;
    this.form.showFindings([]);
    this.show();
    this.shown(this.kind, this.place);
    byId("editor-title").focus(); // the button that was pressed can no longer be
    announce(`${this.#name} saved. Checking it.`);
    await this.#check(record);
  }

  async delete() {
    const name = this.#name;
    if (!(await confirmed(`Delete ${name}?`, "Delete"))) return;
    this.register.delete(this.kind, this.place);
    this.begin(true);
    announce(`${name} was deleted. You can undo this.`);
  }

  undo() {
    const { kind, place } = this.register.undo();
    this.leave(() => this.open(kind, place));
    announce("The deleted record is back.");
  }

  // Show the next record with findings after this one, or the first one of all.
  openNextFinding() {
    const { sheet, loans } = this.register;
    const records = [sheet, ...loans].map((record, at) => ({ record, at })).filter(({ record }) => record?.findings.length);
    const here = this.isNew ? -1 : this.kind === "ts" ? 0 : this.place + 1;
    const next = records.find(({ at }) => at > here) ?? records[0];
    if (!next) return;
    const name = next.record.findings.find(({ fields }) => fields.length)?.fields[0] ?? "";
    if (next.at === 0) this.open("ts", null, name);
    else this.open("lar", next.at - 1, name);
  }

  // Update the title and the buttons.
  show() {
    byId("editor-title").textContent = this.isNew ? `New ${this.kind === "ts" ? "transmittal sheet" : "loan"}` : this.#name;
    byId("editor-save").textContent = this.isNew ? "Save Row" : `Update Row ${this.#number}`;
    byId("editor-save").disabled = !this.#isChanged;
    byId("editor-delete").hidden = this.isNew;
    byId("editor-delete").textContent = `Delete Row ${this.#number}`;
    byId("editor-undo").hidden = !this.register.deleted;
    const { sheet, loans } = this.register;
    const left = [sheet, ...loans].filter((record) => record?.findings.length).length;
    byId("editor-next-finding").hidden = !left;
    byId("editor-next-finding").textContent = `Next of ${counted(left, "record")} with findings`;
  }

  // Show the findings of the record, after they were asked for.
  showFindings() { if (!this.isNew) this.form.showFindings(this.#record?.findings ?? []); }

  get #number() { return this.kind === "ts" ? 1 : this.place + 1; }

  get #name() { return this.kind === "ts" ? "Transmittal sheet" : `Loan row ${this.#number}`; }

  get #record() { return this.isNew ? null : this.register.record(this.kind, this.place); }

  #open(kind, place, isNew, name) {
    const isOther = kind !== this.kind;
    Object.assign(this, { kind, place, isNew });
    if (isOther && this.fields) this.#setFields();
    const blank = fitted([kind === "ts" ? "1" : "2"], kind).values;
    if (isNew && kind === "lar") blank[1] = this.register.lei; // its lender
    this.values = isNew ? blank : this.#record.values;
    this.#isChanged = false;
    this.form.showFindings(this.#record?.findings ?? []);
    this.show();
    if (name === null) return;
    if (this.#isPiped) this.piped.focus();
    else this.form.focus(name);
  }

  #setFields() {
    this.form.setFields(this.fields[this.kind]);
    this.piped.setFields(this.fields[this.kind], this.kind);
  }

  #changed() {
    if (this.#isChanged) return;
    this.#isChanged = true;
    this.show();
  }

  #view(isPiped) {
    const { values } = this;
    this.#isPiped = isPiped;
    this.values = values;
    byId("editor-parsed-view").hidden = isPiped;
    byId("editor-piped-view").hidden = !isPiped;
  }

  async #check(record) {
    const name = this.#name;
    try {
      const findings = await this.findingsOf(this.kind, record);
      this.register.find(record, findings);
      this.showFindings();
      announce(findings.length ? `${name}: ${counted(findings.length, "finding")}, beside their fields.` : `${name}: no findings.`);
    } catch (error) {
      notify(`The record is saved here, but could not be checked. ${error.message}`, "warning");
    }
  }
}
