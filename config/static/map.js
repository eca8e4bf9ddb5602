"use strict";
// Shows the figure of a place of a map where someone points at it or focuses it. The map has one tab
// stop: arrow keys go to the next place in their direction, letters to the next name, Escape leaves.
const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const ASIDE = 2; // a place aside counts as this many times as far

class PlaceMap extends HTMLElement {
  connectedCallback() {
    if (this.links) return;
    this.links = [...this.querySelectorAll("svg a")];
    this.mark = this.querySelector(".site-map__mark");
    this.tip = document.createElement("div");
    this.tip.className = "site-map__tip";
    // A reader hears the name of the link, which says the same.
    this.tip.setAttribute("aria-hidden", "true");
    this.append(this.tip);
    this.show(null);
    for (const link of this.links) link.setAttribute("tabindex", link === this.links[0] ? "0" : "-1");
    this.addEventListener("pointerover", (event) => this.point(event));
    this.addEventListener("pointerleave", () => this.show(this.focused()));
    this.addEventListener("pointerdown", (event) => this.touch(event));
    this.addEventListener("click", (event) => this.go(event));
    this.addEventListener("focusin", () => this.keepStop());
    this.addEventListener("focusout", () => this.show(null));
    this.addEventListener("keydown", (event) => this.press(event));
  }

  point({ target, pointerType }) {
    if (pointerType !== "touch") this.show(this.placeAt(target) ?? this.focused());
  }

  placeAt(target) {
    return target.closest("svg [aria-label]:not(svg)");
  }

  focused() {
    return this.links.find((link) => link === document.activeElement) ?? null;
  }

  keepStop() {
    const current = this.focused();
    if (!current) return;
    for (const link of this.links) link.setAttribute("tabindex", link === current ? "0" : "-1");
    this.show(current);
  }

  show(place) {
    this.shown = place;
    this.tip.hidden = !place;
    this.mark.setAttribute("d", place?.querySelector("path").getAttribute("d") ?? "");
    if (!place) return;
    this.tip.textContent = place.getAttribute("aria-label");
    const within = this.getBoundingClientRect(), box = place.getBoundingClientRect();
    const left = box.x + box.width / 2 - within.x - this.tip.offsetWidth / 2;
    this.tip.style.left = `${Math.max(0, Math.min(left, within.width - this.tip.offsetWidth))}px`;
    const above = box.y - within.y - this.tip.offsetHeight - 4;
    this.tip.style.top = `${above < 0 ? box.bottom - within.y + 4 : above}px`;
  }

  // A finger cannot point: its first touch shows the figure, the second one goes in.
  touch({ target, pointerType }) {
    const place = this.placeAt(target);
    this.isFirstTouch = pointerType === "touch" && place !== this.shown;
  }

  go(event) {
    if (!this.isFirstTouch || !this.placeAt(event.target)) return;
    event.preventDefault();
    this.show(this.placeAt(event.target));
    this.isFirstTouch = false;
  }

  press(event) {
    const current = this.focused();
    if (!current || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") {
      this.querySelector("figcaption").focus();
      return;
    }
    const next = this.find(event.key, current);
    if (!next) return;
    event.preventDefault();
    next.focus();
  }

  find(key, current) {
    const { links } = this, at = links.indexOf(current);
    if (key === "Home") return links[0];
    if (key === "End") return links.at(-1);
    if (DIRECTIONS[key]) {
      const [x, y] = DIRECTIONS[key];
      return this.findNearest(current, x, y) ?? links[at + x + y] ?? current;
    }
    if (!/^\p{L}$/u.test(key)) return null;
    const isNamed = (link) => link.getAttribute("aria-label").toLowerCase().startsWith(key.toLowerCase());
    return [...links.slice(at + 1), ...links.slice(0, at)].find(isNamed) ?? null;
  }

  // The nearest place whose center is in a direction, and not farther aside than that way.
  findNearest(current, x, y) {
    const center = (link) => {
      const box = link.getBBox();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const from = center(current);
    let nearest = null, least = Infinity;
    for (const link of this.links) {
      const to = center(link), across = to.x - from.x, down = to.y - from.y;
      const ahead = across * x + down * y, aside = Math.abs(across * y) + Math.abs(down * x);
      const distance = ahead + ASIDE * aside;
      if (link !== current && ahead >= Math.max(1, aside) && distance < least) [nearest, least] = [link, distance];
    }
    return nearest;
  }
}
customElements.define("place-map", PlaceMap);
