// Copy buttons, and a search box for a list of checkboxes or parts of a page. The page also works without this script.
"use strict";

function copy(button) {
  const field = document.getElementById(button.dataset.copy);
  const status = button.parentElement.querySelector("[role=status]");
  const tell = (text) => { status.textContent = text; };
  field.select();
  if (navigator.clipboard) {
    navigator.clipboard.writeText(field.value).then(
      () => tell("Copied"),
      () => tell("Select the text and copy it with Ctrl-C"));
  } else {
    tell(document.execCommand("copy") ? "Copied" : "Copy it with Ctrl-C");
  }
}

function narrow(box) {
  const query = box.value.trim().toLowerCase();
  for (const choice of document.querySelectorAll(`#${box.dataset.narrows} :is(.usa-checkbox, [data-narrowed])`)) {
    choice.hidden = !choice.textContent.toLowerCase().includes(query);
  }
}

for (const button of document.querySelectorAll("button[data-copy]")) {
  button.hidden = false;
  button.addEventListener("click", () => copy(button));
}
for (const box of document.querySelectorAll("input[data-narrows]")) {
  box.closest("[hidden]").hidden = false;
  box.addEventListener("input", () => narrow(box));
}
