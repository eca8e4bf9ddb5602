// Makes the elements of the editor, and asks questions.

// Return a new element. attributes: of the element, false for one that it does not have; those that
// begin with "on" are listeners.
export const element = (name, attributes = {}, ...content) => {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...content);
  return made;
};

export const byId = (id) => document.getElementById(id);

export const counted = (number, name) => `${number.toLocaleString("en-US")} ${name}${number === 1 ? "" : "s"}`;

// Tell readers of the screen what happened. The same text again is read again.
export const announce = (text) => {
  const status = byId("editor-status");
  status.textContent = "";
  setTimeout(() => { status.textContent = text; });
};

// Show a text at the top until it is dismissed. kind: of the alerts of the design system.
export const notify = (text, kind = "error") => {
  const back = document.activeElement;
  const place = byId("editor-notice");
  const dismiss = () => {
    place.replaceChildren();
    (back?.isConnected ? back : byId("editor-heading")).focus();
  };
  const button = element("button", { type: "button", class: "usa-button usa-button--unstyled", onclick: dismiss }, "Dismiss");
  const body = element("div", { class: "usa-alert__body" }, element("p", { class: "usa-alert__text" }, text, " ", button));
  const alert = element("div", { class: `usa-alert usa-alert--${kind} usa-alert--slim`, role: "alert", tabindex: "-1" }, body);
  place.replaceChildren(alert);
  alert.focus();
};

export const clearNotice = () => byId("editor-notice").replaceChildren();

// Ask before something is lost; return whether the answer is yes. The question has the focus, and
// Escape means no.
export const confirmed = (question, yes) => new Promise((done) => {
  const dialog = byId("editor-question");
  const [no, act] = dialog.querySelectorAll("button");
  dialog.querySelector("h2").textContent = question;
  act.textContent = yes;
  no.onclick = () => dialog.close("no");
  act.onclick = () => dialog.close("yes");
  dialog.returnValue = "no";
  dialog.onclose = () => done(dialog.returnValue === "yes");
  dialog.showModal();
});
