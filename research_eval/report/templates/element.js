// Builds elements. Whatever comes from a trial becomes a text node or an attribute of its own,
// never markup.
const INVISIBLE = /([\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|[\u0000-\u0008\u000b-\u001f\u007f-\u009f])/u;

function el(name, attributes, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "onclick") node.addEventListener("click", value);
    else node.setAttribute(key, value === true ? "" : String(value));
  }
  add(node, children);
  return node;
}

function add(node, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === "") continue;
    if (child instanceof Node) node.append(child);
    else node.append(...foreign(child).map((part) => (part instanceof Node ? part : document.createTextNode(part))));
  }
  return node;
}

// Text of a model or a page: characters that can't be seen are shown by their number.
function foreign(text) {
  return String(text).split(INVISIBLE).map((part, index) => {
    if (index % 2 === 0) return part;
    const code = part.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
    const shown = document.createElement("span");
    shown.className = "control";
    shown.title = "invisible character";
    shown.append(document.createTextNode("U+" + code));
    return shown;
  });
}

// A word of the records as people write it: http_404 is HTTP 404, rate_limited is rate limited.
function spoken(word) {
  return String(word).replace(/^http_/, "HTTP ").replaceAll("_", " ").replace(/\burl\b/, "URL");
}

// A URL of a page: text, and a link where it is one that a browser may safely open.
function address(text, isLink) {
  const shown = el("span", { class: "url" }, foreign(text));
  if (!isLink || !/^https?:\/\/[^\s]+$/i.test(text)) return shown;
  const attributes = { href: text, rel: "noreferrer noopener", target: "_blank", class: "url" };
  return el("a", attributes, foreign(text));
}

function fold(summary, ...children) {
  return el("details", {}, el("summary", {}, summary), ...children);
}

function number(value) {
  if (value === null || value === undefined) return "\u2013";
  if (!Number.isInteger(value)) return value.toFixed(2);
  return String(value).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
}

function plural(count, word) {
  return number(count) + " " + word + (count === 1 ? "" : "s");
}
