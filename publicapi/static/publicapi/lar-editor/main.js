// The row editor: opens and saves LAR files in the browser, record by record. Files are never sent
// to the service, but for checks, which it answers and forgets.
import { announce, byId, clearNotice, confirmed, counted, element, notify } from "./dom.js";
import { Draft } from "./draft.js";
import { Editor } from "./editor.js";
import { LOCKED } from "./inputs.js";
import { QUARTER, YEAR, fileName, lineOf } from "./lines.js";
import { RecordTable } from "./record-table.js";
import { Register } from "./register.js";
import { Review } from "./review.js";
import { Service, ofFile } from "./service.js";

const WITHOUT = { sheet: "Add the transmittal sheet first: a file cannot be saved without it.", loans: "Add a loan first: a file cannot be saved without one." };

// Start the editor of the page. given: the text of a file, and findings in it.
export const start = (given = null) => {
  const { dataset } = byId("lar-editor");
  const register = new Register(Number(dataset.mostLoans));
  const service = new Service(JSON.parse(dataset.addresses));
  const year = byId("editor-year"), quarter = byId("editor-quarter");
  const period = () => ({ year: year.value, quarter: quarter.value });
  const tables = {};

  const editor = new Editor(register, {
    states: dataset.states.split(" "),
    findingsOf: async (kind, record) => {
      const { [kind]: fields } = await service.fields(year.value);
      const findings = await service.findings(kind, lineOf(record.values), period(), fields);
      // The number of entries is counted here, and is 0 until there is a loan.
      return findings.filter(({ fields: [name] }) => name !== LOCKED[1]);
    },
    shown: (kind, place) => {
      tables[kind].reveal(kind === "ts" ? 0 : place);
      if (kind !== "ts") return;
      const before = year.value;
      takePeriod();
      if (year.value !== before) showYear();
    },
  });
  const openAt = (kind) => (place, name) => (place === null ? editor.form.focus(name) : editor.leave(() => editor.open(kind, kind === "ts" ? null : place, name)));
  tables.ts = new RecordTable("ts", { title: "Transmittal Sheet", one: "transmittal sheet", rows: () => (register.sheet ? [register.sheet] : []), open: openAt("ts") });
  tables.lar = new RecordTable("lar", { title: "Loan Application Register", one: "loan", rows: () => register.loans, open: openAt("lar") });

  const review = new Review(register, (kind, values) => {
    if (kind === "ts" && register.sheet) return "There is a transmittal sheet already. Delete it first.";
    if (kind === "lar" && register.isFull) return `The editor holds at most ${counted(register.mostLoans, "loan")}.`;
    register.save(kind, null, values);
    return "";
  });

  const showYear = async () => {
    try {
      const fields = await service.fields(year.value);
      editor.setFields(fields);
      for (const kind of ["ts", "lar"]) tables[kind].show(fields[kind]);
    } catch (error) {
      notify(`The fields of ${year.value} could not be loaded. ${error.message}`);
    }
  };

  // Take the period of the transmittal sheet, if the page has it.
  const takePeriod = () => {
    const values = register.sheet?.values ?? [];
    if ([...year.options].some(({ value }) => value === values[YEAR])) year.value = values[YEAR];
    quarter.value = ["1", "2", "3"].includes(values[QUARTER]) ? `Q${values[QUARTER]}` : "";
  };

  const showFaults = (faults) => {
    byId("editor-faults").hidden = !faults.length;
    byId("editor-faults-list").replaceChildren(...faults.map((fault) => element("li", {}, fault)));
  };

  const open = async (text, name) => {
    clearNotice();
    const faults = register.open(text);
    if (!faults) return notify(`${name} has more than ${counted(register.mostLoans, "loan")}, the most the editor holds. For more, use a spreadsheet.`);
    showFaults(faults);
    for (const table of Object.values(tables)) table.clear();
    takePeriod();
    editor.begin(); // before the fields of another year arrive: a record may be opened meanwhile
    await showYear();
    announce(`${name}: ${counted(register.loans.length, "loan")}, ${register.sheet ? "with" : "without"} transmittal sheet, ${counted(register.review.length, "line")} to review.`);
  };

  const attach = (findings) => {
    const records = [...(register.sheet ? [register.sheet] : []), ...register.loans];
    const byLine = grouped(findings);
    records.forEach((record, place) => { record.findings = byLine.get(place + 1) ?? []; });
    register.dispatchEvent(new Event("change"));
    editor.showFindings();
    const general = findings.filter(({ line }) => !line || line > records.length);
    byId("editor-file-findings").hidden = !general.length;
    byId("editor-file-findings-list").replaceChildren(...general.map(({ code, message }) => element("li", {}, code ? `${code}: ${message}` : message)));
  };

  const checkAll = async (event) => {
    if (register.isEmpty) return notify(WITHOUT.sheet);
    const button = event.currentTarget;
    button.disabled = true;
    announce("Checking all records.");
    try {
      const { total, first } = await service.findingsOfFile(register.text(), period());
      attach(first);
      const most = total > first.length ? ` The first ${first.length} are shown.` : "";
      notify(total ? `${counted(total, "finding")} in the file.${most} They are listed at their rows.` : "No findings in the file.", total ? "warning" : "success");
    } catch (error) {
      notify(error.message);
    }
    button.disabled = false;
  };

  const download = () => {
    if (!register.sheet) return notify(WITHOUT.sheet);
    if (!register.loans.length) return notify(WITHOUT.loans);
    clearNotice();
    const address = URL.createObjectURL(new Blob([register.text()], { type: "text/plain;charset=UTF-8" }));
    element("a", { href: address, download: fileName(register.sheet.values) }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60_000);
    register.saved();
    announce(`${fileName(register.sheet.values)} was downloaded.`);
  };

  const chosen = async ({ target }) => {
    const [file] = target.files;
    if (!file) return;
    const isTaken = register.isEmpty || await confirmed(`${file.name} replaces the records in the editor. Continue?`, "Replace");
    if (isTaken) {
      const bytes = await file.arrayBuffer();
      try {
        await open(new TextDecoder("utf-8", { fatal: true }).decode(bytes), file.name);
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
        notify(`${file.name} is not UTF-8 text. Save it as UTF-8 text with pipes, or use the spreadsheet page.`);
      }
    }
    target.value = "";
  };

  byId("editor-file").addEventListener("change", chosen);
  byId("editor-download").addEventListener("click", download);
  byId("editor-check").addEventListener("click", checkAll);
  byId("editor-reset").addEventListener("click", async () => {
    if (!register.isEmpty && !(await confirmed("Remove all records from the editor?", "Remove all"))) return;
    register.reset();
    showFaults([]);
    attach([]);
    editor.begin(true);
    announce("The editor is empty.");
  });
  year.addEventListener("change", showYear);

  const draft = new Draft(register, (text) => open(text, "The draft"));
  register.addEventListener("change", () => {
    for (const table of Object.values(tables)) table.show();
    review.show();
    editor.show();
    draft.keep();
    byId("editor-unsaved").hidden = !register.isUnsaved;
  });
  addEventListener("beforeunload", (event) => {
    if (register.isUnsaved || editor.isChanged) event.preventDefault();
  });

  byId("editor-work").hidden = false;
  byId("editor-without").hidden = true;
  if (!given) return showYear();
  return open(given.text, "The file").then(() => {
    register.isUnsaved = true;
    attach(given.findings.map(ofFile));
    editor.openNextFinding();
  });
};

const grouped = (findings) => {
  const groups = new Map();
  for (const finding of findings) groups.set(finding.line, [...(groups.get(finding.line) ?? []), finding]);
  return groups;
};
