import { expect, test } from "bun:test";
import { type FieldRule } from "../tree/page-fields.ts";
import { parseTree } from "../tree/tree.ts";
import { planOf } from "./field-plan.ts";
import { fieldsOf } from "./fields-of.ts";

const PLAN = planOf({ type: "object", properties: { gloss: { type: "string" } } });
const URL_OF_PAGE = "https://shop.example/p";

/** The rules that find the value "high" in a page. */
function rulesIn(body: string): readonly FieldRule[] | undefined {
  const tree = parseTree(`<h1>Oak shelf</h1><main>${body}</main>`);
  return fieldsOf({ tree, url: URL_OF_PAGE, learn: { "/gloss": "high" } }, PLAN).rules?.["/gloss"];
}

function found(body: string, rule: FieldRule): unknown {
  const tree = parseTree(`<h1>Oak shelf</h1><main>${body}</main>`);
  const { value, drift } = fieldsOf({ tree, url: URL_OF_PAGE, rules: { "/gloss": rule } }, PLAN);
  return [Reflect.get(Object(value), "gloss"), drift];
}

test("a value is found by its label, and by names, classes and the place of its element", () => {
  expect(rulesIn("<p class='line x1234'><b>Sheen</b> <i class='shine 9x' id=i7 data-test=a1234>high</i></p>")).toEqual([
    { label: "sheen" },
    { selector: '[id="i7"]' },
    { selector: ".shine" },
    { selector: "i.shine" },
    { selector: ".line > i" },
    { selector: "#i7" },
  ]);
});

test("a selector that finds another element first is not a rule", () => {
  expect(rulesIn("<i class=shine>low</i> and <p><i class=shine>high</i></p>")).toEqual([
    { selector: "html > body > main > p > i" },
  ]);
});

test("an element of more than 300 characters is not the place of a field", () => {
  const long = `<i class=shine>high${"<u hidden>x</u>".repeat(2)}</i>`;
  expect(rulesIn(long)?.[0]).toEqual({ selector: ".shine" });
  expect(found(`<i class=shine>${"x".repeat(300)}</i>`, { selector: ".shine" })).toEqual(["x".repeat(300), []]);
  expect(found(`<i class=shine>${"x".repeat(301)}</i>`, { selector: ".shine" })).toEqual([null, ["/gloss"]]);
});

test.each<[string, string, FieldRule, unknown]>([
  ["a label", "<p>Sheen: high</p>", { label: "sheen" }, ["high", []]],
  ["a label with two values", "<p>Sheen: high</p><p>Sheen: low</p>", { label: "sheen" }, [null, ["/gloss"]]],
  ["a label that is missing", "<p>Other: high</p>", { label: "sheen" }, [null, ["/gloss"]]],
  ["a selector", "<i class=shine>high</i>", { selector: ".shine" }, ["high", []]],
  ["a selector of a hidden element", "<i class=shine hidden>high</i>", { selector: ".shine" }, [null, ["/gloss"]]],
  ["a selector that is not valid", "<i class=shine>high</i>", { selector: ".." }, [null, ["/gloss"]]],
  ["an attribute", "<i data-sheen=high></i>", { selector: "i", attribute: "data-sheen" }, ["high", []]],
  ["an attribute that is missing", "<i></i>", { selector: "i", attribute: "data-sheen" }, [null, ["/gloss"]]],
  [
    "data",
    '<script type="application/ld+json">{"a":["high"]}</script>',
    { selector: "script", pointer: "/a/0" },
    ["high", []],
  ],
  [
    "data of another kind",
    '<script type="application/ld+json">{"a":["high"]}</script>',
    { selector: "script", pointer: "/a" },
    [null, ["/gloss"]],
  ],
  [
    "broken data",
    '<script type="application/ld+json">{"a"</script>',
    { selector: "script", pointer: "/a" },
    [null, ["/gloss"]],
  ],
])("a rule of %s", (_what, body, rule, expected) => {
  expect(found(body, rule)).toEqual(expected);
});
