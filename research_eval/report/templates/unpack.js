// Unpacks what pack.py packed: base64, deflate, and a table of parts that are kept once.
function literal(text) {
  return text.startsWith("~") ? text.slice(1) : text;
}

function resolve(value, parts) {
  if (typeof value === "string") {
    if (!value.startsWith("~") || value.startsWith("~~")) return literal(value);
    const part = parts[Number(value.slice(1))];
    return typeof part === "string" ? literal(part) : resolve(part, parts);
  }
  if (Array.isArray(value)) return value.map((one) => resolve(one, parts));
  if (value !== null && typeof value === "object") {
    const out = Object.create(null);
    for (const key of Object.keys(value)) out[key] = resolve(value[key], parts);
    return out;
  }
  return value;
}

async function inflate(id) {
  const bytes = Uint8Array.from(atob(document.getElementById(id).textContent.trim()), (c) =>
    c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  const held = JSON.parse(await new Response(stream).text());
  return { parts: held.parts, root: held.root };
}

const opened = new Map();

async function unpackChunk(id) {
  if (!opened.has(id)) {
    if (opened.size > 8) opened.delete(opened.keys().next().value);
    opened.set(id, inflate(id));
  }
  return opened.get(id);
}
