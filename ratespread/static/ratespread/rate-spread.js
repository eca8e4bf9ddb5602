// Labels the term for the chosen kind of rate. Without this script the hint explains it.
"use strict";

const kind = document.getElementById("id_amortizationType");
const term = document.getElementById("id_loanTerm");
const name_term = () => {
  const label = document.querySelector(`label[for="${term.id}"]`);
  label.textContent = term.dataset[kind.value.toLowerCase()];
};
kind.addEventListener("change", name_term);
name_term();
