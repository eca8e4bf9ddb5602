// Checks the chosen file before it is sent, sends it in parts, and says what to do when the upload
// stops. After a lost line it continues where the service has stored everything. Without this
// script, the browser submits the form as usual.
"use strict";

const form = byId("upload"), file = byId("file");
const news = byId("file-news"), list = byId("file-checks");
const send = byId("send"), cancel = byId("cancel");
const bar = byId("sent"), sentText = byId("sent-text"), sentNews = byId("sent-news");
const { lei, year, quarter, limitText, other, otherLabel, signIn, uploads } = form.dataset;
let { openUpload } = form.dataset; // the address of an upload that can be continued
const filing = { lei, year, quarter, limitText, limit: Number(form.dataset.limit), refusals: JSON.parse(form.dataset.refusals) };

const filed = JSON.parse(form.dataset.filed);

const ANNOUNCED_PERCENT = 10, ANNOUNCED_MILLISECONDS = 5000;
const AGAIN = "Nothing was filed. Upload the file again.";
const SESSION = "You are signed out. Sign in again to return to this page.";
const TAKEN = "Someone else may have uploaded a file meanwhile. Yours was not sent.";

const forget = () => {
  clearProblem();
  file.removeAttribute("aria-invalid");
};

const tell = (...words) => {
  file.setAttribute("aria-invalid", "true");
  showProblem(...words);
};
const tellOfSession = () => tell(SESSION, signIn, "Sign in");
const tellOfOther = () => tell(TAKEN, other, otherLabel);

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
  if (chosen && !isRefused && chosen.size === filed.size) warnOfSame(chosen, thisRound).catch(() => {});
  return Boolean(chosen) && !isRefused;
};

// Warn of the very file that counts as filed; nothing waits for it.
const warnOfSame = async (chosen, thisRound) => {
  const { hasHash } = await import(form.dataset.same);
  if (!(await hasHash(chosen, filed.sha256)) || thisRound !== round) return;
  list.append(shown({ name: "Content", value: "the same as what you filed", fault: filed.warning }));
  news.textContent = "You have filed this file already.";
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
let sent = 0, begin = { at: 0, sent: 0 }, announced = { percent: 0, at: 0 };

const announce = (text) => { sentNews.textContent = text; };

const showBusy = (isBusy) => {
  send.disabled = isBusy;
  cancel.hidden = bar.hidden = !isBusy;
  file.disabled = isBusy;
  if (!isBusy) [sentText.textContent, request] = ["", null];
};

// Return how fast bytes are sent, per second, since the upload began or continued; 0 at first.
const speedOf = (loaded) => {
  const elapsed = (Date.now() - begin.at) / 1000;
  return elapsed < 2 ? 0 : Math.max(0, (loaded - begin.sent) / elapsed);
};

// Return the time until everything is sent, for the eye and for the ear: ["20 s", "20 seconds"].
const timeLeft = (bytes, speed) => {
  const seconds = Math.ceil(bytes / speed), minutes = Math.round(seconds / 60);
  const [count, short, unit] = seconds < 90 ? [seconds, "s", "second"] : [minutes, "min", "minute"];
  return [`${count} ${short}`, `${count} ${unit}${count === 1 ? "" : "s"}`];
};

const showSent = (loaded, total) => {
  if (!begin.at) begin = { at: Date.now(), sent: loaded };
  sent = loaded;
  const percent = Math.floor((100 * loaded) / total), speed = speedOf(loaded);
  let text = "The whole file was sent. Waiting for the service to confirm it.", spoken = text;
  if (loaded < total) {
    const [short, long] = speed ? timeLeft(total - loaded, speed) : [];
    text = `${fileSize(loaded)} of ${fileSize(total)}${speed ? ` · ${fileSize(Math.round(speed))}/s · ${short} left` : ""}`;
    spoken = `${percent} percent sent${speed ? `, about ${long} left` : ""}.`;
  }
  bar.value = percent;
  sentText.textContent = text;
  const isDue = percent >= announced.percent + ANNOUNCED_PERCENT && Date.now() >= announced.at + ANNOUNCED_MILLISECONDS;
  if (!isDue && loaded < total) return;
  announced = { percent, at: Date.now() };
  announce(spoken);
};

// End the upload and show what went wrong.
const stop = (explain, ...words) => {
  if (request?.url) openUpload = new URL(request.url, location.href).pathname;
  showBusy(false);
  send.textContent = "Upload again";
  announce("");
  explain(...words);
};

// Return the state of the session and the submission: "ready", "signed out", "taken", "refused" or
// "away" (no connection).
const ask = async () => {
  try {
    const answer = await fetch(form.action, { method: "HEAD", redirect: "manual", cache: "no-store", headers: { "HX-Request": "true" } });
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

// Tell whether to wait and try again after an answer, or after none.
const waits = (error) => {
  if (!isWaitedFor(error)) return false;
  const status = statusOf(error);
  const reason = status ? "The service is busy" : "The connection was lost";
  const text = status && sent === file.files[0].size
    ? "The whole file was sent, but the service cannot accept it yet. The upload continues automatically."
    : `${reason} after ${fileSize(sent)} of ${fileSize(file.files[0].size)}. The upload continues automatically.`;
  if (sentText.textContent !== text) announce(text);
  sentText.textContent = text;
  begin = { at: 0, sent: 0 };
  return true;
};

const conclude = (error) => {
  const status = statusOf(error);
  if (!status) return stop(tell, `The connection was lost after ${fileSize(sent)} of ${fileSize(file.files[0].size)}. Upload the same file again to continue.`);
  if (status === 401) return stop(tellOfSession);
  if (status === 409 && error.originalRequest.getMethod() === "POST") return stop(tellOfOther);
  if (status === 413) return stop(tell, `The file is larger than ${limitText}, the most accepted. Nothing was filed.`);
  if (status === 403 && !sentenceOf(error)) return stop(tell, "This page is out of date. Nothing was filed.", location.pathname, "Load it again and choose the file");
  stop(tell, sentenceOf(error) || `The service answered ${status}. ${AGAIN}`);
};

// Continue an upload of the same file, or end the one that is open and begin.
const begun = async (upload) => {
  const previous = await upload.findPreviousUploads();
  const same = previous.find(({ uploadUrl }) => openUpload && new URL(uploadUrl, location.href).pathname === openUpload);
  if (same) upload.resumeFromPreviousUpload(same);
  else if (openUpload) await fetch(openUpload, { method: "DELETE", headers: { "Tus-Resumable": "1.0.0", "X-CSRFToken": form.elements.csrfmiddlewaretoken.value } });
};

file.addEventListener("change", () => loadLibrary(form.dataset.library), { once: true });

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (request) return;
  forget();
  if (!(await look())) return;
  if (!(await loadLibrary(form.dataset.library))) return tell(`There is no connection to the service. ${AGAIN}`);
  if (!tus.isSupported) return form.submit();
  if (request) return;
  const [chosen] = file.files;
  const upload = request = makeUpload(form, chosen, {
    endpoint: uploads,
    fingerprint: async ({ name, size, lastModified }) => ["lar", lei, year, quarter, name, size, lastModified].join("-"),
    onShouldRetry: waits,
    onProgress: (loaded, total) => request === upload && showSent(loaded, total),
    onSuccess: () => { request = null; location.assign(upload.url.split("uploads/")[0]); },
    onError: (error) => request === upload && conclude(error),
  });
  [sent, begin, announced] = [0, { at: 0, sent: 0 }, { percent: 0, at: Date.now() }];
  showBusy(true);
  bar.value = 0;
  announce("Uploading.");
  const state = await ask();
  if (request !== upload) return; // canceled
  if (state === "away") return stop(tell, `There is no connection to the service. ${AGAIN}`);
  if (tellOfState[state]) return stop(tellOfState[state]);
  try {
    await begun(upload);
  } catch {
    return stop(tell, `There is no connection to the service. ${AGAIN}`);
  }
  if (request === upload) upload.start();
});

cancel.addEventListener("click", () => {
  const upload = request;
  showBusy(false);
  upload?.abort(true).catch(() => {}); // it ends after a day, if the service cannot be told
  announce("The upload was canceled. Nothing was filed.");
  sentText.textContent = "The upload was canceled. Nothing was filed.";
  send.focus();
});

addEventListener("beforeunload", (event) => {
  if (request) event.preventDefault();
});
