import { describe, expect, test } from "bun:test";
import { patient } from "../../../lib/testing/patience.ts";
import { parseTree } from "../tree/tree.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

const TEXT = { type: "string" };
const TEXTS = { type: "array", items: TEXT };

function fields(body: string, properties: object): unknown {
  const tree = parseTree(`<html lang=en><body><main><h1>Oak shelf</h1>${body}</main></body></html>`);
  return fieldsOf({ tree, url: "https://shop.example/p" }, planOf({ type: "object", properties })).value;
}

/** The value of a field whose name no vocabulary knows. */
const glossIn = (body: string, schema: object = TEXT): unknown =>
  Reflect.get(Object(fields(body, { gloss: schema })), "gloss");

describe("a value stands", () => {
  test.each([
    ["in the definition of a term", "<dl><dt>Gloss<dd>high<dt>Other<dd>low</dl>"],
    ["after white space and a hidden definition", "<dl><dt>Gloss</dt> <dd hidden>low</dd> <dd>high</dl>"],
    ["in the second cell of a row", "<table><tr><th>Gloss<td>high</table>"],
    ["in the fourth cell of a row", "<table><tr><td>Base<td>flat<td>Gloss<td>high</table>"],
    ["below a heading", "<h3>Gloss</h3> <div>high</div>"],
    ["below a heading and something hidden", "<h3>Gloss</h3><p hidden>low</p><p>high</p>"],
    ["beside its label, in a box of two", "<div><span>Gloss</span><span>high</span></div>"],
    ["in the only element of a line", "<p>Gloss <q>high</q></p>"],
    ["after an element for labels", "<p><b>Gloss</b> high</p>"],
    ["after a class for labels", "<p><u class='spec-label'>Gloss</u> high</p>"],
    ["after a span with a colon", "<p><span>Gloss:</span> high</p>"],
    ["after a span and a colon", "<p><span>Gloss</span>: high</p>"],
    ["before the next label of its kind", "<p><b>Gloss</b> high <b>Base</b> flat</p>"],
    ["before the end of a line", "<p><b>Gloss</b> high<br>with a flat base</p>"],
    ["after the end of a line", "<p><b>Gloss</b><br>high</p>"],
    ["in two elements", "<p><b>Gloss:</b> <i>hi</i><i hidden>low</i></p><p><b>Gloss:</b> high</p>"],
    ["after a colon", "<p>Gloss: high</p>"],
    ["after a wide colon", "<p>Gloss： high</p>"],
    ["between marks of a line", "<p>Base: flat | Gloss: high | Weight: low</p>"],
    ["in a line of several", "<p>Some words.<br>Gloss: high<br>Base: flat</p>"],
  ])("%s", (how, body) => {
    expect(glossIn(body)).toBe(how === "in two elements" ? null : "high");
  });

  test("in at most 60 nodes after a term", () => {
    const definitions = Array.from({ length: 61 }, (_, at) => `<dd>${at}</dd>`);
    expect(glossIn(`<dl><dt>Gloss</dt>${definitions.join("")}</dl>`, TEXTS)).toHaveLength(60);
  });

  test.each([
    ["after another term", "<dl><dt>Gloss<dt>Other<dd>low</dl>"],
    ["in a row of three cells", "<table><tr><td>Gloss<td>high<td>low</table>"],
    ["in a cell for headers", "<table><tr><th>Gloss<th>high</table>"],
    ["below a text that follows the heading", "<h3>Gloss</h3> of the shelf <div>high</div>"],
    ["in a heading below a heading", "<h3>Gloss</h3><h3>high</h3>"],
    ["in a box of three", "<div><span>Gloss</span><span>high</span><span>low</span></div>"],
    ["in a box with other text", "<div><span>Gloss</span><span>high</span> and more</div>"],
    ["after a span without a colon", "<p>The <span>Gloss</span> high</p>"],
    ["after a label that is not shown", "<p><b hidden>Gloss:</b> high</p>"],
    ["after a label that ends with a number", "<p>Gloss 10:30</p>"],
  ])("not %s", (_how, body) => {
    expect(glossIn(body)).toBeNull();
  });
});

test(
  "the pairs after the first 20,001 of a page are not read",
  () => {
    const body = `<dl>${"<dt>a<dd>b".repeat(20_000)}<dt>Base<dd>flat<dt>Gloss<dd>high</dl>`;
    expect(fields(body, { base: TEXT, gloss: TEXT })).toEqual({ base: "flat", gloss: null });
  },
  patient(20_000),
);

test("a label has 48 characters at most", () => {
  const [longest, beyond] = ["x".repeat(48), "x".repeat(49)];
  for (const body of [
    (label: string) => `<dl><dt>${label}<dd>high</dl>`,
    (label: string) => `<p>${label}: high</p>`,
    (label: string) => `<p><b>${label}</b> high</p>`,
    (label: string) => `<p>${label} <q>high</q></p>`,
  ]) {
    expect(fields(body(longest), { [longest]: TEXT })).toEqual({ [longest]: "high" });
    expect(fields(body(beyond), { [beyond]: TEXT })).toEqual({ [beyond]: null });
  }
});

const line = (length: number, before: string) => before + "x".repeat(length);

test("a line with a label has 400 characters at most", () => {
  expect(glossIn(`<p>${line(393, "Gloss: ")}</p>`)).toHaveLength(393);
  expect(glossIn(`<p>${line(394, "Gloss: ")}</p>`)).toBeNull();
  expect(glossIn(`<p>${line(400, "<b>Gloss</b> ")}</p>`)).toHaveLength(400);
  expect(glossIn(`<p>${line(401, "<b>Gloss</b> ")}</p>`)).toBeNull();
  expect(glossIn(`<p>Gloss ${line(400, "<q>")}</q></p>`)).toHaveLength(400);
  expect(glossIn(`<p>Gloss ${line(401, "<q>")}</q></p>`)).toBeNull();
});

test.each([
  ["definitions", "<dl><dt>Gloss<dd>high<dd>low</dl>"],
  ["items below a heading", "<h2>Gloss</h2><ul><li>high<li hidden>none<li>low</ul>"],
  ["items in a box below a heading", "<h2>Gloss</h2><div><ol><li>high<li>low</ol></div>"],
  [
    "items beside a label",
    "<p>Gloss <span><ul><li>high<li>low</ul></span></p><div>Gloss <ul><li>high<li>low</ul></div>",
  ],
  ["parts of a text", "<p>Gloss: high, low</p>"],
  ["parts between slashes", "<p>Gloss: high / low</p>"],
])("a list has its values from %s", (_how, body) => {
  expect(glossIn(body, TEXTS)).toEqual(["high", "low"]);
});

test("several definitions are not one value, and their parts are those of a list", () => {
  expect(glossIn("<dl><dt>Gloss<dd>high<dd>low</dl>")).toBeNull();
  const numbers = { type: "array", items: { type: "integer" } };
  expect(glossIn("<dl><dt>Gloss<dd>1, 2<dd>3, 4</dl>", numbers)).toEqual([1, 2, 3, 4]);
});

const shelves = (body: string): unknown => fields(body, { shelves: { type: "integer" } });

describe("a number without a mark before it", () => {
  test.each([
    ["stands before its label", "<p>3 shelves</p>"],
    ["stands in parentheses with its label", "<p>A wall of oak (3 shelves)</p>"],
    ["stands after its label", "<p>Shelves 3</p>"],
    ["stands in a line of 80 characters", `<p>Shelves 3 ${"x".repeat(70)}</p>`],
    ["stands before its label in a box of two", "<div><b>3</b><i>shelves</i></div>"],
  ])("%s", (_how, body) => {
    expect(shelves(body)).toEqual({ shelves: 3 });
  });

  test.each([
    ["in a line of more than 80 characters", `<p>Shelves 3 ${"x".repeat(71)}</p>`],
    ["after another number", "<p>Shelves4 5 3</p>"],
    ["with several labels", "<p>3 shelves</p><p>4 shelves</p>"],
  ])("is not read %s", (_how, body) => {
    expect(shelves(body)).toEqual({ shelves: null });
  });

  test("has a label of four words at most", () => {
    const count = { type: "integer" };
    expect(fields("<p>Shelves of the wall 3</p>", { shelvesOfTheWall: count })).toEqual({ shelvesOfTheWall: 3 });
    expect(fields("<p>Shelves of the big wall 3</p>", { shelvesOfTheBigWall: count })).toEqual({
      shelvesOfTheBigWall: null,
    });
  });

  test("may be a date after a preposition", () => {
    const day = { type: "string", format: "date" };
    expect(fields("<p>Planted on 3 May 2026</p>", { planted: day })).toEqual({ planted: "2026-05-03" });
    expect(fields("<p>Planted May 3, 2026</p>", { planted: day })).toEqual({ planted: "2026-05-03" });
  });
});

describe("an element has its field as the name of", () => {
  test.each([
    ["its class", "<i class=gloss>high</i>"],
    ["its class, with the kind of thing", "<i class='box product-gloss'>high</i>"],
    ["its id", "<i id=gloss>high</i>"],
    ["its test id", "<i data-testid=glossValue>high</i>"],
    ["its field", "<i data-field=gloss>high</i>"],
    ["the innermost of several", "<div class=gloss><u>Shown</u> <i class=gloss>high</i></div>"],
  ])("%s", (_how, body) => {
    expect(glossIn(`<p>Wood ${body}</p>`)).toBe("high");
  });

  test("a class that says how an element looks names nothing", () => {
    expect(fields("<p>Wood <i class=color>high</i></p>", { color: TEXT })).toEqual({ color: null });
    expect(fields("<p>Wood <i class=product-color>high</i></p>", { color: TEXT })).toEqual({ color: "high" });
  });
});
