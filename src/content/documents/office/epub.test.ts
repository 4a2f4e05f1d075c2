import { expect, test } from "bun:test";
import { makeZip } from "../testing/make-zip.ts";
import { failureOf, readBytes } from "../testing/read-bytes.ts";

const page = (body: string): string =>
  `<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>x</title></head><body>${body}</body></html>`;

function partsOf(more: Record<string, string>): Record<string, string> {
  return {
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`,
    "OPS/book.opf": `<package xmlns="http://www.idpf.org/2007/opf"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>Of tolls</dc:title>
      <dc:creator>Ann</dc:creator><dc:language>en</dc:language></metadata><manifest>
      <item id="b" href="two.xhtml" media-type="application/xhtml+xml"/><item id="a" href="text/one%201.xhtml" media-type="application/xhtml+xml"/>
      <item id="n" href="aside.xhtml" media-type="application/xhtml+xml"/></manifest>
      <spine><itemref idref="a"/><itemref idref="n" linear="no"/><itemref idref="b"/></spine></package>`,
    "OPS/text/one 1.xhtml": page(
      '<h1>One</h1><p>See <a href="../two.xhtml">two</a> and <a href="https://a.test/">it</a>.<br/></p>',
    ),
    "OPS/two.xhtml": page('<h1>Two</h1><p hidden="hidden">no</p><ul><li>x</li></ul>'),
    "OPS/aside.xhtml": page("<p>aside</p>"),
    ...more,
  };
}

function makeEpub(more: Record<string, string> = {}): Uint8Array {
  return makeZip(partsOf(more));
}

test("a book has its chapters in the order of its spine", async () => {
  const { markdown, title, about } = await readBytes(makeEpub());
  expect(markdown()).toBe("# One\n\nSee two and [it](https://a.test/).\n\n# Two\n\n- x");
  expect([title, about]).toEqual(["Of tolls", { byline: "Ann", language: "en" }]);
});

const encrypted = (uri: string): Record<string, string> => ({
  "META-INF/encryption.xml": `<encryption><EncryptedData><CipherData><CipherReference URI="${uri}"/></CipherData></EncryptedData></encryption>`,
});

test("a book with encrypted chapters is refused, and one with obfuscated fonts is read", async () => {
  expect(await failureOf(makeEpub(encrypted("OPS/two.xhtml")))).toBe("it is a book that is encrypted");
  expect(await failureOf(makeEpub(encrypted("OPS/font.otf")))).toStartWith("read: One");
});

test("links within a book lead to a place in its text, or nowhere", async () => {
  const chapter = page('<p>See <a href="#n1">1</a> and <a href="two.xhtml#x">two</a>.</p><p id="n1">Note</p>');
  const { markdown, links } = await readBytes(makeEpub({ "OPS/two.xhtml": chapter }));
  expect(markdown()).toEndWith("See [1](#n1) and two.\n\nNote");
  expect(links()).toEqual([{ url: "https://a.test/", text: "it" }]);
});

test("the chapters of a book beyond 10,000,000 bytes are missing", async () => {
  const parts = partsOf({ "OPS/two.xhtml": page(`<h1>Two</h1>${" ".repeat(10_000_000)}`) });
  const { markdown, isPartial } = await readBytes(
    makeZip(Object.entries(parts).map(([name, content]) => ({ name, content, isStored: true }))),
  );
  expect([markdown().includes("One"), markdown().includes("Two"), isPartial]).toEqual([true, false, true]);
});
