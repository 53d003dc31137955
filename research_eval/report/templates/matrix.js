// The matrix: a row a case, a column a configuration, a sign and a colour for what came of its trials.
const OUTCOMES = {
  passed: ["\u2713", "passed at first"],
  repaired: ["\u21bb", "passed after a retry"],
  flips: ["\u00b1", "flips between trials"],
  failed: ["\u2717", "failed"],
  silent: ["\u2205", "no answer"],
  error: ["!", "error of the infrastructure"],
  absent: ["\u00b7", "not run"],
};
// The same signs for whether the answer stated every expected fact.
const CORRECT = {
  passed: ["\u2713", "correct"],
  flips: ["\u00b1", "flips between trials"],
  failed: ["\u2717", "not correct"],
  error: ["!", "error of the infrastructure"],
  absent: ["\u00b7", "not run, or no expected answer"],
};
const FAILED = ["failed", "silent"];
const CASES = 100;

function outcomeOf(row) {
  const status = rows.value(row, "status");
  if (status === "error") return "error";
  if (status === "not_run") return "absent";
  if (rows.value(row, "final_passed") === 1) return rows.value(row, "first_attempt_passed") === 1 ? "passed" : "repaired";
  return status === "rejected" ? "failed" : "silent";
}

function correctnessOf(row) {
  if (rows.value(row, "status") === "error") return "error";
  const value = rows.value(row, "correct");
  return value === 1 ? "passed" : value === 0 ? "failed" : "absent";
}

// Whether any case has an expected answer, so that correctness has values.
function hasCorrect() {
  return distinct("correct").some((one) => one === 0 || one === 1);
}

// What came of the trials of one case under one configuration.
function together(found, outcome) {
  const all = new Set(found.map(outcome));
  const judged = [...all].filter((one) => one !== "error" && one !== "absent");
  if (!judged.length) return all.has("error") ? "error" : "absent";
  const failing = judged.filter((one) => FAILED.includes(one));
  if (failing.length && failing.length < judged.length) return "flips";
  if (failing.length) return failing.includes("failed") ? "failed" : "silent";
  return judged.includes("repaired") ? "repaired" : "passed";
}

const matrices = new Map();

function loadMatrix(outcome) {
  if (matrices.has(outcome)) return matrices.get(outcome);
  const cases = new Map();
  for (let row = 0; row < rows.count; row += 1) {
    const id = rows.value(row, "case_id");
    if (!cases.has(id)) cases.set(id, { id, tags: [], cells: new Map() });
    const one = cases.get(id);
    for (const tag of rows.value(row, "tags") || []) if (!one.tags.includes(tag)) one.tags.push(tag);
    const name = rows.value(row, "configuration");
    if (!one.cells.has(name)) one.cells.set(name, []);
    one.cells.get(name).push(row);
  }
  for (const one of cases.values()) {
    one.outcomes = new Map([...one.cells].map(([name, found]) => [name, together(found, outcome)]));
  }
  matrices.set(outcome, [...cases.values()]);
  return matrices.get(outcome);
}

// Models alone, where there are any: a reference agent is made to pass or to fail.
function ranked() {
  const names = distinct("configuration");
  const models = names.filter((name) => !referenceAgents().includes(name));
  return models.length ? models : names;
}

const SHOWN = {
  failed: ["failed everywhere", (one) => ranked().every((name) => FAILED.includes(one.outcomes.get(name)))],
  flips: ["flips between trials", (one) => [...one.outcomes.values()].includes("flips")],
  differ: ["configurations differ", (one) => new Set(ranked().map((name) => one.outcomes.get(name))).size > 1],
};

function matrixChoice(query, column, label, options, none = "any") {
  const box = el("select", { name: "matrix-" + column }, el("option", { value: "" }, none),
    options.map(([value, text]) => el("option", { value, selected: query.get(column) === value }, foreign(text))));
  box.addEventListener("change", () => {
    const next = changed(query, column, box.value || null);
    location.hash = "matrix?" + next.toString();
  });
  return el("label", {}, label, box);
}

function pairLink(one, name, number) {
  const query = new URLSearchParams({ case_id: one.id, a: name, ...(number ? { ta: number } : {}) });
  return "#pair?" + query.toString();
}

// How many cases passed under a configuration, of those that have a value under any.
function passedCell(judged, name) {
  const passed = judged.filter((one) => ["passed", "repaired"].includes(one.outcomes.get(name))).length;
  const said = name + ": " + passed + " of " + plural(judged.length, "case");
  return el("td", { class: "cell total", title: visibleText(said) }, number(passed));
}

function matrixCell(one, name, outcomes) {
  const outcome = one.outcomes.get(name) || "absent";
  const [sign, words] = outcomes[outcome];
  const said = one.id + ", " + name + ": " + words;
  return el("td", { class: "cell o-" + outcome }, el("a", { href: pairLink(one, name), title: visibleText(said), "aria-label": visibleText(said) }, sign));
}

function visibleText(text) {
  return foreign(text).map((part) => (part instanceof Node ? part.textContent : part)).join("");
}

function renderMatrix(target, query) {
  const tag = query.get("tag");
  const outcome = query.get("outcome");
  const shown = SHOWN[query.get("show")];
  const isCorrect = query.get("by") === "correct";
  const outcomes = isCorrect ? CORRECT : OUTCOMES;
  const every = loadMatrix(isCorrect ? correctnessOf : outcomeOf);
  const found = every.filter((one) => (!tag || one.tags.includes(tag))
    && (!outcome || [...one.outcomes.values()].includes(outcome)) && (!shown || shown[1](one)));
  const judged = found.filter((one) => [...one.outcomes.values()].some((each) => each !== "absent" && each !== "error"));
  const last = Math.max(1, Math.ceil(found.length / CASES));
  const page = Math.min(last, Math.max(1, Number(query.get("_page")) || 1));
  const names = distinct("configuration");
  const step = (to, label, isOff) => el("button", { disabled: isOff, onclick: () => {
    location.hash = "matrix?" + changed(query, "_page", String(to)).toString(); } }, label);
  target.replaceChildren(
    el("h2", { tabindex: -1 }, "Cases by configuration"),
    el("form", { class: "filters" },
      hasCorrect() ? matrixChoice(query, "by", "Shown", [["correct", "correct answers"]], "honest citations") : null,
      matrixChoice(query, "tag", "Tag", distinct("tags").sort().map((one) => [one, one])),
      matrixChoice(query, "outcome", "Outcome", Object.entries(outcomes).map(([key, [sign, words]]) => [key, sign + " " + words])),
      matrixChoice(query, "show", "Cases", Object.entries(SHOWN).map(([key, [words]]) => [key, words])),
      el("a", { href: "#matrix", class: "reset" }, "Clear all")),
    el("p", { id: "matrix-count", role: "status", "data-count": found.length },
      plural(found.length, "case"), " of ", number(every.length)),
    el("p", { class: "key" }, Object.entries(outcomes).map(([key, [sign, words]]) =>
      [el("span", { class: "meaning" }, el("span", { class: "cell o-" + key }, sign), " " + words), " "])),
    el("p", { class: "note" }, "Failed everywhere: under every "
      + (referenceAgents().length && ranked().length < names.length ? "model" : "configuration")
      + ". A sign leads to two answers side by side."),
    el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Matrix" }, el("table", { class: "matrix" },
      el("caption", { class: "unseen" }, "Outcome of each case under each configuration"),
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "Case"), names.map((name) =>
        el("th", { scope: "col", class: "upright" }, el("span", {}, foreign(name),
          referenceAgents().includes(name) ? " \u25e6" : "")))),
      el("tr", { class: "totals" }, el("th", { scope: "row" }, (isCorrect ? "correct" : "passed") + ", of " + plural(judged.length, "case")),
        names.map((name) => passedCell(judged, name)))),
      el("tbody", {}, found.slice((page - 1) * CASES, page * CASES).map((one) => el("tr", {},
        el("th", { scope: "row" }, el("a", { href: "#trials?" + new URLSearchParams({ case_id: one.id }) }, foreign(one.id))),
        names.map((name) => matrixCell(one, name, outcomes))))))),
    last > 1 ? el("nav", { class: "pager", "aria-label": "Pages of the matrix" },
      step(page - 1, "\u2190 Previous", page <= 1), " page " + page + " of " + last + " ",
      step(page + 1, "Next \u2192", page >= last)) : "");
  target.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
}
