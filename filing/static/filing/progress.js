// Says when a page that shows progress loses its connection, and clears the message afterwards.
"use strict";

const connection = document.getElementById("connection");

const say = (text) => {
  if (connection.textContent !== text) connection.textContent = text;
};

document.body.addEventListener("htmx:sendError", () => {
  say("There is no connection to the service. This page tries again every few seconds; checking continues.");
});
document.body.addEventListener("htmx:responseError", ({ detail }) => {
  say(`The service answered ${detail.xhr.status}. This page tries again every few seconds.`);
});
document.body.addEventListener("htmx:afterSwap", () => say(""));
