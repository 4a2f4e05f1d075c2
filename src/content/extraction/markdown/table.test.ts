import { describe, expect, test } from "bun:test";
import { written } from "./testing/written.ts";

describe("tables", () => {
  test.each<[string, string]>([
    ["<table><tr><th>A<th>B<tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"],
    ["<table><thead><tr><td>A<td>B</thead><tbody><tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"],
    ["<table><tr><td>a<td>b<tr><td>c<td>d</table>", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"],
    ["<table><tr><td><b>A</b><td><b>B</b><tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"],
    ["<table><tr><th>A<td>1<tr><th>B<td>2</table>", "|  |  |\n| --- | --- |\n| A | 1 |\n| B | 2 |"],
    [
      '<table><tr><th align="right">A<th style="text-align:center">B<tr><td>1<td>2</table>',
      "| A | B |\n| --: | :-: |\n| 1 | 2 |",
    ],
    [
      '<table><tr><th>A<th>B<tr><td><svg aria-label="Yes | no"></svg><td><i></i><span class=sr-only>No</span></table>',
      "| A | B |\n| --- | --- |\n| Yes \\| no | No |",
    ],
    [
      "<table><tr><th>A<th>B<tr><td><svg><title>Yes</title></svg>1<td><a href=/x><svg><title>*</title></svg></a></table>",
      "| A | B |\n| --- | --- |\n| 1 | [\\*](https://site.test/x) |",
    ],
    ["<table><tr><th>A<th>B<tr><td align=right>1<td>2</table>", "| A | B |\n| --: | --- |\n| 1 | 2 |"],
    [
      '<table><tr><th>A<th>B<th>C<tr><td colspan="2">x<td>y</table>',
      "| A | B | C |\n| --- | --- | --- |\n| x | x | y |",
    ],
    [
      '<table><tr><th>A<th>B<tr><td rowspan="2">x<td>1<tr><td>2</table>',
      "| A | B |\n| --- | --- |\n| x | 1 |\n| x | 2 |",
    ],
    [
      '<table><tr><th>A<th>B<tr><td colspan="2">Group<tr><td>1<td>2</table>',
      "| A | B |\n| --- | --- |\n| Group |  |\n| 1 | 2 |",
    ],
    [
      '<table><tr><th colspan="2">Sum<th>N<tr><td>1<td>2<td>3</table>',
      "| Sum | Sum | N |\n| --- | --- | --- |\n| 1 | 2 | 3 |",
    ],
    ["<table><tr><th>a|b<tr><td><code>c|d</code></table>", "| a\\|b |\n| --- |\n| `c\\|d` |"],
    ["<table><tr><th>A<tr><td>a<br>b</table>", "| A |\n| --- |\n| a<br>b |"],
    ["<table><tr><th>A<th>B<tr><td><p>a</p><p>b</p><td>c</table>", "| A | B |\n| --- | --- |\n| a<br>b | c |"],
    ["<table><tr><th>A<th>B<tr><td><ul><li>a<li>b</ul><td>c</table>", "| A | B |\n| --- | --- |\n| • a<br>• b | c |"],
    ["<table><caption>Cap</caption><tr><th>A<tr><td>1</table>", "Cap\n\n| A |\n| --- |\n| 1 |"],
    ["<table><tr><th>A<tr></tr><tr><td></td></tr><tr><td>1</table>", "| A |\n| --- |\n| 1 |"],
    ["<table><tr><th>A<th>B<tr><td>1</table>", "| A | B |\n| --- | --- |\n| 1 |  |"],
    ['<table role="presentation"><tr><td>a<td>b</table>', "a\n\nb"],
    ["<table><tr><td><h2>T</h2><td>side<tr><td>x<td>y</table>", "## T\n\nside\n\nx\n\ny"],
    ["<table><tr><td><p>one</p><p>column</p></table>", "one\n\ncolumn"],
    [
      "<table><tr><td>nav<td><table><tr><th>A<th>B<tr><td>1<td>2</table></table>",
      "nav\n\n| A | B |\n| --- | --- |\n| 1 | 2 |",
    ],
    [
      "<table><tr><th>A<th>B<tr><td><table><tr><td>1<td>2<tr><td>3<td>4</table><td>x</table>",
      "| A | B |\n| --- | --- |\n| 1 2<br>3 4 | x |",
    ],
    [
      "<table><tfoot><tr><td>sum<td>3</tfoot><tr><th>A<th>B<tr><td>1<td>2</table>",
      "| A | B |\n| --- | --- |\n| 1 | 2 |\n| sum | 3 |",
    ],
    ["<table><tr><td>a<td>b</table>", "a\n\nb"],
    ["<table></table>x", "x"],
    [
      '<table><tr><th><strong>A</strong><tr><td><img src="/i.png" alt="i"></table>',
      "| A |\n| --- |\n| ![i](https://site.test/i.png) |",
    ],
    ["<table><tr><th>A<th>B<tr><td><pre>x\ny</pre><td>z</table>", "| A | B |\n| --- | --- |\n| `x`<br>`y` | z |"],
    [
      '<table><tr><td class="lineno">1<td class="blob-code">a = 1<tr><td class="lineno">2<td class="blob-code">b = 2</table>',
      "```\na = 1\nb = 2\n```",
    ],
    ['<table><tr><th colspan="0">A<th colspan="x">B<tr><td>1<td>2</table>', "| A | B |\n| --- | --- |\n| 1 | 2 |"],
    ['<table role=""><tr><td>a<td>b<tr><td>c<td>d</table>', "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"],
    ["<table role=none><tr><td>a<td>b<tr><td>c<td>d</table>", "a\n\nb\n\nc\n\nd"],
    ["<table><tr><th><tr><td></table>x", "x"],
    ["<table><tr><th>A<th>B<tr><td colspan=-2>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"],
    ["<table><tr><th>A<th>B<tr><td colspan=1>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"],
    ["<table><tr><th>A<th>B<tr><td class=lineno>1<td class=lineno>2</table>", "| A | B |\n| --- | --- |"],
    ["<table><tr><th>A<tr><td class=lineno>1</table>", "| A |\n| --- |\n| 1 |"],
    ["<table><template><tr><td>no</template><tr><th>A<tr><td>1</table>", "| A |\n| --- |\n| 1 |"],
    ["<table><colgroup><col></colgroup><tr><th>A<tr><td>1</table>", "| A |\n| --- |\n| 1 |"],
    ["<table><tr><td class=code-line>a<tr><td>b</table>", "a\n\nb"],
    [
      "<table><tr><td class=code-line>a</td><td>c</td><tr><td class=code-line>b</table>",
      "|  |  |\n| --- | --- |\n| a | c |\n| b |  |",
    ],
    ["<table><tr><td><b>A</b> <td> <strong>B</strong><tr><td>1<td>2</table>", "| A | B |\n| --- | --- |\n| 1 | 2 |"],
    [
      "<table><tr><td><b>A</b>x<td><b>B</b><tr><td>1<td>2</table>",
      "|  |  |\n| --- | --- |\n| **A**x | **B** |\n| 1 | 2 |",
    ],
    ["<table><tr><td><b>A</b><td><i>B</i><tr><td>1<td>2</table>", "|  |  |\n| --- | --- |\n| **A** | *B* |\n| 1 | 2 |"],
    ["<table><tr><td><b>A</b><td><tr><td>1<td>2</table>", "| A |  |\n| --- | --- |\n| 1 | 2 |"],
    ["<table><tr><td><td><tr><td>1<td>2</table>", "|  |  |\n| --- | --- |\n| 1 | 2 |"],
    ["<table><tr><th>A<td>B<tr><td>1<td>2</table>", "|  |  |\n| --- | --- |\n| A | B |\n| 1 | 2 |"],
    ["<table><tr><th align=CENTER>A<th align=justify>B<tr><td>1<td>2</table>", "| A | B |\n| :-: | --- |\n| 1 | 2 |"],
    [
      "<table><tr><th>A<th>B<tr><td>1<td>2<tr><td align=right>3<td>4</table>",
      "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |",
    ],
    [
      "<table><tr><th style='x-text-align:center'>A<th style='color:red; TEXT-ALIGN : right'>B<tr><td>1<td>2</table>",
      "| A | B |\n| --- | --: |\n| 1 | 2 |",
    ],
    ["<table><tr><th rowspan=2>A<th>B<tr><td>1</table>", "| A | B |\n| --- | --- |\n| A | 1 |"],
    [
      "<table><tr><th>A<th>B<tr><td rowspan=3>x<td rowspan=2>y<tr><tr><td>z</table>",
      "| A | B |  |\n| --- | --- | --- |\n| x | y |  |\n| x | y | z |",
    ],
    [
      "<table><tr><th>A<th>B<th>C<tr><td>1<td rowspan=2>x<td>2<tr><td>3<td>4<tr><td>5<td>6<td>7</table>",
      "| A | B | C |\n| --- | --- | --- |\n| 1 | x | 2 |\n| 3 | x | 4 |\n| 5 | 6 | 7 |",
    ],
    ["<b><table><tr><th>A<tr><td>1</table></b>", "| A |\n| --- |\n| **1** |"],
    ["<table><tr><td>a<td><hr><tr><td>c<td>d</table>", "a\n\n---\n\nc\n\nd"],
    ["<table><tr><td>a<td><p>b</p><tr><td>c<td>d</table>", "|  |  |\n| --- | --- |\n| a | b |\n| c | d |"],
    ["<table><thead><tr><td>A</thead><tr><td>b</table>", "| A |\n| --- |\n| b |"],
    [
      "<table><tr><td>x<td><table><tr><th>A<th>B<tr><td>1<td>2</table><tr><td>y<td>z</table>",
      "x\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\ny\n\nz",
    ],
    [
      "<table><tr><th>A<th>B<tr><td rowspan=1>x<td>1<tr><td>y<td>2</table>",
      "| A | B |\n| --- | --- |\n| x | 1 |\n| y | 2 |",
    ],
  ])("of %s", (html, markdown) => {
    expect(written(html)).toBe(markdown);
  });
});
