// The list of trials: filters, chips for the other conditions, sums, pages of a hundred.
const PAGE = 100;
const FILTERS = [
  ["configuration", "Configuration", null],
  ["status", "Ended", null],
  ["first_attempt_passed", "First attempt", { 1: "passed", 0: "failed" }],
  ["final_passed", "Final", { 1: "passed", 0: "failed" }],
  ["correct", "Correct", { 1: "yes", 0: "no" }],
  ["retries", "Retries", null],
  ["language", "Language", null],
  ["tags", "Tag", null],
];
const LIST_COLUMNS = [
  ["case_id", "Case"], ["configuration", "Configuration"], ["trial", "Trial"],
  ["first_attempt_passed", "First"], ["final_passed", "Final"], ["correct", "Correct"],
  ["retries", "Retries"], ["status", "Ended"], [null, "Violations, first answer"],
  ["language", "Language"], ["turns", "Turns"], ["searches", "Searches"], ["fetches", "Fetches"],
];
const YES_NO = ["first_attempt_passed", "final_passed", "correct"];

let lastList = null;

function go(query) {
  location.hash = "trials?" + query.toString();
}

function changed(query, column, value) {
  const next = new URLSearchParams(query);
  next.delete(column);
  next.delete("_page");
  if (value !== null) next.append(column, value);
  return next;
}

function choice(query, [column, label, names]) {
  const box = el("select", { name: column }, el("option", { value: "" }, "any"));
  const present = query.getAll(column);
  const values = distinct(column).map(String);
  if (typeof rows.value(0, column) === "number") values.sort((a, b) => a - b);
  for (const value of values) {
    const chosen = present.length === 1 && present[0] === value;
    const text = names ? names[value] || value : value;
    box.append(el("option", { value, selected: chosen }, foreign(text)));
  }
  if (present.length > 1 || (present.length === 1 && !values.includes(present[0]))) {
    const named = present.map((one) => (one === "*" ? "any value" : (names && names[one]) || one));
    box.append(el("option", { value: "several", selected: true }, foreign(named.join(" or "))));
  }
  box.addEventListener("change", () => go(changed(query, column, box.value || null)));
  return el("label", {}, label, box);
}

function kindFilter(query) {
  const box = el("select", {}, el("option", { value: "" }, "any"));
  for (const { name, label } of rows.kinds) {
    const selected = query.getAll("first_" + name).join() === "1";
    box.append(el("option", { value: name, selected }, foreign(label)));
  }
  box.addEventListener("change", () => {
    let next = new URLSearchParams(query);
    for (const { name } of rows.kinds) next = changed(next, "first_" + name, null);
    go(box.value ? changed(next, "first_" + box.value, "1") : next);
  });
  return el("label", {}, "Violation, first answer", box);
}

function textFilter(query) {
  const box = el("input", { type: "search", value: query.get("_text") || "" });
  box.addEventListener("change", () => go(changed(query, "_text", box.value || null)));
  return el("label", {}, "Case or configuration contains", box);
}

function conditionText(values) {
  if (values.includes("*")) return " has a value";
  if (values.includes("0") && values.includes("1")) return " is known, yes or no";
  return " is " + values.join(" or ");
}

function chips(query) {
  const hidden = new Set(FILTERS.map(([c]) => c));
  const kinds = new Set(rows.kinds.map((k) => "first_" + k.name));
  const out = [];
  for (const [column, values] of conditionsIn(query)) {
    if (hidden.has(column) || (kinds.has(column) && values.join() === "1")) continue;
    const text = column + conditionText(values);
    const remove = () => go(changed(query, column, null));
    out.push(el("button", { class: "chip", onclick: remove, title: "Remove this condition" },
      foreign(text), " \u00d7"));
  }
  return out;
}

// The sum of a column, and its mean with each trial's weight where the score has one.
function sumLine(found, column) {
  if (!column) return null;
  let sum = 0;
  let weight = 0;
  let over = 0;
  for (const row of found) {
    const value = rows.value(row, column);
    if (typeof value !== "number") continue;
    const part = rows.value(row, "weight:" + column) ?? 1;
    sum += part * value;
    weight += part;
    over += 1;
  }
  const mean = weight ? sum / weight : null;
  return el("p", { id: "list-sum", "data-sum": sum, "data-over": over, "data-mean": mean },
    "Sum of ", el("code", {}, foreign(column)), ": ", number(sum), " over ",
    plural(over, "trial"), weight === over ? "" : " and " + number(weight) + " units",
    ", mean ", number(mean), ".");
}

const IN_FIGURES = new Set(["trial", "retries", "turns", "searches", "fetches"]);

function heading(query, [column, label]) {
  if (!column) return el("th", { scope: "col" }, label);
  const isHere = query.get("_sort") === column;
  const isDown = query.get("_down") !== null;
  const toggle = () => {
    const next = changed(changed(query, "_sort", column), "_down", isHere && !isDown ? "" : null);
    go(next);
  };
  const order = isHere ? (isDown ? "descending" : "ascending") : null;
  const isNumber = IN_FIGURES.has(column) || column === query.get("_sum");
  return el("th", { scope: "col", "aria-sort": order, class: isNumber ? "num" : null },
    el("button", { class: "sort", onclick: toggle }, label));
}

function trialLink(row) {
  const query = new URLSearchParams();
  for (const column of ["case_id", "configuration", "trial"]) {
    query.append(column, rows.value(row, column));
  }
  return "#trial?" + query.toString();
}

function verdictBadge(value) {
  if (value === null || value === undefined) return el("span", { class: "quiet" }, "\u2013");
  return el("span", { class: value === 1 ? "good" : "bad" }, value === 1 ? "\u2713 yes" : "\u2717 no");
}

function listCell(row, column) {
  if (column === "case_id") {
    return el("a", { href: trialLink(row) }, foreign(rows.value(row, column)));
  }
  if (YES_NO.includes(column)) {
    return verdictBadge(rows.value(row, column));
  }
  if (column === null) {
    const found = rows.kinds.filter((kind) => rows.value(row, "first_" + kind.name) === 1);
    return found.map((kind) => el("span", { class: "badge v-" + kind.name }, foreign(kind.label)));
  }
  const value = rows.value(row, column);
  if (column === "configuration") {
    return referenceAgents().includes(value) ? [foreign(value), " \u25e6"] : foreign(value);
  }
  return typeof value === "number" ? number(value) : foreign(value === null ? "\u2013" : value);
}

function pager(query, found, page) {
  const last = Math.max(1, Math.ceil(found.length / PAGE));
  if (last === 1) return null;
  const step = (to, label, isOff) => el("button", {
    disabled: isOff, onclick: () => go(changed(query, "_page", String(to))) }, label);
  return el("nav", { class: "pager", "aria-label": "Pages of the list" },
    step(page - 1, "\u2190 Previous", page <= 1),
    " page " + page + " of " + last + " ",
    step(page + 1, "Next \u2192", page >= last));
}

function renderList(target, query) {
  const found = findTrials(query);
  lastList = found;
  const page = Math.max(1, Number(query.get("_page")) || 1);
  const measure = query.get("_sum");
  const isKnown = ([column]) => column !== "correct" || hasCorrect();
  const columns = [...LIST_COLUMNS.filter(isKnown), ...(measure ? [[measure, measure]] : [])];
  const shown = found.slice((page - 1) * PAGE, page * PAGE);
  const body = shown.map((row) => el("tr", {}, columns.map(([column], place) =>
    el(place ? "td" : "th", { scope: place ? null : "row",
      class: IN_FIGURES.has(column) || column === measure ? "num" : null },
    listCell(row, column)))));
  target.replaceChildren(
    el("h2", { tabindex: -1 }, "Trials"),
    el("form", { class: "filters" }, FILTERS.filter(isKnown).map((one) => choice(query, one)),
      kindFilter(query), textFilter(query),
      el("a", { href: "#trials", class: "reset" }, "Clear all")),
    el("p", { id: "list-count", role: "status", "data-count": found.length },
      plural(found.length, "trial"), " of ", number(rows.count), " planned ", chips(query)),
    referenceAgents().length ? el("p", { class: "quiet" }, "\u25e6 reference agent") : "",
    add(document.createDocumentFragment(), [sumLine(found, measure)]),
    el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Trials" }, el("table", { class: "list" },
      el("caption", {}, "Trials that meet the conditions"),
      el("thead", {}, el("tr", {}, columns.map((one) => heading(query, one)))),
      el("tbody", {}, body))),
    add(document.createDocumentFragment(), [pager(query, found, page)]));
  target.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
}
