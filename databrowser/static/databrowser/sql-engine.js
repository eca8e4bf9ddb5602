// Runs SQL over Parquet files in a worker: SQLite reads their columns as virtual tables. A message
// to it has the query and the tables, which stay the same. Messages from it are of the kinds
// `progress`, `result` and `problem`.
import initSqlite from "../vendor/sqlite-wasm/index.mjs";
import { FetchError, NULL_INTEGER, ParquetTable } from "./parquet-table.js";

const SHOWN_ROWS = 1000;
const MOST_ROWS = 1_000_000; // of a result
const CSV_PIECE = 1 << 20; // characters
const PROGRESS_MS = 200;
const COPIED_ROWS = 100_000; // a table of at most as many is copied: only copies get an index in joins
// Nothing here is stored in the browser: not even offered.
globalThis.sqlite3ApiConfig = { disable: { vfs: { kvvfs: true, opfs: true, "opfs-vfs": true, "opfs-wl": true, "opfs-sahpool": true } } };

let sqlite3, capi, wasm, exported;
let texts, tables;

// The query cannot be run; `at` is the place in it, if SQLite knows one.
class QueryError extends Error {
  constructor(message, at = -1) {
    super(message);
    this.at = at;
  }
}

// Texts of all tables, each once in the memory of SQLite.
class Texts {
  pointers = [];
  lengths = [];
  #ids = new Map();
  #encoder = new TextEncoder();

  id(text) {
    let id = this.#ids.get(text);
    if (id === undefined) {
      const bytes = this.#encoder.encode(text);
      const pointer = wasm.alloc(bytes.length + 1);
      wasm.heap8u().set(bytes, pointer);
      id = this.pointers.push(pointer) - 1;
      this.lengths.push(bytes.length);
      this.#ids.set(text, id);
    }
    return id;
  }
}

const quoted = (name) => `"${name.replaceAll('"', '""')}"`;

// Return the module of a virtual table. A cursor that comes to a group of rows or a column that was
// not fetched interrupts the query: nothing can be awaited while SQLite runs.
const makeModule = (table) => {
  const cursors = new Map();
  const { columns, groups } = table;
  const isText = columns.map(({ type }) => type === "TEXT");
  const isReal = columns.map(({ type }) => type === "REAL");

  const enter = (cursor, group) => {
    while (group < groups.length && !groups[group].rows) group += 1;
    cursor.group = group;
    cursor.row = 0;
    if (group === groups.length) return 0;
    cursor.rows = groups[group].rows;
    cursor.arrays = groups[group].arrays;
    if (table.has([...table.read], group)) return 0;
    table.missesRows = true;
    return capi.SQLITE_INTERRUPT;
  };

  return new capi.sqlite3_module().setupModule({
    methods: {
      xConnect(db, aux, argc, argv, ppVtab) {
        const declared = columns.map(({ name, type }) => `${quoted(name)} ${type}`).join(", ");
        const code = capi.sqlite3_declare_vtab(db, `CREATE TABLE x(${declared})`);
        if (!code) sqlite3.vtab.xVtab.create(ppVtab);
        return code;
      },
      xDisconnect(vtab) {
        sqlite3.vtab.xVtab.dispose(vtab);
        return 0;
      },
      xBestIndex(vtab, pointer) {
        const info = sqlite3.vtab.xIndexInfo(pointer);
        info.$estimatedRows = BigInt(table.rows);
        info.$estimatedCost = table.rows;
        info.dispose();
        return 0;
      },
      xOpen(vtab, ppCursor) {
        cursors.set(sqlite3.vtab.xCursor.create(ppCursor).pointer, { start: 0 });
        return 0;
      },
      xClose(pointer) {
        cursors.delete(pointer);
        sqlite3.vtab.xCursor.dispose(pointer);
        return 0;
      },
      xFilter: (pointer) => enter(cursors.get(pointer), 0),
      xNext(pointer) {
        const cursor = cursors.get(pointer);
        cursor.row += 1;
        return cursor.row < cursor.rows ? 0 : enter(cursor, cursor.group + 1);
      },
      xEof: (pointer) => (cursors.get(pointer).group === groups.length ? 1 : 0),
      xColumn(pointer, context, column) {
        const cursor = cursors.get(pointer), array = cursor.arrays[column];
        if (!array) {
          table.missedColumns.add(column);
          exported.sqlite3_result_error_code(context, capi.SQLITE_INTERRUPT);
          return capi.SQLITE_INTERRUPT;
        }
        const value = array[cursor.row];
        if (value !== value || value === NULL_INTEGER) exported.sqlite3_result_null(context);
        else if (isText[column]) {
          exported.sqlite3_result_text(context, texts.pointers[value], texts.lengths[value], capi.SQLITE_STATIC);
        } else if (isReal[column]) exported.sqlite3_result_double(context, value);
        else if (value === (value | 0)) exported.sqlite3_result_int(context, value);
        else exported.sqlite3_result_int64(context, BigInt(value));
        return 0;
      },
      xRowid(pointer, ppRowid) {
        const { group, row } = cursors.get(pointer);
        const before = groups.slice(0, group).reduce((sum, { rows }) => sum + rows, 0);
        sqlite3.vtab.xRowid(ppRowid, BigInt(before + row));
        return 0;
      },
    },
  });
};

const open = async (files) => {
  sqlite3 = await initSqlite();
  ({ capi, wasm } = sqlite3);
  exported = wasm.exports;
  sqlite3.vtab.xError.errorReporter = null;
  texts = new Texts();
  tables = new Map();
  let unsent = 0, sent = 0;
  const onFetch = (bytes) => {
    unsent += bytes;
    if (performance.now() - sent < PROGRESS_MS) return;
    sent = performance.now();
    postMessage({ kind: "progress", bytes: unsent });
    unsent = 0;
  };
  const all = files.map((file) => new ParquetTable(file, texts, onFetch));
  await Promise.all(all.map((table) => table.open()));
  for (const table of all) {
    table.read = new Set();
    table.module = makeModule(table);
    table.isCopied = table.rows <= COPIED_ROWS && table.name !== files[0].name;
    tables.set(table.name, table);
  }
};

const connect = () => {
  const db = new sqlite3.oo1.DB(":memory:");
  for (const [name, table] of tables) {
    capi.sqlite3_create_module(db, table.isCopied ? `${name}_file` : name, table.module, 0);
    if (table.isCopied) {
      const columns = table.columns.map((column) => `${quoted(column.name)} ${column.type}`);
      db.exec(`CREATE TABLE ${quoted(name)} (${columns.join(", ")})`);
    }
  }
  return db;
};

// Check that a query only reads, and note in each table which columns, as far as SQLite tells: of
// those that only join tables it does not. Raises QueryError.
const checkQuery = (db, sql) => {
  const allowed = [capi.SQLITE_SELECT, capi.SQLITE_READ, capi.SQLITE_FUNCTION, capi.SQLITE_RECURSIVE];
  let isRefused = false;
  for (const table of tables.values()) table.read = new Set(table.isCopied ? table.columns.keys() : []);
  capi.sqlite3_set_authorizer(db, (unused, action, name, column) => {
    if (!allowed.includes(action)) {
      isRefused = true;
      return capi.SQLITE_DENY;
    }
    const table = action === capi.SQLITE_READ ? tables.get(name) : undefined;
    const number = table?.columns.findIndex((each) => each.name === column) ?? -1;
    if (number >= 0) table.read.add(number);
    return capi.SQLITE_OK;
  }, 0);
  try {
    prepare(db, sql, () => isRefused).finalize();
  } finally {
    capi.sqlite3_set_authorizer(db, 0, 0);
  }
};

const isBlank = (sql) => !sql.replace(/--.*|\/\*[^]*?\*\//g, "").replaceAll(";", "").trim();

// Return the statement of a query. Raises QueryError with the place of what is wrong.
const prepare = (db, sql, isRefused = () => false) => {
  if (isBlank(sql)) throw new QueryError("Enter a query, or choose an example.");
  const bytes = new TextEncoder().encode(sql);
  const scope = wasm.scopedAllocPush();
  try {
    const start = wasm.scopedAlloc(bytes.length + 1);
    wasm.heap8u().set(bytes, start);
    wasm.heap8u()[start + bytes.length] = 0;
    const [ppStatement, pzTail] = [wasm.scopedAllocPtr(), wasm.scopedAllocPtr()];
    const code = capi.sqlite3_prepare_v3(db, start, bytes.length + 1, 0, ppStatement, pzTail);
    if (isRefused()) throw new QueryError("Only queries run here: begin with SELECT or WITH.");
    if (code) throw new QueryError(capi.sqlite3_errmsg(db), characters(bytes, capi.sqlite3_error_offset(db)));
    const end = wasm.peekPtr(pzTail) - start;
    if (!isBlank(new TextDecoder().decode(bytes.subarray(end)))) {
      exported.sqlite3_finalize(wasm.peekPtr(ppStatement));
      throw new QueryError("Enter one query at a time.", characters(bytes, end));
    }
    const pointer = wasm.peekPtr(ppStatement);
    return { pointer, finalize: () => exported.sqlite3_finalize(pointer) };
  } finally {
    wasm.scopedAllocPop(scope);
  }
};

const characters = (bytes, offset) =>
  (offset < 0 ? -1 : new TextDecoder().decode(bytes.subarray(0, offset)).length);

const readValue = (statement, column) => {
  switch (exported.sqlite3_column_type(statement, column)) {
    case capi.SQLITE_NULL: return null;
    case capi.SQLITE_FLOAT: return exported.sqlite3_column_double(statement, column);
    case capi.SQLITE_INTEGER: {
      const value = exported.sqlite3_column_int64(statement, column);
      return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    }
    default: return capi.sqlite3_column_text(statement, column);
  }
};

// A text that a spreadsheet would take for a formula begins with an apostrophe there.
const csvCell = (value) => {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

// Return the result of a statement: the first rows, the number of all, and all as CSV; null if it
// came to rows that have to be fetched first.
const step = (db, statement) => {
  const count = capi.sqlite3_column_count(statement);
  const columns = Array.from({ length: count }, (unused, column) => capi.sqlite3_column_name(statement, column));
  const rows = [], parts = [];
  let piece = `${columns.map(csvCell).join(",")}\r\n`, total = 0, code;
  while ((code = exported.sqlite3_step(statement)) === capi.SQLITE_ROW) {
    const row = Array.from({ length: count }, (unused, column) => readValue(statement, column));
    if (total < SHOWN_ROWS) rows.push(row);
    total += 1;
    if (total > MOST_ROWS) {
      throw new QueryError(`The result has more than ${MOST_ROWS.toLocaleString("en-US")} rows. Add WHERE or LIMIT, or download the file.`);
    }
    piece += `${row.map(csvCell).join(",")}\r\n`;
    if (piece.length > CSV_PIECE) {
      parts.push(new Blob([piece]));
      piece = "";
    }
  }
  if ([...tables.values()].some(isIncomplete)) return null;
  if (code !== capi.SQLITE_DONE) throw new QueryError(capi.sqlite3_errmsg(db));
  return { columns, rows, total, csv: new Blob([...parts, piece], { type: "text/csv" }) };
};

const isIncomplete = (table) => table.missesRows || table.missedColumns.size > 0;

// Fetch what the last attempt missed of a table: at first its first rows, then all of them.
const complete = async (table) => {
  for (const column of table.missedColumns) table.read.add(column);
  const groups = [...table.groups.keys()];
  for (const group of table.missesRows ? groups : groups.slice(0, 1)) await table.load([...table.read], group);
};

const run = async (sql) => {
  const db = connect();
  try {
    checkQuery(db, sql);
    for (const [name, table] of tables) {
      table.missedColumns = new Set();
      table.missesRows = table.isCopied;
      if (table.isCopied && !sql.toLowerCase().includes(name)) continue;
      await complete(table);
      if (table.isCopied) db.exec(`INSERT INTO ${quoted(name)} SELECT * FROM ${quoted(`${name}_file`)}`);
    }
    for (;;) {
      for (const table of tables.values()) Object.assign(table, { missesRows: false, missedColumns: new Set() });
      const statement = prepare(db, sql);
      try {
        const result = step(db, statement.pointer);
        const counts = [...tables.values()].map((table) => (table.isCopied ? 0 : table.read.size));
        if (result) return { ...result, read: counts.reduce((sum, each) => sum + each, 0) };
      } finally {
        statement.finalize();
      }
      for (const table of tables.values()) if (isIncomplete(table)) await complete(table);
    }
  } finally {
    db.close();
  }
};

const fetchedBytes = () => [...(tables?.values() ?? [])].reduce((sum, table) => sum + table.fetchedBytes, 0);

let opening;
addEventListener("message", async ({ data }) => {
  const started = performance.now(), before = fetchedBytes();
  try {
    await (opening ??= open(data.tables));
    const result = await run(data.sql);
    const seconds = (performance.now() - started) / 1000;
    postMessage({ kind: "result", ...result, seconds, bytes: fetchedBytes() - before });
  } catch (error) {
    if (!tables?.size) opening = undefined; // to be opened by the next query
    const isKnown = error instanceof QueryError || error instanceof FetchError;
    const message = isKnown ? error.message : `The query stopped: ${error.message}. Ask for fewer rows or columns.`;
    postMessage({ kind: "problem", message, at: error.at ?? -1 });
  }
});
