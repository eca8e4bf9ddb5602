"use strict";
// Gives what the admin's own scripts draw the names that a screen reader needs.
const labelOf = (id) => document.querySelector(`label[for="${id}"]`)?.textContent.replace(":", "").trim();

function giveNames() {
  for (const picture of document.querySelectorAll("span.help-tooltip")) picture.setAttribute("role", "img");
  for (const drawn of document.querySelectorAll(".select2-selection__rendered")) {
    const label = labelOf(drawn.id.replace(/^select2-(.+)-container$/, "$1"));
    if (label) {
      drawn.setAttribute("aria-label", label);
      drawn.closest(".select2-selection").setAttribute("aria-label", label);
    }
  }
  for (const part of document.querySelectorAll(".datetime input")) {
    const legend = part.closest("fieldset")?.querySelector("legend")?.textContent.replace(":", "").trim();
    const what = part.classList.contains("vDateField") ? "date" : "time";
    part.setAttribute("aria-label", `${legend ?? ""} ${what}`.trim());
    const notes = ["helptext", "error"].map((note) => `${part.id.replace(/_[01]$/, "")}_${note}`);
    const there = notes.filter((id) => document.getElementById(id));
    if (there.length) part.setAttribute("aria-describedby", there.join(" "));
  }
}

giveNames();
new MutationObserver(giveNames).observe(document.body, { childList: true, subtree: true });

// A part that refreshes itself rests while nobody sees it, or somebody reads a table in it. Where
// the session is over its answer is another page: it stays out, and the page says so.
document.body.addEventListener("htmx:beforeRequest", (event) => {
  if (document.hidden || event.target.querySelector("details[open]")) event.preventDefault();
});
document.body.addEventListener("htmx:beforeSwap", (event) => {
  const asked = new URL(event.detail.pathInfo.requestPath, location.href);
  if (new URL(event.detail.xhr.responseURL).pathname !== asked.pathname) {
    event.detail.shouldSwap = false;
    document.dispatchEvent(new Event("session:over"));
  }
});
