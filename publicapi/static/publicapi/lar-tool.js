// Sends the form with the file of the page to each step, shows the progress, and opens the result in
// the row editor. The file stays in the browser. Without this script the form works step by step.
import { followUploads, show } from "./upload-progress.js";

const form = document.getElementById("lar-tool"), step = document.getElementById("step");
const goOn = document.getElementById("go-on");
const [title, site] = document.title.replace("Error: ", "").split(" – ");
const toolTitle = title.split(":")[0];

followUploads("Reading", () => {
  prepare();
  if (step.querySelector(".site-errors")) return; // which takes the focus
  const heading = document.getElementById("step-heading");
  document.querySelector(".lar-tool").dataset.step = heading.dataset.step;
  document.title = `${toolTitle}: ${heading.dataset.title} – ${site}`;
  heading.focus();
  heading.scrollIntoView();
});

// The first button of the form, which Enter presses, sends the whole page. Let it press the button
// of the step, which does not.
goOn.addEventListener("click", (event) => {
  event.preventDefault();
  if (document.getElementById("step-heading")?.dataset.step !== "result") [...step.querySelectorAll("button[hx-post]:not([name])")].at(-1)?.click();
});

// Another file, or the same one corrected, is read as soon as it is chosen.
document.getElementById("file").addEventListener("change", ({ target }) => {
  const at = document.getElementById("step-heading")?.dataset.step;
  if (at && target.files.length) document.getElementById(at === "result" ? "see-again" : "read-again")?.click();
});

// Who signs in in another tab and comes back gets the result again, with their filings.
let isSigningIn = false;
document.addEventListener("click", ({ target }) => {
  if (target.closest("#sign-in-to-file a")) isSigningIn = true;
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden || !isSigningIn) return;
  isSigningIn = false;
  document.getElementById("see-again")?.click();
});

const prepare = () => {
  for (const list of step.querySelectorAll("select[data-short]")) {
    const field = list.value;
    list.replaceChildren(document.getElementById("all-fields").content.cloneNode(true));
    list.value = field;
  }
  const button = document.getElementById("open-editor");
  if (!button) return;
  button.hidden = false;
  button.addEventListener("click", () => openEditor(button));
};

// Let the editor take the place of this page, with the records and their findings.
const openEditor = async (button) => {
  if (!form.reportValidity()) return;
  button.disabled = true;
  show("Opening the row editor");
  try {
    const body = new FormData(form);
    body.set("save", "editor");
    const [given, page, { start }] = await Promise.all([
      answer(form.dataset.result, { method: "POST", body, headers: { Accept: "application/json" } }),
      answer(form.dataset.editor),
      import("./lar-editor/main.js"),
    ]);
    const editor = new DOMParser().parseFromString(page, "text/html");
    document.getElementById("main").replaceChildren(...editor.getElementById("main").childNodes);
    document.title = editor.title;
    history.replaceState(null, "", form.dataset.editor);
    await start(given);
    if (!given.findings.length) document.getElementById("editor-heading").focus();
  } catch (error) {
    show(error.message);
    button.disabled = false;
  }
};

const answer = async (address, options) => {
  const response = await fetch(address, options);
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
  if (!response.ok || (options && !isJson)) throw new Error(await reason(response, isJson));
  return isJson ? response.json() : response.text();
};

const reason = async (response, isJson) => {
  if (response.status === 429) return "Too many files. Wait a moment and try again.";
  if (isJson) return (await response.json()).message;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  return page.querySelector(".site-errors li")?.textContent ?? `The service returned an error (${response.status}). Wait a moment and try again.`;
};

prepare();
