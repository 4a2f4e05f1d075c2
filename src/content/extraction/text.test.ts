import { describe, expect, test } from "bun:test";
import { prepare } from "./tree/prune.ts";
import { toText } from "./text.ts";
import { parseTree } from "./tree/tree.ts";

describe("text", () => {
  test.each<[string, string]>([
    ["<p>a\n  b</p><p>c<br>d</p>", "a b\nc\nd"],
    ["<div>one<div>two</div>three</div>", "one\ntwo\nthree"],
    ["<pre>  kept\n    so</pre>", "  kept\n    so"],
    ["<pre>a\n\nb</pre>c", "a\n\nb\nc"],
    ["<table><tr><td>1</td><td>2</td></tr><tr><td></td><td>4</td></tr></table>", "1\t2\n\t4"],
    ["<p>a<span>b</span> <b>c</b></p>", "ab c"],
    ["a<b> b</b>&nbsp; c", "a b c"],
    ["<ul><li>a<li><input type=checkbox checked> b</ul>", "a\n[x] b"],
    ["<select><option>S<option>M</select>", "S, M"],
    ["<ruby>漢<rt>かん</rt></ruby>", "漢(かん)"],
    [
      "<p>x<math><semantics><mi>y</mi><annotation encoding='application/x-tex'>y^2</annotation></semantics></math>",
      "xy^2",
    ],
    ["<title>t</title><p>seen<script>x</script><p hidden>h", "seen"],
  ])("of %s", (html, text) => {
    const tree = parseTree(html);
    prepare(tree, "https://site.test/");
    expect(toText(tree)).toBe(text);
  });
});
