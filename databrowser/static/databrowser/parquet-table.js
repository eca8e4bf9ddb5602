// A Parquet file at an address, of which only the columns and groups of rows are fetched that a
// query reads, each once. Numbers become typed arrays; texts become ids, which `texts` gives out.
import { parquetMetadataAsync } from "../vendor/hyparquet/src/metadata.js";
import { parquetRead } from "../vendor/hyparquet/src/read.js";
import { decompress } from "../vendor/fzstd/esm/index.mjs";

const FOOTER_BYTES = 1 << 18; // enough for the description of two million records
const REQUESTS = 4; // at a time
export const NULL_INTEGER = -(2 ** 31); // in arrays of 32 bits, of texts too; else it is NaN

// A file could not be fetched; its message is for the reader.
export class FetchError extends Error {}

const sqlType = ({ type }) =>
  ({ BYTE_ARRAY: "TEXT", DOUBLE: "REAL", FLOAT: "REAL" })[type] ?? "INTEGER";

const isWide = ({ type }) => ["INT64", "DOUBLE", "FLOAT"].includes(type);

export class ParquetTable {
  fetchedBytes = 0;
  #slots = Array(REQUESTS).fill(Promise.resolve());
  #requests = 0;
  #whole = null;

  constructor({ name, url, bytes }, texts, onFetch = () => {}) {
    Object.assign(this, { name, url, byteLength: bytes, texts, onFetch });
  }

  // Fetch what the file says about itself: columns with their SQL types, and groups of rows.
  async open() {
    if (this.groups) return;
    this.metadata = await parquetMetadataAsync(this, { initialFetchSize: FOOTER_BYTES });
    this.elements = this.metadata.schema.slice(1);
    this.columns = this.elements.map((element) => ({ name: element.name, type: sqlType(element) }));
    this.groups = this.metadata.row_groups.map(({ num_rows: rows }) => ({ rows: Number(rows), arrays: [] }));
  }

  get rows() {
    return this.groups.reduce((sum, { rows }) => sum + rows, 0);
  }

  // Tell whether these columns of a group can be read. columns: their numbers.
  has(columns, group) {
    return columns.every((column) => this.groups[group].arrays[column]);
  }

  // Fetch these columns of a group.
  async load(columns, group) {
    const missing = columns.filter((column) => !this.groups[group].arrays[column]);
    if (!missing.length) return;
    const { rows, arrays } = this.groups[group];
    const start = this.groups.slice(0, group).reduce((sum, each) => sum + each.rows, 0);
    const numbers = new Map(missing.map((column) => [this.columns[column].name, column]));
    const filled = new Map(missing.map((column) => [column, isWide(this.elements[column])
      ? new Float64Array(rows).fill(NaN) : new Int32Array(rows).fill(NULL_INTEGER)]));
    await parquetRead({
      file: this,
      metadata: this.metadata,
      columns: [...numbers.keys()],
      rowStart: start,
      rowEnd: start + rows,
      compressors: { ZSTD: (input) => decompress(input) },
      onChunk: ({ columnName, columnData, rowStart }) => {
        const column = numbers.get(columnName), array = filled.get(column), at = rowStart - start;
        const isText = this.columns[column].type === "TEXT";
        for (let row = 0; row < columnData.length; row += 1) {
          const value = columnData[row];
          if (value != null) array[at + row] = isText ? this.texts.id(value) : Number(value);
        }
      },
    });
    for (const [column, array] of filled) arrays[column] = array;
  }

  // Return bytes of the file: the interface that the Parquet reader asks for.
  slice(start, end = this.byteLength) {
    const slot = this.#requests++ % REQUESTS;
    const part = this.#slots[slot].then(() => this.#fetchPart(start, end));
    this.#slots[slot] = part.catch(() => {});
    return part;
  }

  async #fetchPart(start, end) {
    if (this.#whole) return this.#whole.slice(start, end);
    let content, response;
    try {
      response = await fetch(this.url, {
        headers: { Range: `bytes=${start}-${end - 1}` },
        credentials: "omit",
      });
      content = await response.arrayBuffer();
    } catch {
      throw new FetchError("The file could not be fetched. Check your connection, and run the query again.");
    }
    if (![200, 206].includes(response.status)) throw new FetchError(explain(response));
    this.fetchedBytes += content.byteLength;
    this.onFetch(content.byteLength);
    if (response.status === 206) return content;
    this.#whole = content; // something on the way does not know ranges
    return content.slice(start, end);
  }
}

const explain = ({ status, headers }) => {
  const seconds = headers.get("Retry-After");
  if ([429, 503].includes(status)) {
    return `The site has no room for this request now. Run the query again${seconds ? ` in ${seconds} seconds` : " later"}.`;
  }
  if ([404, 410].includes(status)) return "This version is not public any more. Reload the page, and choose another one.";
  return `The site answered ${status} instead of the file. Run the query again, or download the file.`;
};
