// Makes the input of a field: a list of codes, a date, or text with buttons for NA and Exempt.
import { element } from "./dom.js";

const DATE = /^Date/;
const STATES = ["state", "contact_state"];
// Set by the editor: what a record is, and how many loans there are.
export const LOCKED = ["record_id", "total_lines"];

const isoOf = (value) => (/^\d{8}$/.test(value) ? `${value.slice(0, 4)}-${value.slice(4, 6)}-${value.slice(6)}` : "");

const choices = (field, states) => {
  const codes = (field.codes ?? []).map(({ code, text }) => [String(code), text ? `${code} - ${text}` : String(code)]);
  if (codes.length) return codes;
  return STATES.includes(field.name) ? states.map((state) => [state, state]) : [];
};

const listOf = (listed, field, attributes) => {
  const select = element("select", { ...attributes, class: "usa-select" }, element("option", { value: "" }, "(blank)"));
  const words = [field.na && "NA", typeof field.exempt === "string" && field.exempt].filter(Boolean);
  const options = [...listed, ...words.filter((word) => !listed.some(([code]) => code === word)).map((word) => [word, word])];
  select.append(...options.map(([value, text]) => element("option", { value }, text)));
  return select;
};

// A value that the list does not have is one of its choices as long as it is there.
const setList = (select, value) => {
  select.querySelector("[data-other]")?.remove();
  if (![...select.options].some((option) => option.value === value)) {
    select.append(element("option", { value, "data-other": true }, `${value} (not in the list)`));
  }
  select.value = value;
};

const picker = (input, label) => {
  const date = element("input", { type: "date", class: "editor-date", tabindex: "-1", "aria-hidden": "true" });
  date.addEventListener("change", () => set(input, date.value.replaceAll("-", "")));
  const open = () => {
    date.value = isoOf(input.value);
    date.showPicker();
  };
  return [date, element("button", { type: "button", class: "usa-button usa-button--outline", onclick: open }, "Calendar", element("span", { class: "usa-sr-only" }, ` for ${label}`))];
};

// Give an input a value as its reader would.
const set = (input, value) => {
  input.value = value;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  input.focus();
};

// Return the input of a field, and what stands beside it.
export const inputOf = (field, states, attributes) => {
  const isLocked = LOCKED.includes(field.name), listed = choices(field, states);
  if (listed.length && !isLocked) return { input: listOf(listed, field, attributes), beside: [] };
  const isDate = DATE.test(field.accepts);
  const input = element("input", {
    ...attributes, type: "text", class: "usa-input", autocomplete: "off", spellcheck: "false", readonly: isLocked,
    maxlength: "1000", inputmode: isDate && !field.na ? "numeric" : false,
  });
  const words = isLocked ? [] : [field.na && "NA", field.exempt !== null && field.exempt !== undefined && String(field.exempt)].filter(Boolean);
  const buttons = words.map((word) => element("button", { type: "button", class: "usa-button usa-button--outline", onclick: () => set(input, word) },
    word, element("span", { class: "usa-sr-only" }, ` for ${field.label}`)));
  return { input, beside: [...(isDate && !isLocked ? picker(input, field.label) : []), ...buttons] };
};

export const setValue = (input, value) => {
  if (input.matches("select")) setList(input, value);
  else input.value = value;
};
