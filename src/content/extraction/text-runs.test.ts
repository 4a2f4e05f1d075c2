import { expect, test } from "bun:test";
import { render } from "dom-serializer";
import fc from "fast-check";
import { type Document } from "domhandler";
import { Parser } from "parse5";
import { adapter, type Htmlparser2TreeAdapterMap } from "parse5-htmlparser2-tree-adapter";
import { readTextInRuns } from "./text-runs.ts";

class RunParser extends Parser<Htmlparser2TreeAdapterMap> {
  constructor(...args: ConstructorParameters<typeof Parser<Htmlparser2TreeAdapterMap>>) {
    super(...args);
    readTextInRuns(this);
  }
}

const OPTIONS = { treeAdapter: adapter };
const shown = (tree: Document): string => render(tree, { encodeEntities: "utf8" });

function expectSame(html: string): void {
  expect(shown(RunParser.parse(html, OPTIONS))).toBe(shown(Parser.parse(html, OPTIONS)));
}

test.each([
  "plain words",
  " <!doctype html> words <p> more  words </p> \n",
  "<table>stray <tr>text<td>cell text<caption>c</table>after",
  "<table> <tr> <td> x </table>",
  "<pre>\n\nkept</pre><textarea>\nkept</textarea><listing>\nx",
  "<script>if (a < b && c) { '<p>' } <!-- <script> x </script> --> y</script>after",
  "<style>a > b { content: '<' }</style><title>a &amp; b < c</title>",
  "a &amp; b &lt; c &notit; d &#x41; &",
  "one\rtwo\r\nthree\n\rfour",
  "null\0in text<script>null\0in script</script><table>\0x</table>",
  "<svg>text <title>in <b>html</b></title> <![CDATA[ raw < ]]> </svg><math><mi>x y</mi><annotation-xml encoding='text/html'>a b</annotation-xml></math>",
  "<select>text<option>one two<optgroup>x</select>",
  "<frameset>text<frame> </frameset> after",
  "<p>words</p><frameset></frameset>",
  " <frameset></frameset>",
  "<b>bold<p>para</b>graph <i>it",
  "<template>a b<tr>c d</template>",
  "<noscript>no <b>script</noscript><plaintext>a <b> c",
  "𝒳 pairs \uD800 lonely <p>𝒴",
  "x".repeat(200_000) + "<p>" + "word ".repeat(50_000),
  "</body>after words</html> and more",
])("the tree of %j is that of the plain parser", expectSame);

const PIECES = [
  "word",
  "two words",
  " ",
  "\n",
  "\r\n",
  "\r",
  "\0",
  "&",
  "&amp;",
  "&lt",
  "&#0;",
  "<",
  "</",
  "<!",
  "<!-- c -->",
  "<p>",
  "</p>",
  "<b>",
  "</b>",
  "<i class=x>",
  "<a href=y>",
  "</a>",
  "<table>",
  "<tr>",
  "<td>",
  "</td>",
  "</table>",
  "<caption>",
  "<script>",
  "</script>",
  "<style>",
  "</style>",
  "<title>",
  "</title>",
  "<textarea>",
  "</textarea>",
  "<pre>",
  "<select>",
  "<option>",
  "</select>",
  "<svg>",
  "</svg>",
  "<math>",
  "<mi>",
  "<template>",
  "</template>",
  "<noscript>",
  "<frameset>",
  "<body>",
  "</body>",
  "</html>",
  "<head>",
  "<plaintext>",
  "<li>",
  "<ul>",
  "</ul>",
  "<button>",
  "<form>",
  "<br>",
  "<![CDATA[",
  "]]>",
  "𝒳",
];

test("the tree of any page is that of the plain parser", () => {
  const html = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 6 })), { maxLength: 40 });
  fc.assert(
    fc.property(html, (pieces) => expectSame(pieces.join(""))),
    { numRuns: 3000 },
  );
});
