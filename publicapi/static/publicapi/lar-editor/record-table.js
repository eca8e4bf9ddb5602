// A table of saved records: searched, with some of its columns, a page at a time. Arrow keys move
// from cell to cell; Enter and a click open the record at the field.
import { byId, counted, element } from "./dom.js";

const PAGE = 25; // records
const SHOWN = 60; // characters of a value
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

const marked = (value, wanted) => {
  const text = value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value;
  const place = wanted ? text.toLowerCase().indexOf(wanted) : -1;
  if (place < 0) return [text];
  return [text.slice(0, place), element("mark", {}, text.slice(place, place + wanted.length)), text.slice(place + wanted.length)];
};

export class RecordTable {
  #page = 0;
  #at = [0, 0]; // the cell that Tab leads to

  // id: of the section of the page. rows: returns the records. open: shows one, with a field.
  constructor(id, { title, one, rows, open }) {
    Object.assign(this, { id, title, one, rows, open });
    this.search = byId(`${id}-search`);
    this.columns = byId(`${id}-columns`);
    for (const box of [this.search, this.columns]) {
      box.addEventListener("input", () => {
        this.#page = 0;
        this.#at = [0, 0];
        this.show();
      });
    }
    byId(`${id}-previous`).addEventListener("click", () => this.#turn(-1));
    byId(`${id}-next`).addEventListener("click", () => this.#turn(1));
    const table = byId(`${id}-table`);
    table.addEventListener("click", ({ target }) => this.#open(target.closest("th, td")));
    table.addEventListener("keydown", (event) => this.#move(event));
  }

  clear() {
    this.search.value = this.columns.value = "";
    this.#page = 0;
  }

  // Show the page with a record of this place.
  reveal(place) {
    this.#page = Math.floor(Math.max(0, this.#matching().findIndex((row) => row.place === place)) / PAGE);
    this.show();
  }

  show(fields = this.fields) {
    this.fields = fields;
    const records = this.rows(), wanted = this.#wanted, matching = this.#matching();
    byId(`${this.id}-title`).textContent = `${this.title} (${records.length.toLocaleString("en-US")})`;
    byId(`${this.id}-empty`).hidden = records.length > 0;
    byId(`${this.id}-saved`).hidden = !records.length;
    const pages = Math.max(1, Math.ceil(matching.length / PAGE));
    this.#page = Math.min(this.#page, pages - 1);
    const shown = matching.slice(this.#page * PAGE, (this.#page + 1) * PAGE);
    const columns = this.#shownColumns(matching, wanted);
    byId(`${this.id}-count`).textContent = this.#count(records, matching, columns);
    byId(`${this.id}-pages`).hidden = pages === 1;
    byId(`${this.id}-page`).textContent = `Page ${this.#page + 1} of ${pages}`;
    byId(`${this.id}-previous`).disabled = this.#page === 0;
    byId(`${this.id}-next`).disabled = this.#page === pages - 1;
    const head = element("tr", {}, this.#cell("th", 0, 0, ["Row"], { scope: "col" }),
      ...columns.map((field, place) => this.#cell("th", 0, place + 1, [element("span", { class: "editor-number" }, `${field.number} `), field.label], { scope: "col", "data-name": field.name })));
    const body = shown.map((row, number) => this.#row(row, number + 1, columns, wanted));
    byId(`${this.id}-table`).replaceChildren(element("caption", { class: "usa-sr-only" }, this.title), element("thead", {}, head), element("tbody", {}, ...body));
    this.#tabTo(this.#cells[this.#at[0]]?.[this.#at[1]] ?? this.#cells[0]?.[0]);
  }

  get #wanted() { return this.search.value.trim().toLowerCase(); }

  #matching() {
    const wanted = this.#wanted;
    return this.rows().map((record, place) => ({ record, place }))
      .filter(({ record }) => !wanted || record.values.some((value) => value.toLowerCase().includes(wanted)));
  }

  // While one searches, only columns with hits; and those whose name is wanted.
  #shownColumns(matching, wanted) {
    const name = this.columns.value.trim().toLowerCase();
    return (this.fields ?? []).filter((field, place) => {
      const isNamed = !name || [field.label, field.name, String(field.number)].some((each) => each.toLowerCase().includes(name));
      return isNamed && (!wanted || matching.some(({ record }) => record.values[place].toLowerCase().includes(wanted)));
    });
  }

  #count(records, matching, columns) {
    const rows = this.#wanted ? `${matching.length.toLocaleString("en-US")} of ${counted(records.length, this.one)}` : counted(records.length, this.one);
    return `${rows}, ${columns.length} of ${counted(this.fields?.length ?? 0, "column")}`;
  }

  #row({ record, place }, number, columns, wanted) {
    const { findings, values } = record;
    const at = new Map(findings.flatMap((finding) => finding.fields.map((name) => [name, finding])));
    const head = [`Row ${place + 1}`, ...(findings.length ? [element("span", { class: "editor-count" }, counted(findings.length, "finding"))] : [])];
    return element("tr", { "data-place": place }, this.#cell("th", number, 0, head, { scope: "row" }),
      ...columns.map((field, column) => {
        const finding = at.get(field.name);
        const note = finding ? [element("span", { class: "usa-sr-only" }, ` ${finding.code || "Formatting error"}`)] : [];
        return this.#cell("td", number, column + 1, [...marked(values[field.number - 1], wanted), ...note],
          { "data-name": field.name, class: finding ? `editor-cell editor-cell--${finding.kind}` : "editor-cell" });
      }));
  }

  #cell(name, row, column, content, attributes) {
    return element(name, { tabindex: "-1", "data-at": `${row} ${column}`, ...attributes }, ...content);
  }

  get #cells() { return [...byId(`${this.id}-table`).rows].map(({ cells }) => [...cells]); }

  #tabTo(cell) {
    byId(`${this.id}-table`).querySelector("[tabindex='0']")?.setAttribute("tabindex", "-1");
    cell?.setAttribute("tabindex", "0");
    if (cell) this.#at = cell.dataset.at.split(" ").map(Number);
  }

  #move(event) {
    const cell = event.target.closest("th, td");
    if (!cell) return;
    const [row, column] = cell.dataset.at.split(" ").map(Number), cells = this.#cells;
    if (event.key === "Enter") {
      event.preventDefault();
      return this.#open(cell);
    }
    const ends = { Home: cells[row]?.[0], End: cells[row]?.at(-1) };
    const [down, right] = MOVES[event.key] ?? [0, 0];
    const next = ends[event.key] ?? (MOVES[event.key] && cells[row + down]?.[column + right]);
    if (!next) return;
    event.preventDefault();
    this.#tabTo(next);
    next.focus();
  }

  #open(cell) {
    if (!cell) return;
    this.#tabTo(cell);
    const row = cell.closest("tr").dataset.place;
    this.open(row === undefined ? null : Number(row), cell.dataset.name);
  }

  #turn(pages) {
    this.#page += pages;
    this.#at = [0, 0];
    this.show();
  }
}
