// A chart of a result with two columns, the second of numbers: a bar for each of a few rows, or a
// line over ascending numbers. The table beside it has the figures.
const BARS = 30;
const NAMESPACE = "http://www.w3.org/2000/svg";
const LETTER = 7.2; // pixels, of labels

const svg = (name, attributes, ...children) => {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children);
  return made;
};

const cut = (label, letters) => (label.length > letters ? `${label.slice(0, letters - 1)}…` : label);

// Return the chart, or null if the result has none. shown: writes a value of a column as the
// table does.
export const drawChart = ({ columns, rows, total, width, shown }) => {
  const isOfNumbers = (column) => rows.every((row) => typeof row[column] === "number");
  if (columns.length !== 2 || rows.length < 2 || total > rows.length || !isOfNumbers(1)) return null;
  const isAscending = isOfNumbers(0) && rows.every((row, at) => !at || rows[at - 1][0] < row[0]);
  const draw = rows.length <= BARS ? drawBars : isAscending ? drawLine : null;
  if (!draw) return null;
  const figure = document.createElement("figure");
  figure.className = "site-sql__chart";
  const caption = document.createElement("figcaption");
  caption.textContent = `${columns[1]} by ${columns[0]}`;
  figure.append(caption, draw(columns, rows, width, shown));
  return figure;
};

const drawBars = ([by, measure], rows, width, shown) => {
  const step = 26, labels = Math.min(width * 0.4, LETTER * Math.max(...rows.map(([label]) => String(shown(label, 0)).length)) + 8);
  const values = LETTER * Math.max(...rows.map(([, value]) => String(shown(value, 1)).length)) + 12;
  const low = Math.min(0, ...rows.map(([, value]) => value)), high = Math.max(0, ...rows.map(([, value]) => value));
  const scale = Math.max(0, width - labels - values) / (high - low || 1), zero = labels - low * scale;
  const height = rows.length * step + 4;
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Bars: ${measure} by ${by}. The table has the figures.` },
    ...rows.flatMap(([label, value], at) => {
      const y = at * step + 4, end = zero + Math.max(0, value) * scale;
      return [
        svg("text", { x: labels - 8, y: y + 15, "text-anchor": "end" }, cut(String(shown(label, 0)) || "NULL", Math.floor((labels - 8) / LETTER))),
        svg("rect", { x: Math.min(zero, zero + value * scale), y, width: Math.abs(value) * scale, height: step - 6 }),
        svg("text", { x: end + 6, y: y + 15 }, shown(value, 1)),
      ];
    }));
};

const drawLine = ([by, measure], rows, width, shown) => {
  const height = 260, top = 12, bottom = height - 24;
  const xs = rows.map(([x]) => x), ys = rows.map(([, y]) => y);
  const low = Math.min(0, ...ys), high = Math.max(...ys);
  const left = LETTER * Math.max(...[low, high].map((value) => String(shown(value, 1)).length)) + 10, right = width - 12;
  const x = (value) => left + ((value - xs[0]) / (xs.at(-1) - xs[0])) * (right - left);
  const y = (value) => bottom - ((value - low) / (high - low || 1)) * (bottom - top);
  const points = rows.map((row) => `${x(row[0]).toFixed(1)},${y(row[1]).toFixed(1)}`).join(" ");
  return svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `Line: ${measure} by ${by}. The table has the figures.` },
    svg("path", { d: `M${left} ${top}V${bottom}H${right}` }),
    svg("polyline", { points }),
    svg("text", { x: left - 6, y: top + 5, "text-anchor": "end" }, shown(high, 1)),
    svg("text", { x: left - 6, y: bottom, "text-anchor": "end" }, shown(low, 1)),
    svg("text", { x: left, y: height - 6 }, shown(xs[0], 0)),
    svg("text", { x: right, y: height - 6, "text-anchor": "end" }, shown(xs.at(-1), 0)));
};
