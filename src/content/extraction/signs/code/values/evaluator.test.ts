import { expect, test } from "bun:test";
import { type PageSource } from "../../../../page/page.ts";
import { parseTree } from "../../../tree/tree.ts";
import { survey } from "../../survey.ts";
import { Evaluator } from "./evaluator.ts";
import { PageElements } from "./page-elements.ts";
import { Scopes } from "../syntax/scopes.ts";
import { parse } from "../syntax/syntax.ts";
import { type Value } from "./value.ts";

const HTML = `<main id="m" data-on-load="yes"><p class="a" data-a="1">One</p><p class="a b">Two</p><template id="t"><i>x</i></template></main>`;
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
  ["a storage, which is empty at the first visit", "sessionStorage.seen", "= undefined"],
])("%s has its value", (_name, script, expected) => {
  expect(shown(valueOf(script))).toBe(expected);
});

/** A value that is not known is `unknown`, or `other` if it is certainly not an element. */
const VALUES: readonly (readonly [script: string, expected: string])[] = [
  ["1 + 1", "= 11"],
  ['"a" + 1', "= a1"],
  ['"a" + "b"', "= ab"],
  ["`a${given}c`", "~ ac"],
  ["1 !== 1", "= false"],
  ['"a" === "a"', "= true"],
  ['"a" == null', "= false"],
  ["!0", "= true"],
  ["!given", "unknown"],
  ["!m", "= false"],
  ["-1", "other"],
  ['typeof "a"', "other"],
  ["void 0", "= undefined"],
  ["null", "= null"],
  ["undefined", "= undefined"],
  ["true", "= true"],
  ["given", "global"],
  ["1 > 2", "= false"],
  ['"a" && "b"', "= b"],
  ['"" && "b"', "= "],
  ['"" || "b"', "= b"],
  ['"a" || "b"', "= a"],
  ['given || "b"', "unknown"],
  ['null ?? "b"', "= b"],
  ['"a" ?? "b"', "= a"],
  ['given ?? "b"', "unknown"],
  ['true ? "a" : "b"', "= a"],
  ['false ? "a" : "b"', "= b"],
  ['given ? "a" : "b"', "other"],
  ["given ? m : m", "main, main"],
  ["[m]", "main"],
  ["[1]", "= 1"],
  ["[m][0]", "main"],
  ["({ a: 1 }).a", "= 1"],
  ['({ a: 1 })["a"]', "= 1"],
  ['({ a: 1 })["a" + ""]', "= 1"],
  ["({ a: 1 })[given]", "unknown"],
  ["({ a: 1 }).b", "unknown"],
  ['({ "a": 2 }).a', "= 2"],
  ["({ a() { return 3 } }).a()", "= 3"],
  ['"abc".toUpperCase()', "unknown"],
  ['"ABC".toLowerCase()', "= abc"],
  ['"abc".includes(given)', "unknown"],
  ['"abc".endsWith("c")', "unknown"],
  ['"abc".replace("a", "b")', "unknown"],
  ['"abc".split("b")', "unknown"],
  ['"abc".slice(1)', "unknown"],
  ['"abc".concat("d")', "unknown"],
  ['"abc".match(/b/)', "unknown"],
  ['"abc".match(/x/)', "unknown"],
  ["/b/.test(given)", "unknown"],
  ['new RegExp("b").test("abc")', "unknown"],
  ['"a".repeat(2)', "unknown"],
  ["String(1)", "unknown"],
  ['Number("1")', "unknown"],
  ['parseInt("1")', "unknown"],
  ["window", "global"],
  ["self.document", "global"],
  ["window.document.body", "body"],
  ["document", "global"],
  ["document.body", "body"],
  ["document.documentElement", "html"],
  ["document.title", "other"],
  ["document.currentScript", "unknown"],
  ["location", "global"],
  ["location.href", "other"],
  ["location.hash", "= "],
  ["location.pathname", "other"],
  ["location.origin", "other"],
  ["window.location.hash", "= "],
  ["document.location.hash", "= "],
  ["navigator.language", "other"],
  ['navigator.userAgent.includes("Chrome")', "unknown"],
  ["localStorage", "global"],
  ['localStorage.getItem("x")', "= null"],
  ["localStorage.x", "= undefined"],
  ["window.localStorage.x", "= undefined"],
  ['sessionStorage.getItem("x")', "= null"],
  ['new URLSearchParams(location.search).has("page")', "= true"],
  ['new URLSearchParams(location.search).has("none")', "= false"],
  ['new URLSearchParams(location.search).get("none")', "= null"],
  ["new Date().getFullYear()", "= 2099"],
  ["new Date()", "unknown"],
  ["Date.now()", "unknown"],
  ["Math.random()", "unknown"],
  ['JSON.parse("{}")', "unknown"],
  ["Object.keys({})", "unknown"],
  ["Array.from(m.children)", "p.a, p.a b, template"],
  ["Promise.resolve(m)", "main"],
  ['document.getElementById("m")', "main"],
  ['document.getElementById("none")', ""],
  ["document.getElementById(given)", "unknown"],
  ['document.querySelector("#m .b")', "p.a b"],
  ['document.querySelector("none")', ""],
  ['document.querySelector("..")', ""],
  ['document.querySelectorAll("p")', "p.a, p.a b"],
  ['document.querySelectorAll("p")[0]', "p.a"],
  ['document.getElementsByTagName("p")', "p.a, p.a b"],
  ['document.getElementsByClassName("b")', "p.a b"],
  ["document.querySelector(given)", "unknown"],
  ["m.children", "p.a, p.a b, template"],
  ["m.children[0]", "p.a"],
  ["m.childNodes", "p.a, p.a b, template"],
  ["m.parentNode", "body"],
  ["m.nextElementSibling", ""],
  ['m.querySelector(".b").nextElementSibling', "template"],
  ['m.querySelector(".a").nextElementSibling', "p.a b, template"],
  ['m.querySelector(".a").nextSibling', "p.a b, template"],
  ['m.querySelector(".b").closest("main")', "main"],
  ['m.querySelector(".b").closest("ul")', ""],
  ['m.closest("main")', "main"],
  ["m.ownerDocument", "other"],
  ["m.id", "other"],
  ["m.className", "other"],
  ["m.dataset", "data"],
  ["m.dataset.onLoad", "= yes"],
  ["m.dataset.other", "= undefined"],
  ['document.querySelectorAll("p").dataset.a', "unknown"],
  ['document.querySelectorAll("u").dataset.a', "unknown"],
  ["m.textContent", "~ OneTwox"],
  ["m.style", "other"],
  ['m.getAttribute("id")', "unknown"],
  ["m.contains(m)", "unknown"],
  ['m.matches("main")', "unknown"],
  ['m.appendChild(document.createElement("b"))', "made b"],
  ['m.attachShadow({ mode: "open" })', "shadow"],
  ["m.shadowRoot", "= null"],
  ['document.createTextNode("a")', "made #text"],
  ["document.createDocumentFragment()", "made "],
  ['document.createElementNS("ns", "svg")', "made svg"],
  ["document.createElement(given)", "made ?"],
  ['document.createElement("b").appendChild(document.createElement("i"))', "made i"],
  ['new Text("a")', "made #text"],
  ['$("#m")', "main"],
  ['$("#m")[0]', "main"],
  ['$("#m").get(0)', "main"],
  ['$("#m").eq(0)', "main"],
  ['$("#m").first()', "main"],
  ['$("#m").find("p")', "p.a, p.a b"],
  ['$("#m").find(".b")', "p.a b"],
  ['$("#m").children()', "p.a, p.a b, template"],
  ['$(".b").closest("main")', "main"],
  ['$(".b").prev()', "p.a"],
  ['$(".a").next()', "p.a b, template"],
  ['$(".b").parent()', "main"],
  ['$(".b").parents("main")', "main"],
  ["$(document)", "global"],
  ["$(m)", "main"],
  ['$("<b>x</b>")', "made b #text"],
  ['$("<b>x</b>").addClass("y")', "made b #text"],
  ['$("#m").addClass("y")', "main"],
  ['$("#m").css("color", "red")', "main"],
  ['jQuery(".b")', "p.a b"],
  ['q("#m")', "unknown"],
  ['q("m")', "unknown"],
  ["(function () { return 5 })()", "= 5"],
  ["(() => 5)()", "= 5"],
  ["(() => { return 5 })()", "= 5"],
  ["(x => x)(5)", "= 5"],
  ["((x, y) => y)(5)", "unknown"],
  ["((x, y) => y)(5, 6)", "= 6"],
  ["(({ a }) => a)({ a: 7 })", "= 7"],
  ["(([a]) => a)([8])", "unknown"],
  ["function f() { if (given) return 1; return 1 } f()", "other"],
  ["function f() { if (true) return 1; return 2 } f()", "other"],
  ["function f() { if (false) return 1; return 2 } f()", "other"],
  ["function f() { if (given) return m; return document.body } f()", "main, body"],
  ["function f() { } f()", "= undefined"],
  ["function f() { return } f()", "= undefined"],
  ["async function f() { return m } f()", "main"],
  ["class A { } new A()", "instance"],
  ["class A { static n = 4 } A.n", "unknown"],
  ["class A { n() { return 2 } } class B extends A { n() { return super.n() } } new B().n()", "unknown"],
  ["let x = 1; x", "= 1"],
  ["let x; x", "unknown"],
  ["let x = 1; x = 2; x", "other"],
  ["let x; x = m; x", "main"],
  ["var x = m; var x = document.body; x", "main, body"],
  ["const { x = 3 } = {}; x", "unknown"],
  ["const { x, ...rest } = { x: 1, y: 2 }; rest.y", "unknown"],
  ["const [x] = [1]; x", "unknown"],
  ["const [x, y] = [1, 2]; y", "unknown"],
  ["const { x: { y = 5 } = {} } = {}; y", "unknown"],
  ["this", "unknown"],
  ["window.foo = 6; foo", "= 6"],
  ["window.foo = 6; window.foo", "= 6"],
  ["m.foo", "other"],
  ["given()", "unknown"],
  ["given.m()", "unknown"],
  ["new given()", "unknown"],
  ["new Map()", "unknown"],
  ['new Event("x")', "= x"],
  ["new DocumentFragment()", "made "],
  ["(function (x) { return x }).call(0, m)", "main"],
  ["(function () { return this }).bind(m)()", "main"],
  ['JSON.parse("[]")', ""],
  ["function* f() { return m } f()", "unknown"],
  ["let x = x || 1; x", "unknown"],
  ["let x = 0; x++; x", "unknown"],
  ["async () => 1", "function"],
  ["`a`", "= a"],
  ["/a/", "other"],
  ["1n", "= 1"],
];

test.each(VALUES)("%s is %s", (script, expected) => {
  expect(shown(valueOf(script))).toBe(expected);
});

test("a variable of a module is not that of another module", () => {
  const scopes = new Scopes();
  const tree = parseTree(HTML);
  const values = new Evaluator(scopes, new PageElements(tree, survey(tree, SOURCE)), () => undefined);
  const ends = ["var x = 1; x", "var x = 2; x"].map((code) => {
    const program = parse({ url: "", code, isModule: true });
    const last = program?.body.at(-1);
    if (program === undefined || last?.type !== "ExpressionStatement") throw new Error(`no expression in ${code}`);
    scopes.add(program, true, { text: code, isLibrary: false, hasParts: false });
    return () => shown(values.of(last.expression, scopes.of(program) ?? scopes.global));
  });
  expect(ends.map((end) => end())).toEqual(["= 1", "= 2"]);
});
