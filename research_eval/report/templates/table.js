// Tables of the summary: sorting, and the long ones that are unpacked when they are opened.
function sortTable(table, place, header) {
  const isDown = header.getAttribute("aria-sort") === "ascending";
  for (const one of table.tHead.rows[0].cells) one.removeAttribute("aria-sort");
  header.setAttribute("aria-sort", isDown ? "descending" : "ascending");
  const key = (row) => {
    const text = row.cells[place].dataset.value;
    return text === "" || Number.isNaN(Number(text)) ? text : Number(text);
  };
  const body = table.tBodies[0];
  const ordered = [...body.rows].map((row) => [key(row), row]);
  ordered.sort(([a], [b]) => (isDown ? -1 : 1) * compareKeys(a, b));
  body.append(...ordered.map(([, row]) => row));
}

function compareKeys(a, b) {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (a === b) return 0;
  if (a === "") return 1;
  return String(a) < String(b) ? -1 : 1;
}

function makeSortable(table) {
  [...table.tHead.rows[0].cells].forEach((header, place) => {
    const button = header.querySelector("button");
    button.addEventListener("click", () => sortTable(table, place, header));
  });
}

function longCell([value, ...parts], place) {
  const shown = parts.map(([text, href]) => (href ? el("a", { href }, foreign(text)) : foreign(text)));
  const spaced = shown.flatMap((part, index) =>
    (index && !parts[index][0].startsWith("/") ? [" ", part] : [part]));
  return place ? el("td", { "data-value": value, class: place > 1 ? "num" : null }, spaced)
    : el("th", { scope: "row", "data-value": value }, spaced);
}

function unpackTable(details) {
  details.addEventListener("toggle", async () => {
    const { root, parts } = await unpackChunk(details.dataset.table);
    const data = resolve(root, parts);
    const head = data.headings.map(([text, tip], place) => el("th",
      { scope: "col", class: place === 1 ? "words" : null },
      el("button", { class: "sort", "data-tip": tip || null }, foreign(text))));
    const table = el("table", { class: "sortable" }, el("caption", {}, details.dataset.caption),
      el("thead", {}, el("tr", {}, head)),
      el("tbody", {}, data.rows.map((row) => el("tr", {}, row.map(longCell)))));
    makeSortable(table);
    details.append(el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": details.dataset.caption }, table));
    addTableTools(table);
  }, { once: true });
}
