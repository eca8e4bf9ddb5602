// Asks the service for the fields of a year and for the findings of records. Nothing is kept there.
const KINDS = ["syntactical", "validity", "quality"];
const BUSY = "Too many requests. Wait a moment and try again.";

export class Service {
  #fields = new Map();
  #edits = new Map();

  // addresses: of the calls, as the page has them.
  constructor(addresses) { this.addresses = addresses; }

  // Return the fields of a record in a year, by kind of record.
  fields(year) {
    return this.#once(this.#fields, year, async () => {
      const [ts, lar] = await Promise.all(["ts", "lar"].map((record) =>
        this.#json(`${this.addresses.fields}?${new URLSearchParams({ year, record })}`)));
      return { ts: ts.fields, lar: lar.fields };
    });
  }

  // Return the findings of a record: the fields they are at, the first one first, and what is wrong.
  async findings(kind, line, { year, quarter }, fields) {
    const path = `${this.addresses[kind]}/${year}${quarter ? `/quarter/${quarter}` : ""}`;
    const [edits, answer] = await Promise.all([
      this.#editFields(year, quarter),
      fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ [kind]: line }) }),
    ]);
    const body = await answer.json();
    if (answer.status === 400 && body.errorMessages) return body.errorMessages.map((error) => formatting(error, fields));
    if (!answer.ok) throw new Error(reason(answer, body));
    return KINDS.flatMap((name) => body[name].errors.map(({ edit, description }) => ({
      kind: name, code: edit, message: description, fields: edits.get(edit) ?? [],
    })));
  }

  // Return the findings in a whole file, each with its line, and whether all of them are listed.
  async findingsOfFile(text, { year, quarter }) {
    const form = new FormData();
    form.append("file", new Blob([text], { type: "text/plain" }), "lar.txt");
    const query = new URLSearchParams({ year, ...(quarter ? { quarter } : {}) });
    const { findings } = await this.#json(`${this.addresses.convert}?${query}`, { method: "POST", body: form });
    return { total: findings.total, first: findings.first.map(ofFile) };
  }

  // Return which fields each edit of a period reads, first those that the bureau lists.
  #editFields(year, quarter) {
    return this.#once(this.#edits, `${year}${quarter}`, async () => {
      const query = new URLSearchParams({ year, ...(quarter ? { quarter } : {}) });
      const { edits } = await this.#json(`${this.addresses.edits}?${query}`);
      const names = ({ affectedFields, fieldsRead }) => (affectedFields.length ? affectedFields : fieldsRead).map(({ name }) => name);
      return new Map(edits.map((edit) => [edit.edit, names(edit)]));
    });
  }

  #once(answers, key, ask) {
    if (!answers.has(key)) {
      const answer = ask();
      answers.set(key, answer);
      answer.catch(() => answers.delete(key)); // the next one asks again
    }
    return answers.get(key);
  }

  async #json(address, options) {
    const answer = await fetch(address, options);
    const body = await answer.json().catch(() => ({}));
    if (!answer.ok) throw new Error(reason(answer, body));
    return body;
  }
}

const reason = ({ status }, { message }) => (status === 429 ? BUSY : message || `The service returned an error (${status}). Wait a moment and try again.`);

// Return a finding of the report on a file, as the editor keeps it.
export const ofFile = ({ line, kind, code, message, field }) => ({ line, kind, code: code ?? "", message, fields: field ? [field] : [] });

const formatting = ({ fieldName, validValues }, fields) => {
  const field = fields.find(({ label, name }) => [label, name].includes(fieldName) || fieldName.endsWith(label));
  return { kind: "format", code: "", message: validValues ? `Enter: ${validValues}` : fieldName, fields: field ? [field.name] : [] };
};
