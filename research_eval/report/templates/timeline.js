// The transcript of a trial, one entry an event.
function usageText(usage) {
  if (!usage || !(usage.input_tokens || usage.output_tokens)) return "";
  return " \u00b7 " + number(usage.input_tokens || 0) + " tokens in, " + number(usage.output_tokens || 0) + " out";
}

const ENDS = {
  stop: "finished its reply", tool_calls: "waits for the tools", length: "\u2717 cut off at the token limit",
  content_filter: "\u2717 stopped by the provider's filter", refusal: "\u2717 declined to answer",
};

function endText(reason) {
  return reason ? ENDS[reason] || spoken(reason) : "";
}

function pretty(json) {
  try {
    return JSON.stringify(JSON.parse(json), null, 1).replace(/\s*\n\s*/g, " ");
  } catch {
    return json;
  }
}

const EVENTS = {
  prompt: (event) => ["System prompt", [fold("read it",
    el("div", { class: "answer" }, foreign(event.system_prompt))),
  " tools: " + (event.tools || []).join(", ")]],
  model: (event) => ["Turn " + event.turn, [
    event.text ? el("div", { class: "said", dir: "auto" }, foreign(event.text)) : null,
    (event.tool_calls || []).map((call) => el("div", {}, "asks for ",
      el("code", {}, foreign(call.name), " ", foreign(pretty(call.arguments))))),
    el("div", { class: "quiet" }, endText(event.finish_reason), usageText(event.usage),
      event.request_retries ? " \u00b7 " + plural(event.request_retries, "request retry") : "")]],
  tool: (event) => ["Tool " + event.tool, [
    el("span", { class: event.ok ? "good" : "bad" }, event.ok ? "\u2713 worked" : "\u2717 failed"),
    " ", plural(event.result_chars || 0, "character"), " returned",
    event.error ? el("div", {}, foreign(event.error)) : null,
    event.result_sha256 ? pageText(event.result_sha256, "what the model read") : null]],
  search: (event) => ["Search", [
    el("q", { dir: "auto" }, foreign(event.query)), " ",
    event.served_by ? ["answered by ", el("b", {}, foreign(event.served_by))]
      : el("span", { class: "bad" }, "\u2717 no provider answered"),
    event.unrecorded ? el("span", { class: "bad" }, " unrecorded") : null,
    el("ul", { class: "tries" }, (event.tries || []).map(tryItem)),
    (event.hits || []).length ? fold(plural(event.hits.length, "hit"), el("ol", {},
      event.hits.map((hit) => el("li", {}, foreign(hit.title || ""), " ", address(hit.url, false),
        el("div", { class: "quiet", dir: "auto" }, foreign(hit.snippet || "")))))) : null]],
  fetch: (event) => ["Fetch", [
    address(event.url, false), " ",
    event.ok ? el("span", { class: "good" }, "\u2713 opened " + (event.status ?? ""))
      : el("span", { class: "bad" }, fetchFailure(event)),
    event.evidence ? el("span", { class: "bad" }, " no evidence: " + spoken(event.evidence)) : null,
    event.from_ledger ? " from the ledger" : null,
    event.unrecorded ? el("span", { class: "bad" }, " unrecorded") : null,
    event.final_url && event.final_url !== event.url
      ? el("div", { class: "quiet" }, "ended at ", address(event.final_url, false)) : null,
    event.title ? el("div", { class: "quiet", dir: "auto" }, foreign(event.title)) : null]],
  gate: (event, trial) => ["Gate", gateEntry(trial.attempts.find((a) => a.attempt === event.attempt))],
};

function fetchFailure(event) {
  const word = spoken(event.error || "failed");
  return "\u2717 " + (event.status && !word.includes(event.status) ? word + ", HTTP " + event.status : word);
}

function tryItem(one) {
  const good = one.outcome === "served" || one.outcome === "cached";
  const notes = [one.error ? spoken(one.error) : null, one.status, one.requests ? plural(one.requests, "request") : null,
    one.breaker_opened ? "breaker opened" : null].filter((note) => note);
  return el("li", {}, el("span", { class: good ? "good" : "bad" }, good ? "\u2713 " : "\u2717 "),
    foreign(one.provider), " ", one.outcome, notes.length ? " (" + notes.join(", ") + ")" : "");
}

function gateEntry(attempt) {
  if (!attempt) return [];
  const passed = attempt.violations.length === 0;
  return [el("button", { class: "plain", onclick: () => {
    const target = document.getElementById("attempt-" + attempt.attempt);
    target.scrollIntoView({ block: "start" });
    target.focus({ preventScroll: true });
  } }, "attempt " + attempt.attempt), " ",
  el("span", { class: passed ? "good" : "bad" }, passed ? "\u2713 passed" : "\u2717 rejected"), " ",
  attempt.violations.map((v) => el("span", { class: "badge v-" + v.kind }, spoken(v.kind)))];
}

function timeline(trial) {
  return el("ol", { class: "timeline" }, trial.events.map((event) => {
    const [title, body] = EVENTS[event.kind](event, trial);
    const time = event.at_s === undefined || event.at_s === null ? "" : event.at_s.toFixed(2) + " s";
    return el("li", { class: "e-" + event.kind }, el("span", { class: "when" }, time),
      el("div", {}, el("b", { class: "what" }, foreign(title)), " ", body));
  }));
}
