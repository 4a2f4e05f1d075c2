import { expect, test } from "bun:test";
import { markdownOf } from "../markdown/writer.ts";
import { parseTree } from "../tree/tree.ts";
import { dropPictures } from "./pictures.ts";

const shown = (html: string): string => {
  const tree = parseTree(`<p>Text</p>${html}`);
  dropPictures(tree, { url: "https://news.test/2026/a", name: "Daily News" });
  return markdownOf(tree);
};

test.each<[string, string, string]>([
  ["a picture", '<img src="/a.png"><img src="/a.png">', "![](/a.png)"],
  [
    "another size of it",
    '<img src="/a-300x200.png?v=1"><img src="/a-1024x683.png?v=1&width=800">',
    "![](/a-300x200.png?v=1)",
  ],
  [
    "the link around it",
    '<a href="/p"><img src="/a.png"></a><a href="/p"><picture><source srcset="/b"><img src="/a.png"></picture></a>',
    "[![](/a.png)](/p)",
  ],
  [
    "an avatar",
    '<div class="author_avatar"><a href="/u"><img src="/1.png"></a></div><img src="/img/default_avatar.png">',
    "",
  ],
  [
    "the first picture of several with the same link",
    '<ul><li><a href="/p"><img src="/1.png"></a></li><li><a href="/p"><img src="/2.png"></a></li></ul>',
    "- [![](/1.png)](/p)",
  ],
  [
    "another size of it, with a colon",
    '<img src="https://m.test/v2/resize:fill:80:53/1*a.png"><img src="https://m.test/v2/resize:fill:160:107/1*a.png">',
    "![](https://m.test/v2/resize:fill:80:53/1*a.png)",
  ],
  ["a link of the logo to the start page", '<a href="https://news.test/"><img src="/l.svg" alt="News"></a>', ""],
  ["the logo after another element of its link", '<a href="https://news.test/"><b></b><img src="/l.svg"></a>', ""],
  ["a picture with the site's name", '<img src="/l.svg" alt="Daily News logo">', ""],
  [
    "a picture with a link to another page or site",
    '<a href="https://news.test/b"><img src="/b.png" alt="Daily News of May"></a><a href="https://b.test/"><img src="/c.png"></a>',
    "[![Daily News of May](/b.png)](https://news.test/b)[![](/c.png)](https://b.test/)",
  ],
  ["an avatar three levels below", '<div class="avatar"><i><img src="/1.png"></i></div>', ""],
  [
    "a picture below others",
    '<div class="avatar"><span><span><span><img src="/1.png"></span></span></span></div>',
    "![](/1.png)",
  ],
  [
    "a picture beside a link",
    '<a href="/p">x</a><img src="/1.png"><img src="/2.png">',
    "[x](/p)![](/1.png)![](/2.png)",
  ],
  [
    "a picture with an element around it",
    '<b href="/p"><img src="/1.png"></b><b href="/p"><img src="/2.png"></b>',
    "**![](/1.png)![](/2.png)**",
  ],
  [
    "a picture with the name of the site in a longer text",
    '<img src="/l.svg" alt="Daily News of the whole wide world and the sea">',
    "![Daily News of the whole wide world and the sea](/l.svg)",
  ],
  [
    "a picture behind a link to the start page",
    '<a href="https://news.test/">Home</a><img src="/l.svg">',
    "[Home](https://news.test/)![](/l.svg)",
  ],
  ["a picture in a link to the origin", '<a href="https://news.test"><img src="/l.svg"></a>', ""],
  [
    "a picture in its element",
    '<picture><source srcset="/b"><img src="/1.png"></picture><picture><img src="/1.png"></picture>',
    "![](/1.png)",
  ],
])("%s is shown once, or not at all", (_what, html, markdown) => {
  expect(shown(html)).toBe(`Text${markdown === "" ? "" : `\n\n${markdown}`}`);
});

test("other pictures, and those in tables, are kept", () => {
  const html = '<img src="/a1.png"><img src="/a2.png"><img src="/i?id=1"><img src="/i?id=2">';
  expect(shown(html)).toBe("Text\n\n![](/a1.png)![](/a2.png)![](/i?id=1)![](/i?id=2)");
  const linked = '<p><a href="/p"><img src="/b1.png"></a>A name <a href="/p"><img src="/b2.png"></a></p>';
  expect(shown(linked)).toContain("/b2.png");
  const table = `<table><tr><th>A</th></tr>${'<tr><td><img src="/tick.svg" alt="yes"></td></tr>'.repeat(2)}</table>`;
  expect(shown(table).match(/!\[yes\]/g)).toHaveLength(2);
});
