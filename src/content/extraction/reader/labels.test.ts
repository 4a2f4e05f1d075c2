import { describe, expect, test } from "bun:test";
import { textsLeft } from "../testing/texts-left.ts";
import { dropLabels } from "./labels.ts";

/** The texts that are left, in one line. */
function cleaned(html: string): string {
  return textsLeft(html, dropLabels).join(" ").replace(/\s+/g, " ");
}

describe("words that may also be on a button are kept", () => {
  test.each<[what: string, html: string, text: string]>([
    ["a link in a sentence", '<p>with a <a href="/b">link</a>.</p>', "with a link."],
    ["at a sentence's beginning", '<p><a href="/s">Search</a> the site.</p>', "Search the site."],
    ["in another element of the sentence", '<p>See the <b><a href="/h">home</a></b> page</p>', "See the home page"],
    ["several in a sentence", '<p>Go <a href="/1">home</a>, <a href="/2">login</a>.</p>', "Go home, login."],
    [
      "after a link that is not a label",
      '<p>From <a href="/t">the tables</a> <a href="/p">print</a></p>',
      "From the tables print",
    ],
    ["beside words in bold", "<p><em>Yes</em> <strong>we can</strong></p>", "Yes we can"],
    ["names of keys", "<p>Press <b>Save</b> or <strong>Close</strong>.</p>", "Press Save or Close."],
    ["an answer", "<p>Will it?</p><p>Yes</p><div>No.</div>", "Will it? Yes No."],
    ["a cell", "<table><tr><td><span>No</span><td>x</table>", "No x"],
    ["a heading of a section", "<h2>Search</h2><p>How it works.</p>", "Search How it works."],
    [
      "an entry of a list of others",
      '<ul><li><a href="/s">Search</a><li><a href="/d">Documents</a></ul>',
      "Search Documents",
    ],
    ["a list of words", "<ul><li>Save<li>Print</ul>", "Save Print"],
    ["before what it announces", "<p><strong>Read more:</strong> the tide tables</p>", "Read more: the tide tables"],
    ["code", "<p><code>print</code></p><pre>home</pre>", "print home"],
  ])("%s", (_what, html, text) => {
    expect(cleaned(html)).toBe(text);
  });
});

describe("remains of buttons are removed", () => {
  test.each<[what: string, html: string]>([
    ["a link of its own", '<p><a href="#">Back to top</a></p>'],
    ["a row of links", '<div><a href="/r">Reply</a> <a href="/q">Quote</a> <a href="/f">Flag</a></div>'],
    ["a button made of another element", '<div role="button">Save</div>'],
    ["a mark of an advertisement", "<p>Advertisement</p>"],
    ["several words that are not text", "<p>Was this page helpful?</p>"],
  ])("%s", (_what, html) => {
    expect(cleaned(`<p>Kept.</p>${html}`)).toBe("Kept.");
  });
});
