// What the pages for one file and for many share: what went wrong, and sending a file in parts.
"use strict";

const byId = (id) => document.getElementById(id);
const problem = byId("problem");
const PART_BYTES = 16 * 1024 * 1024;
const PAUSES = [500, 1000, 2000, 5000, 10_000, ...Array(90).fill(20_000)]; // half an hour, in milliseconds
const WAITED_FOR = [0, 409, 423, 429, 502, 503, 504]; // 0: no answer

const element = (name, className, ...content) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  made.append(...content);
  return made;
};

const { title } = document;

// Show what went wrong, and where to go on.
const showProblem = (text, address = "", label = "") => {
  const link = element("a", "usa-link", label);
  link.href = address;
  const words = element("p", "usa-alert__text", text, ...(address ? [" ", link] : []));
  const heading = element("h2", "usa-alert__heading", "There is a problem");
  const alert = element("div", "usa-alert usa-alert--error site-errors", element("div", "usa-alert__body", heading, words));
  alert.role = "alert";
  alert.tabIndex = -1;
  problem.replaceChildren(alert);
  document.title = `Error: ${title.replace("Error: ", "")}`;
  alert.focus();
};

const clearProblem = () => {
  problem.replaceChildren();
  document.title = title.replace("Error: ", "");
};

// The library that sends a file in parts. No page waits for it: it is loaded once it is needed.
let library = null;
const loadLibrary = async (address) => {
  await (library ??= new Promise((done) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = script.onerror = done;
    document.head.append(script);
  }));
  if (!window.tus) library = null;
  return Boolean(window.tus);
};

let attempts = 0; // each has a key of its own: if the answer to its first request is lost, it is repeated

// Return the upload of a file with the token and the key of a form.
const makeUpload = ({ elements }, file, options) => new tus.Upload(file, {
  chunkSize: PART_BYTES,
  retryDelays: PAUSES,
  removeFingerprintOnSuccess: true,
  metadata: { filename: file.name },
  headers: { "X-CSRFToken": elements.csrfmiddlewaretoken.value, "Idempotency-Key": `${elements.idempotency_key.value}-${++attempts}` },
  ...options,
});

// Return the status of an answer; 0 if there was none.
const statusOf = ({ originalResponse }) => originalResponse?.getStatus() ?? 0;

// Tell whether to try again after an answer, or after none.
const isWaitedFor = (error) => {
  const status = statusOf(error);
  return WAITED_FOR.includes(status) && !(status === 409 && error.originalRequest.getMethod() === "POST");
};

// What the service says of a refusal; blank if its answer has no sentence.
const sentenceOf = ({ originalResponse }) => {
  try {
    const { message, detail } = JSON.parse(originalResponse.getBody());
    return detail || message || "";
  } catch {
    return "";
  }
};
