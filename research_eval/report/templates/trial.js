// The page of one trial: attempts with their citations marked, ledger, transcript, scores.
function rulingText(ruling) {
  return ruling === "fetched" ? "opened in this trial" : (rows.kind(ruling) || {}).meaning || "";
}

// The label of a kind of violation, as its gate declares it.
function kindLabel(name) {
  return (rows.kind(name) || {}).label || spoken(name);
}

async function loadTrial(row) {
  const name = rows.value(row, "configuration") + "\n" + rows.value(row, "trial");
  for (const chunk of rows.chunks[rows.value(row, "case_id")] || []) {
    const { parts, root } = await unpackChunk("chunk-" + chunk);
    if (root[name] !== undefined) return resolve(root[name], parts);
  }
  return null;
}

function findRow(query) {
  const wanted = ["case_id", "configuration", "trial"].map((c) => [c, query.get(c)]);
  for (let row = 0; row < rows.count; row += 1) {
    if (wanted.every(([c, v]) => String(rows.value(row, c)) === v)) return row;
  }
  return null;
}

function showSource(place) {
  const target = document.getElementById("source-" + place);
  if (!target) return;
  for (const one of document.querySelectorAll(".source-here")) one.classList.remove("source-here");
  target.classList.add("source-here");
  target.scrollIntoView({ block: "center" });
  target.focus({ preventScroll: true });
}

function sourceButton(place, label) {
  if (place === null || place === undefined) {
    return el("span", { class: "ref none", title: "not in the ledger" }, "not in ledger");
  }
  const name = (label || "") + "ledger record " + (place + 1);
  return el("button", { class: "ref", "aria-label": name, title: name,
    onclick: () => showSource(place) }, place + 1);
}

// What closes a citation stays with it, before the verdict that is put behind it.
const CLOSERS = [">", ")", "]", "\u3011", "\uff09", "\u300d"];

function markedAnswer(attempt) {
  const points = Array.from(attempt.answer);
  const out = [];
  let at = 0;
  const marks = [...attempt.marks].sort((a, b) => a[0] - b[0]);
  for (const [start, end, ruling, place, note] of marks) {
    if (start < at || end > points.length || end <= start) continue;
    out.push(foreign(points.slice(at, start).join("")));
    const title = rulingText(ruling) + (note ? " (" + note + ")" : "");
    out.push(el("mark", { class: "v-" + ruling, title, "data-ruling": ruling },
      foreign(points.slice(start, end).join(""))));
    let behind = end;
    while (CLOSERS.includes(points[behind])) behind += 1;
    out.push(foreign(points.slice(end, behind).join("")));
    out.push(el("sup", { class: "after" }, el("span", { class: "badge v-" + ruling }, kindLabel(ruling)),
      sourceButton(place, ruling + ", ")));
    at = behind;
  }
  out.push(foreign(points.slice(at).join("")));
  return el("div", { class: "answer", dir: "auto", tabindex: 0 }, out);
}

// The corrective holds what the model was told; here it is said once, in parts.
function violationItem(violation) {
  const ruling = rulingText(violation.kind);
  return el("li", {}, el("span", { class: "badge v-" + violation.kind }, kindLabel(violation.kind)), " ",
    violation.url ? [address(violation.url, false), " "] : null,
    el("span", { class: "quiet" }, ruling || foreign(violation.message || "")),
    violation.nearest ? el("div", { class: "quiet" }, "nearest in the ledger: ",
      address(violation.nearest, false), " ", sourceButton(violation.source),
      violation.difference ? " differs in " + violation.difference : "") : null,
    violation.may_be_own_tool ? el("div", { class: "quiet" },
      "Our tools never saw it: invented, or opened with the agent's own tools.") : null);
}

function attemptBlock(attempt, count) {
  const passed = attempt.violations.length === 0;
  const verdict = passed ? "\u2713 passed" : "\u2717 rejected: " + plural(attempt.violations.length, "violation");
  return el("section", { class: "attempt" },
    el("h4", { id: "attempt-" + attempt.attempt, tabindex: -1 },
      "Attempt " + attempt.attempt + " of " + count + " ",
      el("span", { class: passed ? "good" : "bad" }, verdict),
      el("span", { class: "quiet" }, " by gate ", foreign(attempt.gate))),
    markedAnswer(attempt),
    passed ? null : el("ul", { class: "violations" }, attempt.violations.map(violationItem)),
    attempt.corrective ? fold("Corrective sent back to the model",
      el("blockquote", { dir: "auto" }, foreign(attempt.corrective))) : null);
}

function evidenceText(source) {
  const state = source.state || "searched";
  const failed = source.failure ? "failed: " + spoken(source.failure) : "";
  if (state === "given") return "in the question only";
  if (state === "failed") return failed || "failed";
  if (state === "searched") return failed ? "search hit, " + failed : "search hit only";
  const evidence = source.evidence && source.evidence !== "ok" ? ", no evidence: " + spoken(source.evidence) : "";
  return "opened" + evidence + (source.alias_of ? ", alias" : "");
}

function ledgerTable(trial, isLink) {
  const body = trial.sources.map((source, place) => el("tr", { id: "source-" + place, tabindex: -1 },
    el("th", { scope: "row", class: "num" }, place + 1),
    el("td", {}, el("span", { class: "badge s-" + (source.state || "searched") }, evidenceText(source))),
    el("td", {}, el("div", { dir: "auto" }, foreign(source.title || "")), address(source.url, isLink),
      source.key !== source.url ? el("div", { class: "quiet" }, "key: ", address(source.key, false)) : null,
      source.alias_of ? el("div", { class: "quiet" }, "declared by: ", address(source.alias_of, false)) : null,
      (source.observed || []).length ? fold("other spellings", el("ul", {},
        source.observed.map((one) => el("li", {}, address(one, false))))) : null,
      source.snippet ? fold("snippet", el("p", { dir: "auto" }, foreign(source.snippet))) : null,
      source.content_sha256 ? pageText(source.content_sha256) : null),
    el("td", { class: "num" }, source.content_chars === undefined ? "\u2013" : number(source.content_chars))));
  const head = ["No.", "State", "Source", "Characters"].map((t) => el("th", {
    scope: "col", class: t === "Characters" ? "num" : null }, t));
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": "Ledger" }, el("table", { class: "ledger" },
    el("caption", {}, "Ledger: every URL that this trial saw"),
    el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)));
}

function pageText(sha256, label) {
  if (document.getElementById("page-" + sha256) === null) return null;
  const box = el("div", { class: "answer", dir: "auto", tabindex: 0 }, "\u2026");
  const details = fold(label || "text of the page", box);
  details.addEventListener("toggle", async () => {
    if (!details.open) return;
    const { root, parts } = await unpackChunk("page-" + sha256);
    box.replaceChildren();
    add(box, [foreign(resolve(root, parts))]);
  }, { once: true });
  return details;
}

function trialHead(row) {
  const facts = [["Case", "case_id"], ["Configuration", "configuration"], ["Trial", "trial"],
    ["Ended", "status"], ["Language", "language"], ["Retries", "retries"], ["Turns", "turns"]];
  const tags = rows.value(row, "tags") || [];
  return [el("dl", { class: "facts" }, facts.map(([label, column]) => el("div", {},
    el("dt", {}, label), el("dd", {}, foreign(rows.value(row, column) ?? "\u2013")))),
  correctnessOf(row) === "absent" ? null : el("div", {}, el("dt", {}, "Correct"), el("dd", {}, verdictBadge(rows.value(row, "correct")))),
  tags.length ? el("div", {}, el("dt", {}, "Tags"), el("dd", {}, foreign(tags.join(", ")))) : null,
  el("div", {}, el("dt", {}, "Line of trials.jsonl"), el("dd", {}, rows.value(row, "line") ?? "\u2013")))];
}

function neighbours(row) {
  const list = lastList && lastList.includes(row) ? lastList : [...Array(rows.count).keys()];
  const at = list.indexOf(row);
  const step = (to, label) => to === undefined ? el("span", { class: "quiet" }, label)
    : el("a", { href: trialLink(to) }, label);
  return el("nav", { class: "pager", "aria-label": "Neighbouring trials" },
    step(list[at - 1], "\u2190 Previous"), " ", (at + 1) + " of " + number(list.length), " ",
    step(list[at + 1], "Next \u2192"));
}

function scoreRows(row, columns, notes, caption) {
  const body = columns.map((c) => el("tr", {},
    el("th", { scope: "row" }, foreign(c.replace("unscored:", ""))),
    el("td", { class: "num" }, c.startsWith("unscored:")
      ? el("span", { class: "quiet" }, spoken(rows.value(row, c))) : foreign(rows.value(row, c))),
    el("td", { class: "quiet" }, foreign(notes[c.replace("unscored:", "")] || ""))));
  return el("table", { class: "list" }, el("caption", {}, caption), el("tbody", {}, body));
}

function scoreTable(row, notes) {
  const names = rows.columns.filter((c) => !c.startsWith("weight:") && !c.startsWith("tries:"));
  const shown = names.slice(names.indexOf("replay_unplayed") + 1)
    .filter((c) => rows.value(row, c) !== null);
  const idle = shown.filter((c) => rows.value(row, c) === "not_applicable");
  const told = shown.filter((c) => !idle.includes(c));
  return fold("All scores of this trial",
    scoreRows(row, told, notes, "Scores, and why others are missing"),
    idle.length ? fold(plural(idle.length, "score") + " with nothing to measure",
      scoreRows(row, idle, notes, "Scores that do not apply, and why")) : null);
}

function expectedFacts(trial) {
  return el("p", { class: "expected" }, el("b", {}, "Expected: "), trial.expected.map((fact, place) =>
    [place ? "; " : "", el("span", { dir: "auto" }, foreign(fact))]));
}

// One word of a command of a POSIX shell.
function shellWord(text) {
  return /^[\w.,:/@%+=-]+$/.test(text) ? text : "'" + text.replaceAll("'", "'\\''") + "'";
}

function replayBlock(row) {
  const words = ["research-eval", "replay", document.body.dataset.experiment, "--case", rows.value(row, "case_id"),
    "--configuration", rows.value(row, "configuration"), "--out", "reports/again"];
  const command = words.map(shellWord).join(" ");
  return fold("Replay this trial", el("p", { class: "note" },
    "Offline, from the recordings of the experiment; the trials of this case are the same bytes again. Put the experiment's file in the place of ",
    el("code", {}, foreign(document.body.dataset.experiment)), "; those that come with the package are called ", el("code", {}, "bundled"), " and ", el("code", {}, "calibration"), "."),
  el("pre", {}, foreign(command)), copyButton("Copy the command", () => command));
}

async function renderTrial(target, query) {
  const row = findRow(query);
  if (row === null) {
    target.replaceChildren(el("h2", { tabindex: -1 }, "No such trial"),
      el("p", {}, el("a", { href: "#trials" }, "All trials")));
    return;
  }
  const trial = await loadTrial(row);
  const isLink = !document.body.hasAttribute("data-synthetic");
  const labels = document.querySelectorAll("#labels .badge");
  const isReference = referenceAgents().includes(rows.value(row, "configuration"));
  target.replaceChildren(
    el("p", { class: "crumbs" }, el("a", { href: "#trials" }, "Trials"), " / ",
      foreign(rows.value(row, "case_id"))),
    el("h2", { tabindex: -1, dir: "auto" }, trial ? foreign(trial.question) : "Not run"),
    el("p", {}, isReference ? el("span", { class: "badge label" }, "reference agent") : null, " ",
      Array.from(labels, (one) => [one.cloneNode(true), " "])),
    neighbours(row),
    el("p", {}, el("a", { href: pairLink({ id: rows.value(row, "case_id") }, rows.value(row, "configuration"), rows.value(row, "trial")) },
      "Compare with another answer")), ...trialHead(row));
  add(target, [trial && trial.expected.length ? expectedFacts(trial) : null, replayBlock(row)]);
  if (!trial) return;
  if (trial.failure) {
    target.append(el("p", { class: "banner" }, "Error: ", spoken(trial.failure.kind), ": ",
      foreign(trial.failure.message)));
  }
  add(target, [el("h3", {}, "Attempts"),
    trial.attempts.length ? trial.attempts.map((a) => attemptBlock(a, trial.attempts.length))
      : el("p", {}, "No answer was put to the gate."),
    el("h3", {}, "Ledger"), ledgerTable(trial, isLink),
    el("h3", {}, "Transcript"), timeline(trial), scoreTable(row, trial.notes)]);
}

function referenceAgents() {
  return JSON.parse(document.body.dataset.reference);
}
