import { describe, expect, test } from "bun:test";
import { Readability } from "@mozilla/readability";
import { render } from "dom-serializer";
import { parseTree } from "../tree.ts";
import { lightDocument, type LightElement, treeOf } from "./light-dom.ts";
import { linkedomDocument } from "./linkedom-document.ts";

const URL_BASE = "https://site.test/page";

function bodyOf(html: string): LightElement {
  const { body } = lightDocument(parseTree(html), URL_BASE);
  if (body === null) throw new Error("Cannot test: there is no body");
  return body;
}

/** The part of a DOM node that both documents have. */
interface Shown {
  readonly nodeName: string;
  readonly textContent: string | null;
  readonly childNodes?: Iterable<Shown>;
}

function shapeOf(node: Shown): string {
  if (node.nodeName === "#text") return node.textContent ?? "";
  const name = node.nodeName.toLowerCase();
  return `<${name}>${[...(node.childNodes ?? [])].map((child) => shapeOf(child)).join("")}</${name}>`;
}

describe("an element", () => {
  test("knows its children, its neighbours and what is below it", () => {
    const body = bodyOf("<p>a<b>b</b></p>c<i>d</i><p>e</p>");
    expect(body.childNodes.length).toBe(4);
    expect(body.children.map((child) => child.tagName)).toEqual(["P", "I", "P"]);
    expect(body.children[1]?.previousElementSibling?.textContent).toBe("ab");
    expect(body.children[1]?.nextElementSibling?.textContent).toBe("e");
    expect(body.getElementsByTagName("*").map((element) => element.localName)).toEqual(["p", "b", "i", "p"]);
    expect(body.querySelectorAll("b, i").map((element) => element.textContent)).toEqual(["b", "d"]);
    expect(body.getElementsByTagName("P").length).toBe(2);
  });

  test("forgets what it knew when something below it is changed", () => {
    const body = bodyOf("<div><p>a</p><p>b</p></div>");
    const [div] = body.children;
    const [first, second] = div?.children ?? [];
    expect(body.textContent).toBe("ab");
    first?.remove();
    expect([body.textContent, div?.children.length, second?.previousSibling]).toEqual(["b", 1, null]);
    if (second === undefined || first === undefined || div === undefined) throw new Error("Cannot test: no such child");
    div.replaceChild(first, second);
    expect([body.textContent, second.parentNode, div.lastChild]).toEqual(["a", null, first]);
    div.appendChild(second);
    div.appendChild(first);
    expect(body.textContent).toBe("ba");
    div.textContent = " x  y ";
    expect([body.textContent, div.foldedText, div.children.length]).toEqual([" x  y ", "x y", 0]);
  });

  test("is brought back by its own mark, as often as it takes", () => {
    const body = bodyOf("<p class=a>one</p><p>two</p>");
    const mark = body.innerHTML;
    for (let round = 0; round < 2; round += 1) {
      body.firstElementChild?.remove();
      expect(body.textContent).toBe("two");
      body.innerHTML = mark;
      expect(shapeOf(body)).toBe("<body><p>one</p><p>two</p></body>");
      expect(body.firstElementChild?.className).toBe("a");
    }
  });

  test("takes attributes by any name", () => {
    const [p] = bodyOf(`<p __proto__="x" class="c" id="i">`).children;
    expect([p?.getAttribute("__proto__"), p?.getAttribute("constructor"), p?.className, p?.id]).toEqual([
      "x",
      null,
      "c",
      "i",
    ]);
    p?.removeAttribute("class");
    expect([p?.hasAttribute("class"), p?.attributes.map(({ name }) => name)]).toEqual([false, ["__proto__", "id"]]);
  });
});

const WORDS =
  "The harbour office publishes the tide tables each spring, and fishermen pin them to the wall, as ever. ".repeat(4);
const PAGES: readonly (readonly [string, string])[] = [
  [
    "an article",
    `<title>T</title><nav><a href=x>n</a></nav><article><h1>T</h1><p>${WORDS}</p><h2>S</h2><p>${WORDS}<a href=y>l</a></p></article>`,
  ],
  [
    "divisions and breaks",
    `<div class=content>${WORDS}<br><br>${WORDS}<div><div><p>${WORDS}</p></div></div></div><div class=sidebar>side</div>`,
  ],
  [
    "a table",
    `<table><tr><td><p>${WORDS}</p></td></tr></table><table><tr><th>a<th>b<tr><td>1<td>2</table><p>${WORDS}</p>`,
  ],
  [
    "lists and figures",
    `<main><p>${WORDS}</p><ul><li>${WORDS}<li>b</ul><figure><img src=a><figcaption>c</figcaption></figure><font>${WORDS}</font></main>`,
  ],
  [
    "little, where the root element has the name of a text",
    `<html class="text"><body><div><p>The tides of the harbour, by day and hour: <a href=t>tables</a></p></div>`,
  ],
  ["little", "<div><p>Short.</p></div><div class=comment>no</div>"],
];

test.each(PAGES)("Readability finds the same in %s as on linkedom", (_what, html) => {
  // The library's types name the browser's global ones, which are not known here.
  const Library = Readability as unknown as new (
    document: object,
    options: { readonly keepClasses: boolean; serializer(node: Shown): Shown },
  ) => { parse(): { readonly content: Shown } | null };
  const read = (document: object): string => {
    const found = new Library(document, { keepClasses: true, serializer: (node) => node }).parse();
    return found === null ? "nothing" : shapeOf(found.content);
  };
  const tree = parseTree(html);
  expect(read(lightDocument(tree, URL_BASE))).toBe(read(linkedomDocument(tree, URL_BASE)));
});

test("an element becomes a tree again", () => {
  const html = '<body><p class="a">one<b>two</b></p>three<ul><li>x</li></ul></body>';
  expect(render(treeOf(bodyOf(html)))).toBe(html);
});
