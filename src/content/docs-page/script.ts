/**
 * The page's only script: it searches the page and copies code. Without it the page is
 * complete.
 */
export const SCRIPT = `
"use strict";
const all = (selector, root = document) => [...root.querySelectorAll(selector)];
const make = (tag, text, className) => {
  const element = document.createElement(tag);
  if (text) element.textContent = text;
  if (className) element.className = className;
  return element;
};

// Copy buttons.
for (const figure of all("figure")) {
  const code = figure.querySelector("code");
  const caption = figure.querySelector("figcaption");
  const button = make("button", "Copy", "copy");
  button.type = "button";
  button.setAttribute("aria-label", "Copy: " + caption.textContent);
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  caption.append(button);
}

// The menu marks the section that is read.
const links = new Map(all("nav a[href^='#']").map((link) => [link.hash.slice(1), link]));
const headings = [...links.keys()].map((id) => document.getElementById(id)).filter(Boolean);
let marked;
const mark = () => {
  const shown = headings.filter((heading) => heading.offsetParent !== null);
  const passed = shown.filter((heading) => heading.getBoundingClientRect().top < innerHeight / 3);
  const link = links.get((passed.at(-1) || shown[0] || {}).id);
  if (link === marked) return;
  marked?.removeAttribute("aria-current");
  marked = link;
  marked?.setAttribute("aria-current", "true");
};
addEventListener("scroll", mark, { passive: true });
addEventListener("hashchange", mark);
mark();

// Search over operations, fields and errors.
const box = document.getElementById("find");
const results = document.getElementById("results");
const entries = all("section.operation").flatMap((section) => {
  const { id } = section;
  const name = section.querySelector("h2 code").textContent;
  const of = (selector, kind) => all(selector, section).map((cell) => ({ id, label: cell.textContent, note: kind + " of " + name, text: cell.textContent }));
  const summary = section.querySelector(".summary").textContent;
  return [
    { id, label: name, note: summary, text: name + " " + summary },
    ...of("table.fields tbody th code", "field"),
    ...of("td.code code", "error"),
  ];
});
const search = () => {
  const words = box.value.toLowerCase().split(/\\s+/).filter(Boolean);
  results.replaceChildren();
  results.hidden = words.length === 0;
  if (results.hidden) return;
  const found = entries.filter(({ text, note }) => words.every((word) => (text + " " + note).toLowerCase().includes(word)));
  for (const { id, label, note } of found.slice(0, 12)) {
    const item = make("li");
    const link = make("a");
    link.href = "#" + id;
    link.append(make("strong", label), make("span", note));
    item.append(link);
    results.append(item);
  }
  if (found.length === 0) results.append(make("li", "Nothing found"));
};
box.closest("form").hidden = false;
box.addEventListener("input", search);
box.closest("form").addEventListener("submit", (event) => {
  event.preventDefault();
  results.querySelector("a")?.click();
});
results.addEventListener("click", () => { box.value = ""; search(); });
addEventListener("keydown", (event) => {
  if (event.key === "/" && !/^(?:INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) {
    event.preventDefault();
    box.focus();
  }
  if (event.key === "Escape" && document.activeElement === box) { box.value = ""; search(); }
});
`;
