// What keeps people from using a page that axe does not look for. Each answers what is wrong.
({
  // WCAG 2.2, 2.5.8: what is pressed measures 24 by 24 CSS pixels, or has that much room, or stands
  // in a line of text, or is drawn by the browser, or is a place on a map, whose size is essential.
  smallTargets() {
    const pressed = "a[href], button, input, select, textarea, summary, [role=button]";
    const seen = { visibilityProperty: true, opacityProperty: true };
    // What is scrolled out of sight within a part of the page lies over nothing.
    const isOut = (each) => {
      const box = each.getBoundingClientRect();
      for (let at = each.parentElement; at && at !== document.body; at = at.parentElement) {
        const { bottom, top } = at.getBoundingClientRect();
        const scrolls = ["auto", "scroll"].includes(getComputedStyle(at).overflowY);
        if (scrolls && (box.top >= bottom || box.bottom <= top)) return true;
      }
      return false;
    };
    const all = [...document.querySelectorAll(pressed)].filter((each) => (
      each.checkVisibility(seen) && !each.disabled && !each.closest("place-map svg") && each.getBoundingClientRect().right > 0
      && !isOut(each)));
    const boxOf = (each) => {
      const label = each.matches("[type=checkbox], [type=radio]") && each.labels?.[0];
      const boxes = [each, label].filter(Boolean).map((part) => part.getBoundingClientRect());
      const left = Math.min(...boxes.map((box) => box.left));
      const right = Math.max(...boxes.map((box) => box.right));
      const top = Math.min(...boxes.map((box) => box.top));
      const bottom = Math.max(...boxes.map((box) => box.bottom));
      return { left, right, top, bottom, x: (left + right) / 2, y: (top + bottom) / 2 };
    };
    const boxes = new Map(all.map((each) => [each, boxOf(each)]));
    const isSmall = (box) => box.right - box.left < 23.9 || box.bottom - box.top < 23.9;
    const hasWords = (node) => node.nodeType === Node.TEXT_NODE && /\w/.test(node.data);
    const isInText = (each) => getComputedStyle(each).display === "inline"
      && [...each.parentElement.childNodes].some(hasWords);
    const within = (low, value, high) => Math.max(low, Math.min(value, high));
    const isNear = (box, other) => {
      if (isSmall(other) && Math.hypot(other.x - box.x, other.y - box.y) < 23.9) return true;
      const x = within(other.left, box.x, other.right), y = within(other.top, box.y, other.bottom);
      return Math.hypot(x - box.x, y - box.y) < 11.9;
    };
    return all.filter((each) => {
      const box = boxes.get(each);
      if (!isSmall(box) || isInText(each) || each.matches("[type=file]")) return false;
      return all.some((other) => (
        !other.contains(each) && !each.contains(other) && isNear(box, boxes.get(other))));
    }).map((each) => each.outerHTML.slice(0, 160));
  },

  // WCAG 2.2, 1.4.12: what cuts its text off when the reader spaces it out.
  clippedText() {
    const spaced = new CSSStyleSheet();
    const text = "line-height: 1.5 !important; letter-spacing: .12em !important;"
      + "word-spacing: .16em !important;";
    spaced.replaceSync(`* { ${text} } p { margin-bottom: 2em !important; }`);
    document.adoptedStyleSheets.push(spaced);
    const cut = (overflow) => ["hidden", "clip"].includes(overflow);
    const inputs = "select, option, textarea, input, svg *";
    const unseen = ".usa-sr-only, .visually-hidden, .select2-container";
    const clipped = [...document.querySelectorAll("body *")].filter((each) => {
      if (!each.checkVisibility() || each.matches(inputs) || each.closest(unseen)) return false;
      const { overflowX, overflowY, textIndent } = getComputedStyle(each);
      if (parseFloat(textIndent) < -99) return false; // a picture, with a name that is not seen
      const words = [...each.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      return words && ((cut(overflowY) && each.scrollHeight > each.clientHeight + 2)
        || (cut(overflowX) && each.scrollWidth > each.clientWidth + 2));
    }).map((each) => each.outerHTML.slice(0, 160));
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth) clipped.push(`the page is ${scrollWidth} pixels wide`);
    document.adoptedStyleSheets.pop();
    return clipped;
  },

  // WCAG 2.2, 2.1.1 and 1.4.10: what scrolls sideways, and no key reaches it or it has no name.
  unnamedRegions() {
    return [...document.querySelectorAll("body *")].filter((each) => {
      const { overflowX } = getComputedStyle(each);
      if (!["auto", "scroll"].includes(overflowX) || !each.checkVisibility()) return false;
      if (each.scrollWidth <= each.clientWidth + 1 || each.matches("textarea")) return false;
      const name = each.getAttribute("aria-label") || each.getAttribute("aria-labelledby");
      const isReached = each.tabIndex === 0 || each.querySelector("a[href], button, input");
      return !isReached || (each.tabIndex === 0 && !name);
    }).map((each) => each.outerHTML.slice(0, 160));
  },

  // WCAG 2.2, 2.4.7 and 2.4.11: where the focus is covered, or cannot be seen.
  lostFocus() {
    const inputs = "input:not([type=hidden]), select, textarea";
    const tabbed = `a[href], button, summary, [tabindex="0"], ${inputs}`;
    return [...document.querySelectorAll(tabbed)].flatMap((each) => {
      if (each.disabled || each.tabIndex < 0 || !each.checkVisibility()) return [];
      each.focus();
      return document.activeElement === each ? this.faultsOfFocus(each) : [];
    });
  },

  faultsOfFocus(at) {
    const label = at.matches("[type=checkbox], [type=radio]") && at.labels?.[0];
    const shown = label && label.className.includes("__label") ? label : at;
    const boxes = [...shown.getClientRects()].filter((box) => box.width > 1 && box.height > 1);
    const points = [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.5, 0.1], [0.5, 0.9]];
    const isSeen = (box) => points.some(([x, y]) => {
      const left = Math.max(box.left, 0), right = Math.min(box.right, innerWidth);
      const top = Math.max(box.top, 0), bottom = Math.min(box.bottom, innerHeight);
      const over = document.elementFromPoint(left + (right - left) * x, top + (bottom - top) * y);
      return over && (shown.contains(over) || over.contains(shown) || at.contains(over));
    });
    const drawn = [[shown, ""], [shown, "::before"], [at, ""], [at.parentElement, ""],
      [at.parentElement.parentElement ?? at, ""]];
    const hasRing = drawn.some(([each, part]) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(each, part);
      return outlineStyle !== "none" && parseFloat(outlineWidth) >= 1;
    });
    const faults = [];
    if (!boxes.length) faults.push("is not shown");
    else if (!boxes.some(isSeen)) faults.push("is covered");
    if (!hasRing) faults.push("has no ring");
    return faults.map((fault) => `${fault} with the focus: ${at.outerHTML.slice(0, 160)}`);
  },

  // What is copied whole and broken over lines: each LEI, and in tables each ULI, each email address
  // and each date that is not within a sentence, with what stands around it.
  brokenTexts() {
    const { raw } = String, breaking = ".site-id, .lar-example, section.module"; // on purpose
    const lei = "(?<![A-Z0-9])[A-Z0-9]{18}[0-9]{2}(?![A-Z0-9])";
    const month = raw`(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?`;
    const inTables = ["(?<![A-Z0-9])[A-Z0-9]{23,45}(?![A-Z0-9])", raw`^\s*[\w.+-]+@[\w-]+\.[\w.]+\s*$`,
      raw`^\s*${month} [0-9]{1,2}, [0-9]{4}\s*$`, raw`^\s*[0-9]{4}-[0-9]{2}-[0-9]{2}\s*$`];
    const broken = [], texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const text = texts.currentNode, cell = text.parentElement.closest("td, th");
      if (text.parentElement.closest(breaking)) continue;
      const whole = new RegExp([lei, ...(cell ? inTables : [])].join("|"), "g");
      for (const found of text.data.matchAll(whole)) {
        const range = document.createRange();
        range.setStart(text, found.index);
        range.setEnd(text, found.index + found[0].length);
        const tops = new Set([...range.getClientRects()].map((box) => Math.round(box.top)));
        if (tops.size > 1) broken.push(text.parentElement.outerHTML.slice(0, 200));
      }
    }
    return broken;
  },

  // WCAG 2.2, 1.4.10: what sticks out of the window on the right, but for what lies in a region that
  // is scrolled.
  cutOff() {
    const cut = [...document.querySelectorAll("main *")].filter((each) => {
      const box = each.getBoundingClientRect();
      if (!box.width || !box.height || box.right <= innerWidth + 1) return false;
      if (!each.checkVisibility()) return false; // within closed details
      for (let at = each; at; at = at.parentElement) {
        const { overflowX, position } = getComputedStyle(at);
        if (at !== each && ["auto", "scroll"].includes(overflowX)) return false;
        if (position === "absolute" && at.className.includes("sr-only")) return false;
      }
      return true;
    }).map((each) => each.outerHTML.slice(0, 160));
    const { scrollWidth } = document.documentElement;
    if (scrollWidth > innerWidth) cut.push(`the page is ${scrollWidth} pixels wide`);
    return cut;
  },

  // WCAG 2.2, 1.3.1: where the headings of the main part skip a level.
  skippedHeadings() {
    const all = [...document.querySelectorAll("main :is(h1, h2, h3, h4, h5, h6)")];
    const shown = all.filter((each) => each.checkVisibility());
    const level = (each) => Number(each.tagName[1]);
    return shown.filter((each, place) => place && level(each) > level(shown[place - 1]) + 1)
      .map((each) => each.outerHTML.slice(0, 160));
  },

  // WCAG 2.2, 3.3.1: the links of a summary of errors that lead nowhere, or to a field that does not
  // say that it is wrong, and by what. A group of inputs says so itself.
  unmarkedErrors() {
    const links = [...document.querySelectorAll(".site-errors a[href^='#']")];
    return links.filter((link) => {
      const field = document.getElementById(link.hash.slice(1));
      if (field?.matches("[tabindex='-1']")) return false; // a part of the page
      if (field?.getAttribute("aria-invalid") !== "true") return true;
      const [error] = ["_error", "-error"].map((end) => document.getElementById(field.id + end))
        .filter(Boolean);
      const described = field.getAttribute("aria-describedby")
        ?? field.closest("fieldset")?.getAttribute("aria-describedby") ?? "";
      return error && !described.split(" ").includes(error.id);
    }).map((link) => link.href);
  },

  // On paper: what leads on and is pressed, and the heading if it is not there.
  wrongOnPaper() {
    const led = [...document.querySelectorAll("header.usa-header, footer, .usa-breadcrumb")];
    const wrong = led.filter((each) => each.checkVisibility() && each.offsetHeight);
    const headings = [...document.querySelectorAll("h1")];
    if (!headings.some((each) => each.checkVisibility())) wrong.push(document.documentElement);
    return wrong.map((each) => each.outerHTML.slice(0, 160));
  },

  // Pictures with dark letters and no ground of their own, which are lost on a dark one.
  unseenPictures() {
    const drawn = "figure img, picture img, .site-gallery img, .season-charts img";
    return [...document.querySelectorAll(drawn)].filter((each) => (
      each.checkVisibility() && getComputedStyle(each).backgroundColor === "rgba(0, 0, 0, 0)"
    )).map((each) => each.outerHTML.slice(0, 160));
  },

  // What is animated; for pages of readers who want no motion.
  moving() {
    return [...document.querySelectorAll("*")].filter((each) => {
      const { animationName, transitionDuration, scrollBehavior } = getComputedStyle(each);
      return animationName !== "none" || scrollBehavior === "smooth"
        || transitionDuration.split(",").some((duration) => parseFloat(duration) > 0.01);
    }).map((each) => each.outerHTML.slice(0, 160));
  },
})
