// Shows the progress of the upload, then moves the focus to the answer. The form also works without it.
"use strict";

const bar = document.getElementById("upload");
const status = document.getElementById("progress");

const show = (text, percent) => {
  status.textContent = text;
  bar.hidden = percent === undefined;
  bar.value = percent ?? 0;
};

let sent = false; // whether the file is uploaded, and the answer is next

document.body.addEventListener("htmx:beforeRequest", () => {
  sent = false;
  show("Uploading", 0);
});
document.body.addEventListener("htmx:xhr:progress", ({ detail }) => {
  if (sent || !detail.lengthComputable || !detail.total) return;
  const percent = Math.floor((100 * detail.loaded) / detail.total);
  sent = percent === 100;
  show(sent ? "Checking" : `Uploading: ${percent}%`, percent);
});
document.body.addEventListener("htmx:afterSwap", () => {
  show("");
  document.getElementById("answer-heading")?.focus();
});
document.body.addEventListener("htmx:responseError", ({ detail }) => {
  show(`The service returned an error (${detail.xhr.status}). Wait a moment and try again.`);
});
document.body.addEventListener("htmx:sendError", () => {
  show("The upload was interrupted. Try again.");
});
