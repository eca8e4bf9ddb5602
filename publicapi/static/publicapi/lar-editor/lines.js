// Reads the text of a LAR file as records, and writes it. Nothing here knows the page.

export const FIELDS = { ts: 15, lar: 110 };
export const MARKS = { 1: "ts", 2: "lar" };
const NAMES = { ts: "transmittal sheet", lar: "loan" };
// By which files and records are named, as places in the transmittal sheet.
export const YEAR = 2, QUARTER = 3, TOTAL = 12, LEI = 14;

// Return the fields of a line, as the service cuts it: without control characters and double
// quotes, and without a single pipe too many at its end.
export const cut = (line, kind) => {
  // eslint-disable-next-line no-control-regex
  const clean = line.replace(/^\ufeff/, "").replace(/[\u0000-\u001f"]/g, "").trim();
  const fields = clean.split("|").map((value) => value.trim());
  if (fields.length === FIELDS[kind] + 1 && fields.at(-1) === "") fields.pop();
  return fields;
};

// Return as many fields as a record has, and what was dropped or is missing, in a sentence.
export const fitted = (fields, kind) => {
  const wanted = FIELDS[kind], surplus = fields.slice(wanted);
  const values = Array.from({ length: wanted }, (_, place) => fields[place] ?? "");
  if (surplus.length) return { values, fault: `${fields.length} fields instead of ${wanted}; those after the last one were dropped: ${surplus.join("|")}` };
  if (fields.length < wanted) return { values, fault: `${fields.length} fields instead of ${wanted}; the others are blank` };
  return { values, fault: "" };
};

// Return the transmittal sheet, the loans, the lines to review and what was said about others.
export const read = (text) => {
  const result = { sheet: null, loans: [], review: [], faults: [] };
  text.split("\n").forEach((line, row) => {
    if (!line.trim()) return;
    const number = row + 1, kind = MARKS[line.replace(/^[\ufeff"\s]+/, "").split("|")[0].trim()];
    const set = (reason) => result.review.push({ line: number, text: line.trim(), reason });
    if (!kind) return set("The first field is neither 1 nor 2.");
    if (kind === "ts" && result.sheet) return set("A second transmittal sheet; the first one counts.");
    const { values, fault } = fitted(cut(line, kind), kind);
    if (fault) result.faults.push(`Line ${number}, ${NAMES[kind]}: ${fault}.`);
    if (kind === "ts") result.sheet = values;
    else result.loans.push(values);
  });
  return result;
};

export const lineOf = (values) => values.join("|").trim();

// Return the whole file: the transmittal sheet first, and no line end after the last line.
export const written = (sheet, loans) => [sheet, ...loans].filter(Boolean).map(lineOf).join("\n");

// Return the name under which a file is saved.
export const fileName = (sheet) => {
  const parts = [YEAR, QUARTER, LEI].map((place) => sheet?.[place] ?? "");
  const isComplete = parts.every((part) => /^[\w-]+$/.test(part));
  return isComplete ? `${parts.join("-")}.txt` : "LarFile.txt";
};
