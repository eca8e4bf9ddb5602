"use strict";
// Names on the admin's little help pictures are read out only if they say that they are pictures.
addEventListener("load", () => {
  for (const picture of document.querySelectorAll("span.help-tooltip")) picture.setAttribute("role", "img");
});
