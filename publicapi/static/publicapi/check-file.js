// Tells how far the upload is, and leads to the answer. Without this script the form is sent as any.
"use strict";

const bar = document.getElementById("upload");
const told = document.getElementById("progress");

const tell = (text, percent) => {
  told.textContent = text;
  bar.hidden = percent === undefined;
  bar.value = percent ?? 0;
};

let sent = false; // what is told of after that is the answer

document.body.addEventListener("htmx:beforeRequest", () => {
  sent = false;
  tell("Uploading", 0);
});
document.body.addEventListener("htmx:xhr:progress", ({ detail }) => {
  if (sent || !detail.lengthComputable || !detail.total) return;
  const percent = Math.floor((100 * detail.loaded) / detail.total);
  sent = percent === 100;
  tell(sent ? "Checking" : `Uploading: ${percent} %`, percent);
});
document.body.addEventListener("htmx:afterSwap", () => {
  tell("");
  document.getElementById("answer-heading")?.focus();
});
document.body.addEventListener("htmx:responseError", ({ detail }) => {
  tell(`The service answered ${detail.xhr.status}. Wait a moment and try again.`);
});
document.body.addEventListener("htmx:sendError", () => {
  tell("The upload was cut off. Try again.");
});
