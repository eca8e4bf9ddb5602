"use strict";
// Shows the values of a chart where someone points at it, and where the arrow keys go; see
// filing/charts/figures.py for what the page gives it.
const KEYS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];
const SAME_PLACE = 1; // pixels between the centers of marks above each other, at most

const splitLabel = (mark, hasSeries) => {
  const label = mark.getAttribute("aria-label");
  const end = label.lastIndexOf(": "), comma = hasSeries ? label.lastIndexOf(", ", end) : -1;
  const at = comma < 0 ? 0 : comma + 2;
  return { series: label.slice(0, Math.max(comma, 0)), place: label.slice(at, end), value: label.slice(end + 2) };
};

const addChild = (parent, tag, className, text = "") => {
  const child = document.createElement(tag);
  child.className = className;
  child.textContent = text;
  parent.append(child);
  return child;
};

class ChartValues extends HTMLElement {
  connectedCallback() {
    if (this.marks) return;
    this.hasSeries = this.dataset.order === "series";
    this.marks = [...this.querySelectorAll("svg")].flatMap((svg) => this.prepare(svg));
    this.guide = addChild(this, "div", "site-chart__guide");
    this.tip = addChild(this, "div", "site-chart__tip");
    // A reader hears the label of the mark, which says the same.
    this.tip.setAttribute("aria-hidden", "true");
    this.hide();
    for (const name of ["pointermove", "pointerdown"]) this.addEventListener(name, (event) => this.point(event));
    // A finger leaves when it lifts; what it touched stays until it touches something else.
    this.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType !== "touch") this.showFocused(); });
    this.addEventListener("focusin", () => this.showFocused());
    this.addEventListener("focusout", () => this.hide());
    this.addEventListener("keydown", (event) => this.press(event));
    this.addEventListener("click", (event) => this.switchSeries(event));
  }

  // An image hides what is in it, so it becomes a group of marks, of which one has a tab stop.
  prepare(svg) {
    svg.setAttribute("role", "group");
    const marks = [...svg.querySelectorAll(".role-mark [aria-label]")].map((element) => ({
      element, svg, ...splitLabel(element, this.hasSeries),
    }));
    for (const { element } of marks) {
      element.setAttribute("role", "img");
      element.removeAttribute("aria-roledescription");
      element.setAttribute("tabindex", "-1");
    }
    marks[0]?.element.setAttribute("tabindex", "0");
    return marks;
  }

  // The marks of a picture, with where they are now: in order, and on the same place of the x axis.
  measure(svg) {
    return this.marks.filter((mark) => mark.svg === svg).map((mark) => {
      const box = mark.element.getBoundingClientRect();
      return { ...mark, x: box.x + box.width / 2, y: box.y + box.height / 2 };
    });
  }

  column(marks, x) {
    return marks.filter((mark) => Math.abs(mark.x - x) <= SAME_PLACE).sort((a, b) => a.y - b.y);
  }

  point(event) {
    const svg = event.target.closest("svg");
    if (!svg) return;
    const marks = this.measure(svg);
    if (!this.hasSeries) {
      const mark = marks.find(({ element }) => element === event.target);
      return mark ? this.show([mark]) : this.showFocused();
    }
    const plot = svg.querySelector(".background").getBoundingClientRect();
    if (event.clientY < plot.top || event.clientY > plot.bottom || !marks.length) return this.showFocused();
    const distance = ({ x }) => Math.abs(x - event.clientX);
    const { x } = marks.reduce((nearest, mark) => (distance(mark) < distance(nearest) ? mark : nearest));
    this.show(this.column(marks, x));
  }

  showFocused() {
    const svg = this.contains(document.activeElement) && document.activeElement.closest("svg");
    const marks = svg ? this.measure(svg) : [];
    const current = marks.find(({ element }) => element === document.activeElement);
    if (!current) return this.hide();
    this.show(this.hasSeries ? this.column(marks, current.x) : [current], current);
  }

  press(event) {
    if (!KEYS.includes(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
    const svg = event.target.closest("svg");
    const marks = svg ? this.measure(svg) : [];
    const current = marks.find(({ element }) => element === event.target);
    if (!current) return;
    event.preventDefault();
    const isUpOrDown = this.hasSeries && ["ArrowUp", "ArrowDown"].includes(event.key);
    let line = marks;
    if (isUpOrDown) line = this.column(marks, current.x);
    else if (this.hasSeries) line = marks.filter(({ series }) => series === current.series).sort((a, b) => a.x - b.x);
    const step = ["ArrowLeft", "ArrowUp"].includes(event.key) ? -1 : 1;
    const next = { Home: line[0], End: line.at(-1) }[event.key] ?? line[line.indexOf(current) + step] ?? current;
    current.element.setAttribute("tabindex", "-1");
    next.element.setAttribute("tabindex", "0");
    next.element.focus();
  }

  show(marks, current) {
    const within = this.getBoundingClientRect(), plot = marks[0].svg.querySelector(".background").getBoundingClientRect();
    this.emphasize(marks);
    this.tip.replaceChildren();
    addChild(this.tip, "strong", "", marks[0].place);
    for (const mark of marks) {
      const row = addChild(this.tip, "span", mark.element === current?.element ? "site-chart__current" : "");
      if (mark.series) addChild(row, "span", "site-chart__series", mark.series).prepend(this.drawSymbol(mark.element));
      addChild(row, "b", "", mark.value);
    }
    this.tip.hidden = false;
    this.guide.hidden = !this.hasSeries;
    const x = marks[0].x - within.x, room = within.width - this.tip.offsetWidth;
    const beside = x < within.width / 2 ? x + 16 : x - 16 - this.tip.offsetWidth;
    this.tip.style.left = `${Math.max(0, Math.min(beside, room))}px`;
    this.tip.style.top = `${(this.hasSeries ? plot.top + 8 : marks[0].y + 16) - within.y}px`;
    this.guide.style.left = `${x}px`;
    this.guide.style.top = `${plot.top - within.y}px`;
    this.guide.style.height = `${plot.height}px`;
  }

  drawSymbol(element) {
    const symbol = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const path = element.cloneNode();
    for (const name of ["aria-label", "role", "tabindex", "transform", "class"]) path.removeAttribute(name);
    symbol.setAttribute("viewBox", "-6 -6 12 12");
    symbol.append(path);
    return symbol;
  }

  emphasize(marks) {
    for (const { element } of this.marks) element.classList.toggle("is-current", marks.some((mark) => mark.element === element));
  }

  hide() {
    this.tip.hidden = this.guide.hidden = true;
    this.emphasize([]);
  }

  switchSeries({ target }) {
    const label = target.closest(".mark-text.role-mark text, .role-legend-entry g:has(> g > .role-legend-label)");
    const name = label?.textContent;
    const boxes = document.getElementById(this.dataset.form)?.querySelectorAll("[type=checkbox]") ?? [];
    [...boxes].find((box) => name !== undefined && box.value === name)?.click();
  }
}
customElements.define("chart-values", ChartValues);
const hideCharts = (isMeant) => {
  for (const chart of document.querySelectorAll("chart-values")) if (isMeant(chart)) chart.hide();
};
document.addEventListener("keydown", ({ key }) => hideCharts(() => key === "Escape"));
document.addEventListener("pointerdown", ({ target }) => hideCharts((chart) => !chart.contains(target)));

// A map whose places may be links: the figure of a place shows where someone points at it or focuses it.
// It has one tab stop: arrow keys go to the next place in their direction, letters to the next name,
// Escape leaves.
const DIRECTIONS = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowDown: [0, 1], ArrowUp: [0, -1] };
const ASIDE = 2; // a place aside counts as this many times as far

class PlaceMap extends HTMLElement {
  connectedCallback() {
    if (this.places) return;
    this.places = [...this.querySelectorAll("svg a, svg [role='img']")];
    this.mark = this.querySelector(".site-map__mark");
    this.tip = addChild(this, "div", "site-chart__tip");
    // A reader hears the name of the place, which says the same.
    this.tip.setAttribute("aria-hidden", "true");
    this.show(null);
    for (const place of this.places) place.setAttribute("tabindex", place === this.places[0] ? "0" : "-1");
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
    return this.places.find((place) => place === document.activeElement) ?? null;
  }

  keepStop() {
    const current = this.focused();
    if (!current) return;
    for (const place of this.places) place.setAttribute("tabindex", place === current ? "0" : "-1");
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
    const { places } = this, at = places.indexOf(current);
    if (key === "Home") return places[0];
    if (key === "End") return places.at(-1);
    if (DIRECTIONS[key]) {
      const [x, y] = DIRECTIONS[key];
      return this.findNearest(current, x, y) ?? places[at + x + y] ?? current;
    }
    if (!/^\p{L}$/u.test(key)) return null;
    const isNamed = (place) => place.getAttribute("aria-label").toLowerCase().startsWith(key.toLowerCase());
    return [...places.slice(at + 1), ...places.slice(0, at)].find(isNamed) ?? null;
  }

  // The nearest place whose center is in a direction, and not farther aside than that way.
  findNearest(current, x, y) {
    const center = (place) => {
      const box = place.getBBox();
      return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
    };
    const from = center(current);
    let nearest = null, least = Infinity;
    for (const place of this.places) {
      const to = center(place), across = to.x - from.x, down = to.y - from.y;
      const ahead = across * x + down * y, aside = Math.abs(across * y) + Math.abs(down * x);
      const distance = ahead + ASIDE * aside;
      if (place !== current && ahead >= Math.max(1, aside) && distance < least) [nearest, least] = [place, distance];
    }
    return nearest;
  }
}
customElements.define("place-map", PlaceMap);
