// Checks the chosen file before it is sent, shows the progress of the upload, and says what to do
// when the upload stops. Without this script, the browser submits the form as usual.
"use strict";

const byId = (id) => document.getElementById(id);
const form = byId("upload"), file = byId("file"), problem = byId("problem");
const news = byId("file-news"), list = byId("file-checks");
const send = byId("send"), cancel = byId("cancel");
const bar = byId("sent"), sentText = byId("sent-text"), sentNews = byId("sent-news");
const { lei, year, quarter, limitText, submission, signIn } = form.dataset;
const filing = { lei, year, quarter, limitText, limit: Number(form.dataset.limit), refusals: JSON.parse(form.dataset.refusals) };

const ANNOUNCED_PERCENT = 10, ANNOUNCED_MILLISECONDS = 5000;
const AGAIN = "Nothing was filed. Upload the file again.";
const SESSION = "Your session has ended. Sign in again to return to this page.";
const TAKEN = "This submission already has a file. Someone else may have uploaded it.";

const element = (name, className, ...content) => {
  const made = document.createElement(name);
  made.className = className;
  made.append(...content);
  return made;
};

const { title } = document;

const show = (alert) => {
  alert.role = "alert";
  alert.tabIndex = -1;
  problem.replaceChildren(alert);
  document.title = `Error: ${title.replace("Error: ", "")}`;
  file.setAttribute("aria-invalid", "true");
  alert.focus();
};

const forget = () => {
  problem.replaceChildren();
  document.title = title.replace("Error: ", "");
  file.removeAttribute("aria-invalid");
};

// Show what went wrong, and where to go on.
const tell = (text, address = "", label = "") => {
  const link = element("a", "usa-link", label);
  link.href = address;
  const words = element("p", "usa-alert__text", text, ...(address ? [" ", link] : []));
  const heading = element("h2", "usa-alert__heading", "There is a problem");
  show(element("div", "usa-alert usa-alert--error site-errors", element("div", "usa-alert__body", heading, words)));
};
const tellOfSession = () => tell(SESSION, signIn, "Sign in");
const tellOfOther = () => tell(TAKEN, submission, "Open the submission");

// The chosen file.

const shown = ({ name, value, fault, isRefused }) => {
  const state = fault ? (isRefused ? "Error" : "Warning") : "OK";
  const words = [element("strong", "", `${name}: `), element("span", "site-id", value), " ", element("span", "site-checks__state", state)];
  if (fault) words.push(element("span", "site-checks__fault", fault));
  return element("li", `site-checks__${state.toLowerCase()}`, ...words);
};

const summary = (checks) => {
  if (checks.some(({ isRefused }) => isRefused)) return "This file cannot be uploaded. Choose another file.";
  if (checks.some(({ fault }) => fault)) return "The file does not fit this filing. If you upload it, checking will report errors.";
  return "The transmittal sheet fits this filing.";
};

let round = 0; // increases with each chosen file; results of earlier ones are dropped

// Check the chosen file and show the result; return whether it can be sent.
const look = async () => {
  const chosen = file.files[0], thisRound = ++round;
  const checks = chosen ? await fileChecks(chosen, filing) : [];
  if (thisRound !== round) return false;
  const isRefused = checks.some((check) => check.isRefused);
  list.hidden = !checks.length;
  list.replaceChildren(...checks.map(shown));
  news.textContent = checks.length ? summary(checks) : "";
  send.disabled = isRefused;
  return Boolean(chosen) && !isRefused;
};

file.addEventListener("change", () => {
  forget();
  send.textContent = "Upload";
  look();
});

byId("drop-hint").hidden = false;
addEventListener("dragover", (event) => {
  if (!event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  byId("drop").classList.add("site-drop--over");
});
addEventListener("dragleave", ({ relatedTarget }) => {
  if (!relatedTarget) byId("drop").classList.remove("site-drop--over");
});
addEventListener("drop", (event) => {
  byId("drop").classList.remove("site-drop--over");
  const { files } = event.dataTransfer ?? {};
  if (!files?.length) return;
  event.preventDefault();
  if (request) return;
  if (files.length > 1) return tell(`You dropped ${files.length} files. Upload one file for each submission.`);
  file.files = files;
  file.dispatchEvent(new Event("change"));
});

// The upload.

let request = null; // set during an upload
let arrived = 0, announced = { percent: 0, at: 0 };

const announce = (text) => { sentNews.textContent = text; };

const showBusy = (isBusy) => {
  send.disabled = isBusy;
  cancel.hidden = bar.hidden = !isBusy;
  file.disabled = isBusy;
  if (!isBusy) [sentText.textContent, request] = ["", null];
};

const showSent = ({ loaded, total, lengthComputable }) => {
  if (!lengthComputable) return;
  arrived = loaded;
  const percent = Math.floor((100 * loaded) / total);
  const text = loaded < total
    ? `${percent}%, ${fileSize(loaded)} of ${fileSize(total)} sent`
    : "The whole file was sent. Waiting for the service to confirm it.";
  bar.value = percent;
  sentText.textContent = text;
  const isDue = percent >= announced.percent + ANNOUNCED_PERCENT && Date.now() >= announced.at + ANNOUNCED_MILLISECONDS;
  if (!isDue && loaded < total) return;
  announced = { percent, at: Date.now() };
  announce(text);
};

// End the upload and show what went wrong.
const stop = (explain, ...words) => {
  showBusy(false);
  send.textContent = "Upload again";
  announce("");
  explain(...words);
};

// Return the state of the session and the submission: "ready", "signed out", "taken", "refused" or
// "away" (no connection).
const ask = async () => {
  try {
    const answer = await fetch(location.href, { method: "HEAD", redirect: "manual", cache: "no-store", headers: { "HX-Request": "true" } });
    if (answer.headers.has("HX-Redirect")) return "signed out";
    if (answer.status === 409) return "taken";
    return answer.status === 403 ? "refused" : "ready";
  } catch {
    return "away";
  }
};

const tellOfState = {
  "signed out": tellOfSession,
  taken: tellOfOther,
  refused: () => tell("You can no longer file for this institution.", "/filing/", "Your institutions"),
};

const afterLoss = async (total) => {
  const state = await ask();
  if (state === "taken" && arrived >= total) return location.assign(submission); // only the response was lost
  if (tellOfState[state]) return stop(tellOfState[state]);
  if (arrived >= total) return stop(tell, "The connection was lost after the whole file was sent.", submission, "Check whether it arrived");
  stop(tell, `The connection was lost after ${fileSize(arrived)} of ${fileSize(total)}. ${AGAIN}`);
};

const seconds = (answer) => {
  const wait = Number(answer.getResponseHeader("Retry-After"));
  return wait > 0 ? `in ${wait} second${wait === 1 ? "" : "s"}` : "in a few minutes";
};

// Handle the response of the service.
const conclude = (answer) => {
  const { pathname } = new URL(answer.responseURL);
  if (answer.status < 300 && pathname === submission) return location.assign(submission);
  if (pathname !== location.pathname) return stop(tellOfSession);
  if (answer.status === 409) return stop(tellOfOther);
  if (answer.status === 413) return stop(tell, `The file is larger than ${limitText}, the most accepted. Nothing was filed.`);
  if (answer.status === 429) return stop(tell, `There were too many requests. Nothing was filed. Upload the file again ${seconds(answer)}.`);
  if (answer.status === 503) return stop(tell, `The service cannot accept files now. Nothing was filed. Upload the file again ${seconds(answer)}.`);
  if (answer.status === 403) return stop(tell, "This page is out of date. Nothing was filed.", location.pathname, "Load it again and choose the file");
  const refusal = new DOMParser().parseFromString(answer.responseText, "text/html").querySelector("#problem .usa-alert");
  if (!refusal) return stop(tell, `The service answered ${answer.status}. ${AGAIN}`);
  stop(() => show(document.importNode(refusal, true)));
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (request) return;
  forget();
  if (!(await look())) return;
  const body = new FormData(form), total = file.files[0].size;
  const upload = request = new XMLHttpRequest();
  [arrived, announced] = [0, { percent: 0, at: Date.now() }];
  showBusy(true);
  bar.value = 0;
  announce("Uploading.");
  const state = await ask();
  if (request !== upload) return; // canceled
  if (state === "away") return stop(tell, `There is no connection to the service. ${AGAIN}`);
  if (tellOfState[state]) return stop(tellOfState[state]);
  upload.upload.addEventListener("progress", showSent);
  upload.addEventListener("load", () => conclude(upload));
  upload.addEventListener("error", () => afterLoss(total));
  upload.open("POST", location.href);
  upload.send(body);
});

cancel.addEventListener("click", () => {
  const upload = request;
  showBusy(false);
  upload?.abort();
  announce("The upload was canceled. Nothing was filed.");
  sentText.textContent = "The upload was canceled. Nothing was filed.";
  send.focus();
});

addEventListener("beforeunload", (event) => {
  if (request && request.readyState < XMLHttpRequest.DONE) event.preventDefault();
});
