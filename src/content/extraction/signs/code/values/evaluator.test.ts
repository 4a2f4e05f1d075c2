import { expect, test } from "bun:test";
import { type PageSource } from "../../../../page/page.ts";
import { parseTree } from "../../../tree/tree.ts";
import { survey } from "../../survey.ts";
import { Evaluator } from "./evaluator.ts";
import { PageElements } from "./page-elements.ts";
import { Scopes } from "../syntax/scopes.ts";
import { parse } from "../syntax/syntax.ts";
import { type Value } from "./value.ts";

const HTML = `<main id="m"><p class="a">One</p><p class="a b">Two</p><template id="t"><i>x</i></template></main>`;
const SOURCE: PageSource = {
  engine: "static",
  body: HTML,
  contentType: "text/html",
  finalUrl: "https://site.test/a/b?page=2",
  statusCode: 200,
  headers: [],
  complete: true,
};

/** The value of the last expression of a script. */
function valueOf(script: string): Value {
  const tree = parseTree(HTML);
  const program = parse({ url: "", code: script, isModule: false });
  const last = program?.body.at(-1);
  if (program === undefined || last?.type !== "ExpressionStatement") throw new Error(`no expression in ${script}`);
  const scopes = new Scopes();
  scopes.add(program, false, { text: script, isLibrary: false, hasParts: false });
  const values = new Evaluator(scopes, new PageElements(tree, survey(tree, SOURCE)), () => undefined);
  return values.of(last.expression, scopes.global);
}

/** A value in short: its text, the names and classes of its elements, or its kind. */
function shown(value: Value): string {
  if (value.is === "constant") return `= ${String(value.value)}`;
  if (value.is === "text") return `~ ${value.text}`;
  if (value.is === "elements")
    return value.all.map(({ name, attribs }) => [name, attribs["class"]].filter(Boolean).join(".")).join(", ");
  return value.is === "made" ? `made ${[...value.made.tags].join(" ")}` : value.is;
}

test.each([
  ["operators on known values", "1 === 1", "= true"],
  ["operators on unknown values", "given() === 1", "unknown"],
  ["a text that is known in part", "'page ' + navigator.language", "~ page "],
  ["a template literal", "const n = 7; `page ${n}`", "~ page 7"],
  ["both branches of an unknown condition", "unknown() ? m : document.body", "main, body"],
  ["the known branch of a condition", "localStorage.getItem('x') ? m : document.body", "body"],
  ["the default of a missing value", "localStorage.getItem('x') ?? 'none'", "= none"],
  ["a variable with the identifier of an element", "m", "main"],
  ["a search in the document", "document.querySelector('.a')", "p.a"],
  ["a search in an element", "m.querySelectorAll('p')", "p.a, p.a b"],
  ["an element around another", "document.querySelector('.b').parentElement", "main"],
  ["an element beside another", "document.querySelector('.b').previousElementSibling", "p.a"],
  ["elements of jQuery", "$('.a').filter('.b').parent()", "main, main"],
  ["a created element", "document.createElement('DIV')", "made div"],
  ["a copy of a template's content", "t.content.cloneNode(true)", "made #text i"],
  ["a destructured variable", "const { a: { b } } = { a: { b: 3 } }; b", "= 3"],
  ["the result of a function", "function f(x) { return x } f(m)", "main"],
  ["the default of a parameter", "const f = (x = 5) => x; f(undefined)", "= 5"],
  ["a function that calls itself", "function f() { return f() } f()", "unknown"],
  [
    "a method of a class that another one extends",
    "class A { n() { return 2 } } class B extends A {} new B().n()",
    "= 2",
  ],
  ["`this` in a method of an object", "const o = { n: 4, f() { return this.n } }; o.f()", "= 4"],
  ["the query of the address", "new URLSearchParams(location.search).get('page')", "= 2"],
  ["a part of the address", "location.pathname.startsWith('/a')", "= true"],
  ["a pattern that matches a known text", "/b$/.test(location.pathname)", "= true"],
  ["a storage, which is empty at the first visit", "sessionStorage.seen", "= undefined"],
])("%s has its value", (_name, script, expected) => {
  expect(shown(valueOf(script))).toBe(expected);
});
