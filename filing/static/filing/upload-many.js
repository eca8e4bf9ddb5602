// Shows what happens with each chosen file before it is sent, and sends the files one after the other
// in parts. Without this script, the browser submits the form as usual.
"use strict";

const form = byId("upload-many"), chooser = byId("file"), folder = byId("folder");
const news = byId("files-news"), files = byId("files");
const send = byId("send"), cancel = byId("cancel");
const { limitText, plan: planAddress, signIn } = form.dataset;
const rules = { limitText, limit: Number(form.dataset.limit), refusals: JSON.parse(form.dataset.refusals) };
const MOST = Number(form.dataset.most), LONGEST = Number(form.dataset.longest);

let rows = []; // of the chosen files
let results = ""; // the address of the page with the results
let round = 0, isSending = false;

const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;

// The table of the chosen files.

const cell = (label, ...content) => {
  const made = element("td", "", ...content);
  made.dataset.label = label;
  return made;
};

const tag = (kind, text) => element("span", `site-tag site-tag--${kind}`, text);

const show = (row, kind, word, text = "") => row.state.replaceChildren(tag(kind, word), text ? ` ${text}` : "");

const makeRow = (file) => {
  const row = { file, filing: cell("Filing", "…"), state: cell("What happens", "…"), refusal: "" };
  const name = element("th", "", element("span", "site-id", file.webkitRelativePath || file.name));
  name.scope = "row";
  name.dataset.label = "File";
  row.line = element("tr", "", name, row.filing, row.state);
  return row;
};

const draw = () => {
  const heads = ["File", "Filing", "What happens"].map((text) => {
    const head = element("th", "", text);
    head.scope = "col";
    return head;
  });
  const caption = element("caption", "usa-sr-only", "The chosen files");
  const head = element("thead", "", element("tr", "", ...heads));
  const table = element("table", "usa-table site-table usa-table--stacked", caption, head);
  table.append(element("tbody", "", ...rows.map(({ line }) => line)));
  files.replaceChildren(table);
};

const refuse = (row, text) => {
  row.refusal = text;
  show(row, "bad", "Not uploaded", text);
};

// The plan.

// Return the first line of a file, as far as the service reads it.
const readLine = async (file) => {
  const bytes = await file.slice(0, LONGEST).arrayBuffer();
  return new TextDecoder().decode(bytes).split(/[\r\n]/, 1)[0];
};

// Return why a file is refused by its name, its size or its content; blank if it is not.
const faultOf = async (file) => {
  const checks = await fileChecks(file, rules);
  const wrong = checks.find(({ name, isRefused }) => isRefused && ["Name", "Size", "File", "Encoding"].includes(name));
  return wrong ? wrong.fault : "";
};

const hasSame = async (file, { sha256 }) => (await import(form.dataset.same)).hasHash(file, sha256);

const apply = async (row, planned, thisRound) => {
  row.plan = planned;
  row.filing.replaceChildren(planned.filing || "unknown");
  if (planned.refusal) return refuse(row, planned.refusal);
  show(row, "info", "Ready", planned.what);
  for (const same of planned.same) {
    if (await hasSame(row.file, same)) {
      if (thisRound === round) refuse(row, same.refusal);
      return;
    }
  }
};

const tellOfAnswer = async (answer) => {
  if (answer.status === 401) return showProblem("You are signed out. Sign in again to return to this page.", signIn, "Sign in");
  if (answer.status === 403) return showProblem("This page is out of date. Nothing was uploaded.", location.pathname, "Load it again and choose the files");
  const body = await answer.json().catch(() => ({}));
  showProblem(body.message || `The service answered ${answer.status}. Nothing was uploaded.`);
};

const look = async () => {
  const thisRound = ++round;
  clearProblem();
  const chosen = [...chooser.files, ...folder.files];
  rows = chosen.length > MOST ? [] : chosen.map(makeRow);
  news.textContent = "";
  send.disabled = true;
  if (chosen.length > MOST) showProblem(`You chose ${chosen.length} files. Choose up to ${MOST} at once; send the others afterward.`);
  if (!rows.length) return files.replaceChildren();
  draw();
  news.textContent = `Checking ${count(rows.length, "file")}.`;
  const readable = [];
  for (const row of rows) {
    const fault = await faultOf(row.file);
    if (thisRound !== round) return;
    if (fault) {
      refuse(row, fault);
      row.filing.replaceChildren("unknown");
    } else readable.push(row);
  }
  if (readable.length && !(await plan(readable, thisRound))) return;
  if (thisRound !== round) return;
  const ready = rows.filter(({ refusal }) => !refusal).length;
  send.disabled = !ready;
  send.textContent = ready ? `Upload ${count(ready, "file")}` : "Upload the files";
  news.textContent = `${count(ready, "file")} can be uploaded${ready < rows.length ? `, ${rows.length - ready} cannot` : ""}.`;
};

// Ask the service what happens with each file; return whether it said so.
const plan = async (readable, thisRound) => {
  const body = { files: await Promise.all(readable.map(async ({ file }) => ({ name: file.name, size: file.size, line: await readLine(file) }))) };
  let answer;
  try {
    answer = await fetch(planAddress, { method: "POST", headers: { "Content-Type": "application/json", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value }, body: JSON.stringify(body) });
  } catch {
    if (thisRound === round) showProblem("There is no connection to the service. Choose the files again.");
    return false;
  }
  if (thisRound !== round) return false;
  if (!answer.ok) {
    await tellOfAnswer(answer);
    return false;
  }
  const planned = await answer.json();
  if (thisRound !== round) return false;
  results = planned.results;
  for (const [index, row] of readable.entries()) {
    await apply(row, planned.files[index], thisRound);
    if (thisRound !== round) return false;
  }
  return true;
};

chooser.addEventListener("change", look);
folder.addEventListener("change", look);
for (const text of document.querySelectorAll("[data-without-script]")) text.hidden = true;

// The upload.

const waits = (row, error) => {
  if (!isWaitedFor(error)) return false;
  show(row, "warn", "Waiting", "The upload continues automatically.");
  return true;
};

const messageOf = (error) => {
  const status = statusOf(error);
  if (!status) return "The connection was lost. Choose the file again.";
  if (status === 401) return "You are signed out. Sign in again.";
  return sentenceOf(error) || `The service answered ${status}. Choose the file again.`;
};

// Send one file; resolve when it is received or refused.
const sendOne = (row) => new Promise((done) => {
  const { file, plan: planned } = row;
  const bar = element("progress", "");
  bar.max = 100;
  bar.value = 0;
  bar.setAttribute("aria-label", `Upload of ${file.name}`);
  const upload = makeUpload(form, file, {
    endpoint: planned.uploads,
    fingerprint: async () => [planned.fingerprint, file.name, file.size, file.lastModified].join("-"),
    onShouldRetry: (error) => waits(row, error),
    onProgress: (loaded, total) => {
      bar.value = total ? Math.floor((100 * loaded) / total) : 100;
      if (!bar.isConnected) row.state.replaceChildren(bar);
    },
    onSuccess: () => {
      const link = element("a", "", "Open the submission");
      link.href = upload.url.split("uploads/")[0];
      row.state.replaceChildren(tag("good", "Uploaded"), " ", link);
      done();
    },
    onError: (error) => {
      refuse(row, messageOf(error));
      done();
    },
  });
  row.stop = () => {
    upload.abort(true).catch(() => {}); // it ends after a day, if the service cannot be told
    refuse(row, "Stopped. Nothing was filed.");
    done();
  };
  row.state.replaceChildren(bar);
  upload.start();
});

const showBusy = (isBusy) => {
  isSending = isBusy;
  send.disabled = chooser.disabled = folder.disabled = isBusy;
  cancel.hidden = !isBusy;
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (isSending) return;
  if (!rows.length) return showProblem("Choose at least one file.");
  if (!(await loadLibrary(form.dataset.library))) return showProblem("There is no connection to the service. Nothing was uploaded.");
  if (!tus.isSupported) return form.submit();
  const ready = rows.filter(({ refusal }) => !refusal);
  if (!ready.length) return;
  showBusy(true);
  let done = 0;
  for (const row of ready) {
    if (!isSending) break;
    news.textContent = `Uploading file ${++done} of ${ready.length}.`;
    await sendOne(row);
  }
  const wasStopped = !isSending;
  showBusy(false);
  const refused = ready.filter(({ refusal }) => refusal).length;
  if (!refused && !wasStopped) return location.assign(results);
  send.disabled = true;
  const link = element("a", "", "See the results");
  link.href = results;
  news.replaceChildren(`${count(ready.length - refused, "file")} uploaded, ${refused} not. `, link);
});

cancel.addEventListener("click", () => {
  isSending = false;
  for (const row of rows) {
    if (row.plan && !row.refusal && !row.stop) refuse(row, "Stopped. Nothing was filed.");
  }
  rows.findLast(({ stop, refusal }) => stop && !refusal)?.stop();
  send.focus();
});

addEventListener("beforeunload", (event) => {
  if (isSending) event.preventDefault();
});
