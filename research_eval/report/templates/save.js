// Buttons that copy a table, or save a table or a picture as a file.
const FORMULA = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]/;

function cellText(cell) {
  return cell.innerText.replace(/\s+/g, " ").trim();
}

function plainCell(text) {
  const isNumber = /^[-+]?\d[\d.,\u202f\s]*( %)?( |$)/.test(text);
  return FORMULA.test(text) && !isNumber ? "'" + text : text;
}

function tableText(table, between, quote) {
  return Array.from(table.rows, (row) => Array.from(row.cells, (cell) => quote(plainCell(cellText(cell)))).join(between)).join("\n") + "\n";
}

function saveFile(name, type, text) {
  const link = el("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

async function copyText(button, text) {
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    button.textContent = "This browser lets no page copy";
  }
}

function fileName(text) {
  return text.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 60) || "table";
}

function copyButton(label, text) {
  const button = el("button", { class: "tool", type: "button", onclick: () => copyText(button, text()) }, label);
  return button;
}

function addTableTools(table) {
  const name = fileName(table.caption ? table.caption.textContent : "table");
  const quoted = (text) => '"' + text.replaceAll('"', '""') + '"';
  const what = table.caption ? table.caption.textContent : "table";
  const save = el("button", { class: "tool", type: "button", "aria-label": "Save as CSV: " + what,
    onclick: () => saveFile(name + ".csv", "text/csv", tableText(table, ",", quoted)) }, "Save CSV");
  const copy = copyButton("Copy table", () => tableText(table, "\t", (text) => text));
  table.parentElement.after(el("p", { class: "tools" }, copy, save));
}

function addPictureTools(figure) {
  const save = el("button", { class: "tool", type: "button", onclick: () => {
    const picture = Array.from(figure.querySelectorAll("svg")).find((one) => one.checkVisibility());
    const copy = picture.cloneNode(true);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    copy.setAttribute("xmlns:xlink", "http://www.w3.org/1999/xlink");
    saveFile(figure.dataset.name + ".svg", "image/svg+xml", new XMLSerializer().serializeToString(copy));
  } }, "Save picture");
  figure.append(el("p", { class: "tools" }, save));
}
