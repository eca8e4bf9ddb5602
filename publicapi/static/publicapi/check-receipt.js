// Computes the hash of a chosen file in pieces and sends only the hash; moves the focus to answers.
// The forms also work without it.
import { sha256 } from "../vendor/noble-hashes/sha2.js";

const PIECE = 4 << 20; // bytes that are in memory at a time

const form = document.getElementById("filed-form");
const bar = document.getElementById("hashing");
const status = document.getElementById("progress");

const show = (text, percent) => {
  status.textContent = text;
  bar.hidden = percent === undefined;
  bar.value = percent ?? 0;
};

const hashOf = async (file) => {
  const hash = sha256.create();
  for (let start = 0; start < file.size; start += PIECE) {
    hash.update(new Uint8Array(await file.slice(start, start + PIECE).arrayBuffer()));
    const percent = Math.floor((100 * Math.min(start + PIECE, file.size)) / file.size);
    show(`Reading the file: ${percent}%`, percent);
  }
  return Array.from(hash.digest(), (byte) => byte.toString(16).padStart(2, "0")).join("");
};

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const button = form.querySelector("button");
  const [file] = form.querySelector("input[type=file]").files;
  if (!file || button.disabled) return;
  button.disabled = true;
  try {
    const values = { sha256: await hashOf(file) };
    // Not from the form, with which its file would be sent.
    await htmx.ajax("POST", form.action, { source: "#answer", target: "#answer", values });
  } catch {
    show("The file cannot be read, or has changed since you chose it. Choose it again.");
  } finally {
    button.disabled = false;
  }
});

document.body.addEventListener("htmx:afterSwap", () => {
  show("");
  (document.getElementById("answer-heading") ?? document.querySelector("#answer [role=alert]"))?.focus();
});
document.body.addEventListener("htmx:responseError", ({ detail }) => {
  const { status: code } = detail.xhr;
  show(code === 429 ? "Too many checks. Wait a moment and try again." : `The service returned an error (${code}). Wait a moment and try again.`);
});
document.body.addEventListener("htmx:sendError", () => {
  show("The check was interrupted. Try again.");
});

document.getElementById("stays").hidden = false;
document.getElementById("is-sent").hidden = true;
document.getElementById("filed-limit").hidden = true;
