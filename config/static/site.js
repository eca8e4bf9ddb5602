"use strict";
// Tells the styles that scripts run, so that menus fold. Where the script that unfolds them did not
// arrive, all of their links stay in sight, as they do without script.
const root = document.documentElement;
root.classList.add("has-script");
addEventListener("load", () => root.classList.toggle("has-script", "uswdsPresent" in window));
addEventListener("error", ({ target }) => {
  if (target.type === "module") root.classList.remove("has-script");
}, true);

// The design system opens the menu of a narrow screen and does not tell its button.
addEventListener("DOMContentLoaded", () => {
  const { body } = document, button = document.querySelector(".usa-menu-btn");
  const tell = () => button?.setAttribute("aria-expanded", body.classList.contains("usa-js-mobile-nav--active"));
  new MutationObserver(tell).observe(body, { attributeFilter: ["class"] });
});

// The design system names a file field after what it says in it, and not by its label.
addEventListener("load", () => {
  for (const field of document.querySelectorAll(".usa-file-input__input")) {
    const label = field.labels?.[0]?.textContent.trim();
    const name = () => {
      const says = field.getAttribute("aria-label") ?? "";
      if (label && !says.startsWith(label)) field.setAttribute("aria-label", `${label}: ${says}`);
    };
    name();
    new MutationObserver(name).observe(field, { attributeFilter: ["aria-label"] });
  }
});
