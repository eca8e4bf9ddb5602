// Refreshes the part that shows progress: when the service sends an event and every ten seconds, or
// every two seconds where no events arrive. Says when the page loses its connection.
"use strict";

const EVERY = 2000, SELDOM = 10000; // milliseconds
const connection = document.getElementById("connection");
const { events } = connection.dataset;
const stream = events ? new EventSource(events) : null;
let refreshedAt = Date.now();

const refresh = () => {
  refreshedAt = Date.now();
  htmx.trigger("#progress", "refresh");
};
if (stream) stream.addEventListener("state", refresh);
setInterval(() => {
  const hasEvents = stream && stream.readyState === EventSource.OPEN;
  if (Date.now() - refreshedAt >= (hasEvents ? SELDOM : EVERY)) refresh();
}, EVERY);

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
