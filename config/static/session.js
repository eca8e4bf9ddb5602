"use strict";
// Warns before the session ends and says when it has, without losing what was typed. How long it
// lasts is for the service to say: it may have been extended, or ended, in another tab.
{
  const dialog = document.getElementById("session");
  const news = document.getElementById("session-news");
  const urgent = dialog.querySelector("[data-news]"), parts = dialog.querySelectorAll("[data-part]");
  const leftText = dialog.querySelector("[data-left]"), stay = dialog.querySelector("[data-stay]");
  const { user, address, seconds, warning } = dialog.dataset;
  const WARNING = Number(warning), LAST = 60, REST = 30; // seconds; the last between two questions
  const NO_LONGER = "Your session cannot be extended. Save your work, then sign in again.";
  const others = "BroadcastChannel" in window ? new BroadcastChannel("session") : null;

  let end = Date.now() + Number(seconds) * 1000;
  let ended = "", isConfirmed = false, dismissed = Infinity, askedAt = Date.now(), timer = 0;

  const secondsLeft = () => Math.max(0, Math.ceil((end - Date.now()) / 1000));
  const inWords = (left) => {
    const [number, unit] = left > LAST ? [Math.ceil(left / 60), "minute"] : [left, "second"];
    return `${number} ${unit}${number === 1 ? "" : "s"}`;
  };
  const say = (place, text) => { if (place.textContent !== text) place.textContent = text; };

  const open = (name) => {
    for (const part of parts) part.hidden = part.dataset.part !== name;
    dialog.setAttribute("aria-labelledby", `session-${name}`);
    dialog.setAttribute("aria-describedby", `session-${name}-text`);
    if (dialog.open) return;
    dialog.showModal();
    dialog.querySelector("[data-part]:not([hidden]) :is(a, button)").focus();
  };

  // The forms of this page are of no use until the person has signed in again.
  const finish = (how) => {
    ended = how;
    open(how);
  };

  // Go on with what the service says.
  const take = (state) => {
    if (state.user !== user) return finish(state.user ? "other" : "ended");
    end = Date.now() + Math.max(1, state.secondsLeft) * 1000;
    const tokens = document.querySelectorAll("input[name=csrfmiddlewaretoken]");
    for (const field of tokens) field.value = state.csrfToken;
    if (ended) say(news, "You are signed in again. What you typed is still on this page.");
    if (state.secondsLeft > WARNING) {
      isConfirmed = false;
      dismissed = Infinity;
      dialog.close();
    }
    ended = "";
    tick();
  };

  const request = async (options = {}) => {
    askedAt = Date.now();
    const headers = { Accept: "application/json" };
    const how = { cache: "no-store", redirect: "error", headers, ...options };
    const answer = await fetch(address, how);
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.json();
  };

  // Return whether the service answered.
  const ask = async () => {
    try {
      take(await request());
      return true;
    } catch {
      return false;
    }
  };

  const extend = async () => {
    const form = dialog.querySelector("form");
    const send = () => request({ method: "POST", body: new FormData(form) });
    try {
      const state = await send().catch(async (error) => {
        if (error.message !== "403") throw error;
        await ask(); // its form has the token of an earlier sign-in
        return send();
      });
      take(state);
      others?.postMessage("changed");
      if (ended) return;
      if (dialog.open) say(urgent, NO_LONGER);
      else say(news, "You are still signed in.");
    } catch {
      say(urgent, "The service did not respond. Try again.");
    }
  };

  const tick = async () => {
    clearTimeout(timer);
    if (ended) return;
    const left = secondsLeft();
    if (left > WARNING) {
      timer = setTimeout(tick, Math.min(left - WARNING, REST) * 1000);
      return;
    }
    if (!isConfirmed || !left) {
      isConfirmed = true;
      if (await ask()) return; // which has gone on
      if (!left) return finish("ended");
    }
    if (left <= dismissed) {
      dismissed = Infinity;
      open("warning");
    }
    say(leftText, inWords(left));
    timer = setTimeout(tick, 1000);
  };

  const look = () => {
    if (ended || Date.now() - askedAt > REST * 1000) ask();
  };

  if (dialog.showModal) {
    stay.addEventListener("click", extend);
    for (const button of dialog.querySelectorAll("[data-close]")) {
      button.addEventListener("click", () => dialog.close());
    }
    dialog.addEventListener("cancel", () => { dismissed = LAST; });
    // A form that would only lead to the sign-in page keeps what was typed.
    document.addEventListener("submit", (event) => {
      if (!ended || event.target.getAttribute("method")?.toLowerCase() !== "post") return;
      event.preventDefault();
      event.stopImmediatePropagation();
      open(ended);
    }, { capture: true });
    document.addEventListener("visibilitychange", () => { if (!document.hidden) look(); });
    addEventListener("focus", look);
    addEventListener("pageshow", ({ persisted }) => { if (persisted) ask(); });
    document.addEventListener("session:over", () => { if (!ended) ask(); });
    others?.addEventListener("message", ask);
    tick();
  }
}
