// The trials as rows: conditions find some of them, as trace.py does in Python.
let rows = null;

async function loadRows() {
  if (rows) return rows;
  const { parts, root } = await unpackChunk("rows");
  const data = resolve(root, parts);
  const index = new Map(data.columns.map((name, place) => [name, place]));
  const count = data.columns.length ? data.values[0].length : 0;
  rows = {
    count,
    columns: data.columns,
    chunks: data.chunks,
    kinds: data.kinds,
    measures: data.measures,
    kind(name) {
      return data.kinds.find((one) => one.name === name);
    },
    value(row, column) {
      const place = index.get(column);
      return place === undefined ? null : data.values[place][row];
    },
  };
  return rows;
}

function meets(row, column, wanted) {
  const value = rows.value(row, column);
  if (value === null || value === undefined) return false;
  if (wanted.includes("*")) return true;
  if (Array.isArray(value)) return value.some((one) => wanted.includes(one));
  return wanted.includes(String(value));
}

function conditionsIn(query) {
  const where = new Map();
  for (const [column, value] of query) {
    if (column.startsWith("_")) continue;
    where.set(column, [...(where.get(column) || []), value]);
  }
  return where;
}

function contains(row, words) {
  if (!words) return true;
  const text = ["case_id", "configuration", "failure"].map((c) => rows.value(row, c) || "");
  return text.join(" ").toLowerCase().includes(words.toLowerCase());
}

function findTrials(query) {
  const where = [...conditionsIn(query)];
  const words = query.get("_text");
  const found = [];
  for (let row = 0; row < rows.count; row += 1) {
    if (where.every(([column, wanted]) => meets(row, column, wanted)) && contains(row, words)) {
      found.push(row);
    }
  }
  return sorted(found, query.get("_sort"), query.get("_down") !== null);
}

function sorted(found, column, isDown) {
  if (!column) return found;
  const sign = isDown ? -1 : 1;
  return [...found].sort((a, b) => sign * compare(rows.value(a, column), rows.value(b, column)));
}

function compare(a, b) {
  if (a === b) return 0;
  if (a === null || a === undefined) return 1;
  if (b === null || b === undefined) return -1;
  if (typeof a === "number" && typeof b === "number") return a - b;
  return String(a) < String(b) ? -1 : 1;
}

function distinct(column) {
  const seen = new Set();
  for (let row = 0; row < rows.count; row += 1) {
    const value = rows.value(row, column);
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined) seen.add(one);
    }
  }
  return [...seen];
}
