import { expect, test } from "bun:test";
import { parseTree } from "./tree/tree.ts";
import { elementText } from "./text.ts";
import { elementsOf } from "./selectors/select-all.ts";

function textOf(html: string, name = "body"): string {
  const element = [...elementsOf(parseTree(html))].find((one) => one.name === name);
  if (element === undefined) throw new Error(`The page has no ${name}`);
  return elementText(element);
}

test.each([
  ["blocks on lines of their own", "a<p>b</p>c<div></div><ul><li>d<li>e</ul>", "a\nb\nc\nd\ne"],
  ["a line break as a new line, and no empty lines", "a<br>b<br><br>c", "a\nb\nc"],
  ["white space folded", " a \n b\t<i> c</i> ", "a b c"],
  ["white space of preformatted text kept", "<pre>  a  b \n\n  c</pre> d  e", "a  b\n\n  c\nd e"],
  ["white space after preformatted text folded", "x<textarea>a  b\nc</textarea>\n<p>d  e</p>", "xa  b\nc\nd e"],
  ["cells with a tab between them", "<table><tr><td> a <td>b  c<th>d</table>", "a\tb c\td"],
  ["nothing of code and embedded pages", "a<script>b</script><style>c</style><noscript>d</noscript>", "a"],
])("the text of an element has %s", (_what, html, text) => {
  expect(textOf(html)).toBe(text);
});

test("the text of code itself is as it is written", () => {
  expect(textOf("<script> a  <b>\n c </script>", "script")).toBe("a  <b>\n c");
  expect(textOf("<title>a</title><style>b</style><p>c", "head")).toBe("a");
});

test("the lines of a selected block of code are unchanged", () => {
  expect(textOf("<pre>a  b\n    c</pre>", "pre")).toBe("a  b\n    c");
});
