// The page for own SQL: hands queries to a worker and shows what comes back. The query is kept in the
// fragment of the address, which browsers do not send. One that came with an address waits for a
// click: it was written by someone else, and fetches and computes at the reader's cost.
import { drawChart } from "./sql-chart.js";

const byId = (id) => document.getElementById(id);
const root = byId("sql"), text = byId("sql-text"), status = byId("sql-status");
const progress = byId("sql-progress"), problem = byId("sql-problem"), answer = byId("sql-result");
const runButton = byId("sql-run"), stopButton = byId("sql-stop");
const tables = JSON.parse(byId("sql-tables").textContent);
const examples = [...root.querySelectorAll("[data-sql]")];

let worker = null, isRunning = false, fetched = 0, saved = "";

const element = (name, attributes = {}, ...children) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const size = (bytes) => (bytes < 1e5 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
const counted = (number, noun) => `${number.toLocaleString("en-US")} ${noun}${number === 1 ? "" : "s"}`;

// Return a function that writes the values of each column. Codes and years have no separators, and
// amounts do.
const makeFormat = (columns, rows) => {
  const isLarge = columns.map((unused, column) =>
    rows.some((row) => typeof row[column] === "number" && Math.abs(row[column]) >= 10_000));
  return (value, column) => {
    if (typeof value !== "number") return value ?? "";
    return isLarge[column] ? value.toLocaleString("en-US", { maximumFractionDigits: 4 })
      : String(Number(value.toPrecision(12)));
  };
};

const end = (message) => {
  isRunning = false;
  progress.hidden = true;
  status.textContent = message;
  if (document.activeElement === stopButton) runButton.focus();
  stopButton.hidden = true;
};

const startWorker = () => {
  worker = new Worker(root.dataset.worker, { type: "module" });
  worker.addEventListener("message", ({ data }) => receive[data.kind](data));
  worker.addEventListener("error", (event) => {
    event.preventDefault();
    stopWorker();
    showProblem({ message: "The query could not be started. Use a current browser, and reload the page.", at: -1 });
  });
};

const stopWorker = () => {
  worker?.terminate();
  worker = null;
};

const clear = () => {
  problem.replaceChildren();
  answer.replaceChildren();
  text.removeAttribute("aria-invalid");
  if (saved) URL.revokeObjectURL(saved);
  saved = "";
};

const run = () => {
  if (isRunning) return;
  clear();
  isRunning = true;
  fetched = 0;
  status.textContent = "The query runs.";
  progress.textContent = "";
  progress.hidden = false;
  stopButton.hidden = false;
  history.replaceState(null, "", address());
  if (!worker) startWorker();
  worker.postMessage({ sql: text.value, tables });
};

const stop = () => {
  if (!isRunning) return;
  stopWorker();
  end("Stopped.");
};

// The address with the chosen version and state, and the query.
const address = () => {
  const chosen = new URLSearchParams(new FormData(byId("sql-data")));
  return `${location.pathname}?${chosen}#q=${encodeURIComponent(text.value)}`;
};

const showProblem = ({ message, at }) => {
  end("The query has no result.");
  const before = text.value.slice(0, at).split("\n");
  const place = at < 0 ? "" : `Line ${before.length}, column ${before.at(-1).length + 1}: `;
  const body = element("div", { class: "usa-alert__body" }, element("p", { class: "usa-alert__text" }, place + message));
  if (at >= 0) {
    const line = text.value.split("\n")[before.length - 1], start = before.at(-1).length;
    const word = line.slice(start).match(/^(\w+|.)?/)[0];
    body.append(element("pre", {}, line.slice(0, start), element("mark", {}, word), line.slice(start + word.length)));
  }
  problem.replaceChildren(element("div", { class: "usa-alert usa-alert--error" }, body));
  text.setAttribute("aria-invalid", "true");
};

const showResult = ({ columns, rows, total, csv, seconds, bytes, read }) => {
  end(`${counted(total, "row")} in ${seconds.toFixed(1)} seconds. ${counted(read, "column")} read, ${bytes ? size(bytes) : "nothing"} fetched.`);
  saved = URL.createObjectURL(csv);
  const link = element("a", { href: address() }, "Link to this query");
  const file = element("a", { href: saved, download: root.dataset.saved }, `Download ${counted(total, "row")} as CSV`);
  const shown = makeFormat(columns, rows);
  const chart = drawChart({ columns, rows, total, width: answer.clientWidth, shown });
  const isNumber = columns.map((unused, column) => rows.some((row) => row[column] !== null)
    && rows.every((row) => row[column] === null || typeof row[column] === "number"));
  const kind = (column) => (isNumber[column] ? { class: "site-number" } : {});
  const head = columns.map((name, column) => element("th", { scope: "col", ...kind(column) }, name));
  const body = rows.map((row) => element("tr", {}, ...row.map((value, column) => element("td", kind(column), shown(value, column)))));
  const caption = total > rows.length
    ? `The first ${counted(rows.length, "row")} of ${total.toLocaleString("en-US")}` : counted(total, "row");
  const table = element("table", { class: "usa-table site-table site-table--wide site-sql__rows" },
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body));
  const frame = element("div", {
    class: "usa-table-container--scrollable", tabindex: "0", role: "region", "aria-label": "Rows of the result",
  }, table);
  answer.replaceChildren(element("p", { class: "site-sql__links" }, file, " ", link), ...(chart ? [chart] : []), frame);
};

const receive = {
  progress: ({ bytes }) => {
    fetched += bytes;
    progress.textContent = `${size(fetched)} fetched so far`;
  },
  result: showResult,
  problem: showProblem,
};

const readAddress = () => {
  const query = new URLSearchParams(location.hash.slice(1)).get("q");
  if (query !== null && query !== text.value) {
    text.value = query;
    status.textContent = "This query came with the address. Read it, then run it.";
  }
};

root.hidden = false;
byId("sql-without").remove();
runButton.addEventListener("click", run);
stopButton.addEventListener("click", stop);
text.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  run();
});
for (const example of examples) {
  example.addEventListener("click", () => {
    text.value = example.dataset.sql;
    text.focus();
    text.setSelectionRange(0, 0);
    text.scrollTop = 0;
  });
}
byId("sql-data").addEventListener("submit", (event) => {
  event.preventDefault();
  location.assign(address());
});
addEventListener("hashchange", readAddress);
text.value = examples[0].dataset.sql;
readAddress();
