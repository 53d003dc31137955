// Two answers to one question side by side, with the words that differ marked.
const MOST_STEPS = 4000000;

function wordsOf(text) {
  if (typeof Intl !== "undefined" && Intl.Segmenter) {
    return Array.from(new Intl.Segmenter(undefined, { granularity: "word" }).segment(text), (one) => one.segment);
  }
  return text.split(/(\s+)/).filter((one) => one);
}

// Return which words of two lists are in the longest common part; null where it would take too long.
function commonWords(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const n = a.length - start - end;
  const m = b.length - start - end;
  if (n * m > MOST_STEPS) return null;
  const same = [a, b].map((words) => words.map((_, place) => place < start || place >= words.length - end));
  const width = m + 1;
  const best = new Uint16Array((n + 1) * width);
  for (let i = n - 1; i >= 0; i -= 1) {
    for (let j = m - 1; j >= 0; j -= 1) {
      best[i * width + j] = a[start + i] === b[start + j] ? best[(i + 1) * width + j + 1] + 1
        : Math.max(best[(i + 1) * width + j], best[i * width + j + 1]);
    }
  }
  for (let i = 0, j = 0; i < n && j < m;) {
    if (a[start + i] === b[start + j]) {
      same[0][start + i] = true;
      same[1][start + j] = true;
      i += 1;
      j += 1;
    } else if (best[(i + 1) * width + j] >= best[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return same;
}

function markedWords(words, same, tag) {
  const out = [];
  for (let at = 0; at < words.length;) {
    let to = at;
    while (to < words.length && same[to] === same[at]) to += 1;
    const text = words.slice(at, to).join("");
    out.push(same[at] || !text.trim() ? foreign(text) : el(tag, {}, foreign(text)));
    at = to;
  }
  return out;
}

function finalAnswer(trial) {
  return trial && trial.attempts.length ? trial.attempts[trial.attempts.length - 1].answer : "";
}

function pairSide(label, row, trial, shown, choose) {
  const found = findTrials(new URLSearchParams({ case_id: rows.value(row, "case_id") }));
  const box = el("select", { name: "side-" + label }, found.map((one) => el("option", { value: one, selected: one === row },
    foreign(rows.value(one, "configuration")), " #" + rows.value(one, "trial") + " " + OUTCOMES[outcomeOf(one)][0])));
  box.addEventListener("change", () => choose(Number(box.value)));
  const last = trial && trial.attempts[trial.attempts.length - 1];
  return el("section", { class: "side-of-pair" },
    el("label", {}, "Answer " + label + " ", box),
    el("p", {}, el("span", { class: "cell o-" + outcomeOf(row) }, OUTCOMES[outcomeOf(row)][0]), " ", OUTCOMES[outcomeOf(row)][1], " \u00b7 ",
      ["passed", "failed"].includes(correctnessOf(row)) ? [CORRECT[correctnessOf(row)].join(" "), " \u00b7 "] : null,
      el("a", { href: trialLink(row) }, "open the trial")),
    last && last.violations.length ? el("ul", { class: "violations" }, last.violations.map(violationItem)) : null,
    el("div", { class: "answer", dir: "auto", tabindex: 0 }, shown.length ? shown : "No answer."));
}

function otherRow(row) {
  const found = findTrials(new URLSearchParams({ case_id: rows.value(row, "case_id") })).filter((one) => one !== row);
  const apart = found.filter((one) => outcomeOf(one) !== outcomeOf(row));
  const names = ranked();
  const first = apart.find((one) => names.includes(rows.value(one, "configuration")));
  return first ?? apart[0] ?? found[0] ?? row;
}

function rowOf(query, name, number) {
  const wanted = new URLSearchParams({ case_id: query.get("case_id"), configuration: name });
  const found = findTrials(wanted);
  return found.find((one) => String(rows.value(one, "trial")) === number) ?? found[0] ?? null;
}

async function renderPair(target, query) {
  const a = rowOf(query, query.get("a"), query.get("ta"));
  if (a === null) {
    target.replaceChildren(el("h2", { tabindex: -1 }, "No such case"), el("p", {}, el("a", { href: "#matrix" }, "All cases")));
    return;
  }
  const b = query.get("b") === null ? otherRow(a) : rowOf(query, query.get("b"), query.get("tb")) ?? a;
  const trials = [await loadTrial(a), await loadTrial(b)];
  const words = trials.map((one) => wordsOf(finalAnswer(one)));
  const same = commonWords(words[0], words[1]);
  const shown = words.map((each, place) => (same ? markedWords(each, same[place], place ? "ins" : "del") : foreign(each.join(""))));
  const choose = (left, right) => {
    const next = { case_id: query.get("case_id"), a: rows.value(left, "configuration"), ta: rows.value(left, "trial"),
      b: rows.value(right, "configuration"), tb: rows.value(right, "trial") };
    location.hash = "pair?" + new URLSearchParams(next).toString();
  };
  const asked = trials.find((one) => one);
  target.replaceChildren(
    el("p", { class: "crumbs" }, el("a", { href: "#matrix" }, "Matrix"), " / ", foreign(query.get("case_id"))),
    el("h2", { tabindex: -1, dir: "auto" }, asked ? foreign(asked.question) : "Not run"),
    asked && asked.expected.length ? expectedFacts(asked) : "",
    el("p", { class: "note" }, same ? "Words that one answer alone has are marked." : "The answers are too long to mark what differs."),
    el("div", { class: "pair" },
      pairSide("A", a, trials[0], shown[0], (row) => choose(row, b)),
      pairSide("B", b, trials[1], shown[1], (row) => choose(a, row))));
}
