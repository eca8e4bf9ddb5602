// Reads the beginning of a chosen file and checks whether it matches the filing. The messages for
// files that the service would refuse come from the service.
"use strict";

const BEGINNING = 1 << 20; // bytes that are read
const SHEET_FIELDS = 15;
const SEPARATORS = { ",": "commas", ";": "semicolons", "\t": "tabs" };

// Return a size as the pages of the service write it. Units: bytes.
const fileSize = (bytes) => {
  const units = [["GB", 1 << 30], ["MB", 1 << 20], ["KB", 1 << 10]];
  const [unit, one] = units.find(([, least]) => bytes >= least) ?? [];
  if (unit) return `${(bytes / one).toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: 1 })} ${unit}`;
  return `${bytes} byte${bytes === 1 ? "" : "s"}`;
};

const fileChecks = (() => {
  const sentence = (text) => text.charAt(0).toUpperCase() + text.slice(1);
  // A check: its name, the value in the file, what is wrong with it, and whether the service refuses
  // the file because of it.
  const check = (name, value, fault = "", isRefused = false) => ({ name, value, fault, isRefused });
  const refused = (name, value, fault) => check(name, value, sentence(fault), true);

  const ofName = ({ name }, { refusals }) => name.toLowerCase().endsWith(".txt")
    ? check("Name", name)
    : refused("Name", name, refusals.name.replace("{name}", () => name));

  const ofSize = ({ size }, { limit, limitText, refusals }) => {
    if (!size) return refused("Size", fileSize(size), refusals.empty);
    if (size > limit) return refused("Size", fileSize(size), `the file is larger than ${limitText}, the most accepted.`);
    return check("Size", fileSize(size));
  };

  // Return the service's message if the bytes are not text; blank if they may be.
  const foreign = (bytes, { kinds, zip, zipped, nul }) => {
    const hex = Array.from(bytes.subarray(0, 8), (byte) => byte.toString(16).padStart(2, "0")).join("");
    const kind = kinds.find(([begins]) => hex.startsWith(begins));
    if (kind) {
      const inside = new TextDecoder("latin1").decode(bytes);
      const known = kind[0] === zip && zipped.find(([names]) => new RegExp(names).test(inside));
      return (known || kind)[1];
    }
    const at = bytes.indexOf(0);
    if (at < 0) return "";
    const line = bytes.subarray(0, at).reduce((lines, byte) => lines + (byte === 10), 1);
    return nul.replace("{line}", String(line));
  };

  const ofEncoding = (bytes, isWhole, { refusals }) => {
    const fault = foreign(bytes, refusals);
    if (fault) return refused("Encoding", "not text", fault);
    try {
      const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: !isWhole });
      return { ...check("Encoding", "UTF-8"), text };
    } catch {
      return check("Encoding", "not UTF-8", "The file is not UTF-8 text. Save it as UTF-8.");
    }
  };

  const ofSheet = (line, { lei, year, quarter }) => {
    const fields = line.split("|");
    const separator = SEPARATORS[/^\s*1([,;\t])/.exec(line)?.[1]];
    if (separator) {
      const fault = `The fields are separated by ${separator}; save the file again as text with a pipe (|) between the fields.`;
      return [check("Transmittal sheet", "not readable", fault)];
    }
    if (fields[0] !== "1") {
      return [check("Transmittal sheet", "missing", "The first line is not a transmittal sheet: it must begin with 1.")];
    }
    if (fields.length !== SHEET_FIELDS) {
      return [check("Transmittal sheet", "not readable", `The transmittal sheet has ${fields.length} fields; it must have ${SHEET_FIELDS}.`)];
    }
    const [, , ofYear, ofQuarter] = fields, ofLei = fields[14].trim();
    const shown = (value) => value.slice(0, 60) || "(blank)";
    // The service refuses what names another institution or period; what names none, the edits find.
    const compare = (name, is, due, names, fault) => {
      if (is === due) return check(name, shown(is));
      return names.test(is) ? refused(name, shown(is), fault) : check(name, shown(is), fault);
    };
    const number = /^[0-9]+$/;
    return [
      compare("Calendar year", ofYear.trim(), year, number, `The transmittal sheet is for ${shown(ofYear)}; this filing is for ${year}.`),
      compare("Calendar quarter", ofQuarter.trim(), quarter, number, `The calendar quarter on the transmittal sheet is ${shown(ofQuarter)}; enter ${quarter}.`),
      compare("LEI", ofLei.toUpperCase() === lei ? lei : ofLei, lei, /./, `The LEI on the transmittal sheet is ${shown(ofLei)}; this filing is for ${lei}.`),
    ];
  };

  // Return the checks of a file in the order in which they are shown.
  return async (file, filing) => {
    const checks = [ofName(file, filing), ofSize(file, filing)];
    if (!file.size) return checks;
    let bytes;
    try {
      bytes = new Uint8Array(await file.slice(0, BEGINNING).arrayBuffer());
    } catch {
      return [refused("File", file.name, "the file cannot be read, or has changed since you chose it. Choose it again.")];
    }
    const { text, ...encoding } = ofEncoding(bytes, file.size <= BEGINNING, filing);
    checks.push(encoding);
    if (text !== undefined) checks.push(...ofSheet(text.split(/\r\n|\n|\r/, 1)[0], filing));
    return checks;
  };
})();
