// Reads a module of compiled React SVG components from the file argv[2]; writes each exported one as argv[3]/NAME.svg.
import { readFileSync, writeFileSync } from "node:fs";

const [, , source, target] = process.argv;
const kebab = (key) => key.replace(/[A-Z]/g, (letter) => "-" + letter.toLowerCase());
const kept = new Set(["viewBox", "preserveAspectRatio", "gradientUnits", "gradientTransform", "patternUnits",
  "patternTransform", "clipPathUnits", "spreadMethod"]);
const quoted = (value) => String(value).replace(/&/g, "&amp;").replace(/"/g, "&quot;").replace(/</g, "&lt;");
const styled = (style) => Object.entries(style).map(([key, value]) => `${kebab(key)}:${value}`).join(";");

function attribute([key, value]) {
  if (value == null || key === "children" || key === "className") return "";
  if (key === "xlinkHref") return ` xlink:href="${quoted(value)}"`;
  if (key === "xmlnsXlink") return ` xmlns:xlink="${quoted(value)}"`;
  if (key === "style") return ` style="${quoted(styled(value))}"`;
  return ` ${kept.has(key) ? key : kebab(key)}="${quoted(value)}"`;
}

function createElement(tag, properties, ...children) {
  const inside = children.flat(9).filter((child) => child != null && child !== false).join("");
  return `<${tag}${Object.entries(properties ?? {}).map(attribute).join("")}>${inside}</${tag}>`;
}

const code = readFileSync(source, "utf8");
const names = [...code.matchAll(/export\s*\{([^}]*)\}/g)].flatMap((found) => found[1].split(","))
  .map((pair) => pair.trim().split(/\s+as\s+/)).filter((pair) => pair[0]);
const body = code.replace(/^import .*$/gm, "").replace(/export\s*\{[^}]*\};?/g, "").replace(/export default .*$/gm, "");
const table = names.map(([local, shown]) => `${JSON.stringify(shown ?? local)}: ${local}`).join(",");
const components = new Function("React", "_extends", `${body}\nreturn {${table}};`)({ createElement }, Object.assign);
for (const [name, component] of Object.entries(components)) {
  if (typeof component !== "function") continue;
  let svg = component({});
  if (!svg.includes("xmlns:xlink")) svg = svg.replace("<svg", '<svg xmlns:xlink="http://www.w3.org/1999/xlink"');
  writeFileSync(`${target}/${name}.svg`, svg);
}
