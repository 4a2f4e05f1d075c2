import { expect, test } from "bun:test";
import { getOuterHTML } from "domutils";
import fc from "fast-check";
import { type AnyNode, type Document, isTag } from "domhandler";
import { Parser } from "parse5";
import { adapter, type Htmlparser2TreeAdapterMap } from "parse5-htmlparser2-tree-adapter";
import { readInRuns } from "./text-runs.ts";
import { parseTree } from "./tree.ts";
import { leanAdapter } from "./tree-adapter.ts";

class RunParser extends Parser<Htmlparser2TreeAdapterMap> {
  constructor(...args: ConstructorParameters<typeof Parser<Htmlparser2TreeAdapterMap>>) {
    super(...args);
    readInRuns(this);
  }
}

const OPTIONS = { treeAdapter: adapter };
const shown = (tree: Document): string => {
  const nodes: string[] = [];
  for (let open: AnyNode[] = [tree], node = open.pop(); node !== undefined; node = open.pop()) {
    if (isTag(node)) nodes.push(`${node.name} ${node.namespace} ${JSON.stringify(node.attributes)}`);
    open.push(...("children" in node ? node.children : []));
  }
  return `${getOuterHTML(tree, { encodeEntities: "utf8" })}\n${nodes.join("\n")}`;
};

function expectSame(html: string): void {
  const plain = shown(Parser.parse(html, OPTIONS));
  expect(shown(RunParser.parse(html, { treeAdapter: leanAdapter }))).toBe(plain);
  expect(shown(parseTree(html))).toBe(plain);
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
  "<p class=a id='b' title=\"c d\" hidden DATA-X=Y>x<br/><img src=/a/b.png/><input value=a=b c='d'e=f>",
  "<p a= b c=>x</p><p d= 'e' f= >y</p><p g=\th i=\n>z</p>",
  "<a href='?a&amp;b&lt' href=second title = spaced \t\n x\n=y>text</a ></a\n></A></a/></a b=c>",
  '<p a="one\r\ntwo\rthree" b=\'x\0y\' =c "d" <e f`=g h=\u00e4 \u00e4=h>x</p><p a=\'',
  "<svg viewbox='0' xlink:href=a href=b xml:lang=de definitionurl=x><foreignobject/><a xlink:href=z>t</a></svg>",
  "<svg href=b xlink:href=a xmlns:xlink=c></svg><math definitionurl=x xlink:type=y></math>",
  "<!--a--><!----><!--> x --><!---> y --><!--a--!>b--><!--a--->b<!-- <!-- n --> m --><!--\r\n--><!--\0--><!-- a -- b --><!-- open",
  "<html a=b><body c=d><html a=x e=f><body g=h c=y>",
  "<table>\n <tr>\n  <td>\n x </td>\n </tr>\n</table>\n<pre>\n  a</pre><pre>\n\n</pre><ul>\r\n <li>a\r\n <li>b</ul>",
  "<x-y:z.a></x-y:z.a><h\u00e4></h\u00e4><a\0></a\0><1></1></></ p><p/><p / a/b =/ c>",
  `<p ${"a b c ".repeat(40)}><p ${Array.from({ length: 80 }, (_, at) => `a${at}=${at}`).join(" ")} a3=x>`,
  // Names with the same hash, then names of 64 characters and more.
  "<p Aa=1 BB=2 c><x-Aa>a</x-Aa><x-BB>b</x-BB><p BB=1 Aa=2>",
  `<x-${"Y".repeat(62)} ${"z".repeat(64)}=1>a</x-${"Y".repeat(62)}><x-${"y".repeat(63)} ${"Z".repeat(65)}=1>b</x-${"y".repeat(63)}>`,
])("the tree of %j is equal to the plain parser's", expectSame);

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
  "<p class='one two' id=\"x\" hidden>",
  "<img src='a?b&amp;c' alt=x/>",
  "<input value = y disabled>",
  "<P Class=X>",
  "<svg xlink:href=a href=b>",
  "<!--x",
  "-->",
  "--!>",
  "<p ",
  "a=",
  "'",
  '"',
  ">",
  "/",
  "\t",
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

test("the tree of every page is equal to the plain parser's", () => {
  const html = fc.array(fc.oneof(fc.constantFrom(...PIECES), fc.string({ maxLength: 6 })), { maxLength: 40 });
  fc.assert(
    fc.property(html, (pieces) => expectSame(pieces.join(""))),
    { numRuns: 3000 },
  );
});
