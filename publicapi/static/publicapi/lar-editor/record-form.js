// The record in the editor, field by field: inputs, what each field takes, and its findings.
import { byId, element } from "./dom.js";
import { inputOf, setValue } from "./inputs.js";

const FIRST_CODES = 40; // listed in the description of a field

const about = (field) => {
  const codes = field.codes ?? [];
  const listed = codes.slice(0, FIRST_CODES).map(({ code, text }) => element("li", {}, text ? `${code} - ${text}` : String(code)));
  const also = [field.na && "NA", field.exempt !== null && field.exempt !== undefined && `${field.exempt} for a partial exemption`, field.blank && "blank"].filter(Boolean);
  return element("details", { class: "editor-about" },
    element("summary", {}, "About", element("span", { class: "usa-sr-only" }, ` ${field.label}`)),
    element("p", {}, `Field ${field.number}, ${field.name}. Accepts: ${field.accepts}${also.length ? `; also ${also.join(", ")}` : ""}.`),
    ...(field.reference && field.reference !== field.label ? [element("p", {}, `Also called ${field.reference}.`)] : []),
    ...(listed.length ? [element("ul", { class: "usa-list" }, ...listed)] : []));
};

const words = ({ kind, code, message }) => (code ? `${code} (${kind}): ${message}` : message);

export class RecordForm {
  #rows = []; // of each field: its place on the page, its input and its findings
  #place = byId("editor-fields");

  // states: postal codes. changed: called when a value changes.
  constructor(states, changed) {
    this.states = states;
    this.#place.addEventListener("input", ({ target }) => target.matches("[data-field]") && changed());
    byId("editor-filter").addEventListener("input", ({ target }) => this.filter(target.value));
  }

  // Show the inputs of these fields, without values.
  setFields(fields) {
    this.fields = fields;
    this.#rows = fields.map((field) => {
      const id = `field-${field.name}`;
      const { input, beside } = inputOf(field, this.states, { id, "data-field": field.name });
      const findings = element("div", { class: "editor-findings", id: `${id}-findings` });
      const label = element("label", { class: "usa-label", for: id }, element("span", { class: "editor-number" }, `${field.number} `), field.label);
      const row = element("div", { class: "editor-field" }, label, element("div", { class: "editor-input" }, input, ...beside), findings, about(field));
      return { field, row, input, findings };
    });
    this.#place.replaceChildren(...this.#rows.map(({ row }) => row));
    this.filter(byId("editor-filter").value);
  }

  get values() { return this.#rows.map(({ input }) => input.value.replace(/[\r\n]+/g, " ").trim()); }

  set values(values) { this.#rows.forEach(({ input }, place) => setValue(input, values[place] ?? "")); }

  // The fields with a pipe, which a line cannot hold.
  get piped() { return this.#rows.filter(({ input }) => input.value.includes("|")).map(({ field }) => field); }

  // Show each finding at its first field, and those without one at the top.
  showFindings(all) {
    const rows = new Map(this.#rows.map((row) => [row.field.name, row]));
    for (const { row, input, findings } of this.#rows) {
      findings.replaceChildren();
      row.classList.remove("editor-field--finding");
      for (const name of ["aria-describedby", "aria-invalid"]) input.removeAttribute(name);
    }
    const general = [], links = [];
    for (const finding of all) {
      const at = finding.fields.map((name) => rows.get(name)).filter(Boolean);
      if (at.length) links.push([finding, at[0].field]);
      else general.push(words(finding));
      for (const [place, { row, input, findings }] of at.entries()) {
        const text = place ? `See ${finding.code} at ${at[0].field.label}.` : words(finding);
        findings.append(element("p", { class: `editor-finding editor-finding--${finding.kind}` }, text));
        row.classList.add("editor-field--finding");
        input.setAttribute("aria-describedby", findings.id);
        if (finding.kind !== "quality") input.setAttribute("aria-invalid", "true");
      }
    }
    const jump = ([{ code, kind }, field]) => element("li", {}, element("button", { type: "button", class: "usa-button usa-button--unstyled", onclick: () => this.focus(field.name) },
      `${code || "Formatting error"}: ${field.label}`), kind === "quality" ? " (may be right)" : "");
    byId("editor-general").replaceChildren(...general.map((text) => element("p", { class: "editor-finding" }, text)),
      ...(links.length ? [element("p", {}, "Findings in this record:"), element("ul", { class: "usa-list" }, ...links.map(jump))] : []));
  }

  // Show only the fields whose label, name or number has this text.
  filter(text) {
    const wanted = text.trim().toLowerCase();
    let shown = 0;
    for (const { field, row } of this.#rows) {
      row.hidden = ![field.label, field.name, String(field.number)].some((name) => name.toLowerCase().includes(wanted));
      shown += row.hidden ? 0 : 1;
    }
    byId("editor-filter-count").textContent = wanted ? `${shown} of ${this.#rows.length} fields` : "";
  }

  focus(name) {
    const row = this.#rows.find(({ field }) => field.name === name) ?? this.#rows.find(({ input }) => !input.readOnly);
    if (!row) return;
    if (row.row.hidden) {
      byId("editor-filter").value = "";
      this.filter("");
    }
    row.input.focus();
    row.row.scrollIntoView({ block: "nearest" });
  }
}
