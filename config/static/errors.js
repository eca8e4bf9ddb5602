"use strict";
// Moves the focus to what is wrong with a form, when the page has loaded or its answer arrives, and
// from there to the field. Without this script browsers do most of that: the summary has autofocus.
{
  const ERROR = "Error: ", SUMMARY = ".site-errors";
  const marked = new Set(); // fields that were valid when the page was made

  const input = (link) => document.getElementById(decodeURIComponent(link.hash.slice(1)));

  // Mark the fields of a summary that arrived after the page, and say so in the title.
  const show = (summary) => {
    for (const field of marked) field.removeAttribute("aria-invalid");
    marked.clear();
    const title = document.title.replace(ERROR, "");
    document.title = summary ? ERROR + title : title;
    for (const link of summary?.querySelectorAll("a[href^='#']") ?? []) {
      const field = input(link);
      const isInput = field?.matches("input, select, textarea");
      if (!isInput || field.hasAttribute("aria-invalid")) continue;
      field.setAttribute("aria-invalid", "true");
      marked.add(field);
    }
  };

  // A field that another script has covered, or that lies in a closed part, takes no focus itself.
  const enter = (event) => {
    const link = event.target.closest?.(`${SUMMARY} a[href^='#']`);
    const field = link && input(link);
    if (!field) return;
    event.preventDefault();
    for (let at = field; at; at = at.parentElement) if (at.matches("details")) at.open = true;
    const isCovered = field.matches(".select2-hidden-accessible, .usa-combo-box__select");
    const cover = isCovered ? field.parentElement.querySelector("[role=combobox]") : null;
    (cover ?? field).focus();
    (field.closest("div, fieldset") ?? field).scrollIntoView({ block: "nearest" });
  };

  const first = document.querySelector(SUMMARY);
  first?.focus();
  // Other scripts, and an address that leads to a part of the page, would take the focus away.
  addEventListener("load", () => setTimeout(() => {
    if (!first?.contains(document.activeElement)) first?.focus();
  }));
  document.addEventListener("click", enter);
  document.addEventListener("htmx:afterSettle", ({ detail, target }) => {
    const summary = target.querySelector(SUMMARY);
    const form = detail.requestConfig?.elt;
    if (!summary && !marked.size && !document.title.startsWith(ERROR)) return;
    if (summary || form?.matches("form, form *")) show(summary);
    const isSent = detail.requestConfig?.triggeringEvent?.type === "submit";
    if (isSent || form?.matches("button")) summary?.focus();
  });
}
