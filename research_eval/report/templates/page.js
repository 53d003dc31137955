// Routes and tooltips.
const views = { summary: "view-summary", matrix: "view-matrix", trials: "view-trials", pair: "view-pair", trial: "view-trial" };
const renderers = { matrix: renderMatrix, trials: renderList, pair: renderPair, trial: renderTrial };
const parents = { trial: "trials", pair: "matrix" };

function route() {
  const [name, query] = location.hash.slice(1).split("?");
  return [views[name] ? name : "summary", new URLSearchParams(query || "")];
}

function showView(name) {
  document.body.dataset.view = name;
  for (const [one, id] of Object.entries(views)) document.getElementById(id).hidden = one !== name;
  for (const link of document.querySelectorAll("#menu a")) {
    const isHere = link.hash === "#" + (parents[name] || name);
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

async function render(isFirst) {
  const [name, query] = route();
  const isSame = !document.getElementById(views[name]).hidden;
  showView(name);
  if (name === "summary") {
    document.title = document.body.dataset.title;
    const section = document.getElementById(location.hash.slice(1));
    if (section && section.id !== "summary") section.scrollIntoView();
    return;
  }
  const target = document.getElementById(views[name]);
  try {
    await loadRows();
    await renderers[name](target, query);
    document.title = target.querySelector("h2").textContent + " \u2013 " + document.body.dataset.title;
  } catch (problem) {
    target.replaceChildren(el("h2", { tabindex: -1 }, "The trials can't be unpacked"),
      el("p", {}, "This browser lacks DecompressionStream, or the file is damaged: ", String(problem)));
  }
  if (!isFirst && !(isSame && name !== "trial")) {
    window.scrollTo(0, 0);
    target.querySelector("h2").focus({ preventScroll: true });
  }
}

function tip() {
  const box = el("div", { id: "tip", role: "tooltip", hidden: true });
  document.body.append(box);
  const show = (event) => {
    const owner = event.target.closest && event.target.closest("[data-tip]");
    box.hidden = !owner;
    if (!owner) return;
    box.textContent = owner.dataset.tip;
    const place = owner.getBoundingClientRect();
    const left = Math.min(place.left, window.innerWidth - box.offsetWidth - 12);
    box.style.left = Math.max(8, left) + "px";
    box.style.top = place.bottom + 6 + "px";
  };
  document.addEventListener("pointerover", show);
  document.addEventListener("focusin", show);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") box.hidden = true;
  });
  document.addEventListener("scroll", () => { box.hidden = true; }, true);
}

document.querySelectorAll("table.sortable").forEach(makeSortable);
document.querySelectorAll("details[data-table]").forEach(unpackTable);
document.querySelectorAll("#view-summary .scroll > table").forEach(addTableTools);
document.querySelectorAll("figure.plot").forEach(addPictureTools);
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault(); // the address says which view is shown
  document.getElementById("main").focus();
});
tip();
window.addEventListener("hashchange", () => render(false));
render(true);
