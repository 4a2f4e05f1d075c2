import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { browserPrograms } from "../browser/program/find.ts";
import { launchBrowser } from "../browser/launch.ts";
import { type RunningBrowser } from "../browser/program/running-browser.ts";
import { ANYWHERE, EgressSession } from "../egress/guard.ts";
import { proxyPortOf } from "../testing/proxy-of.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { decode } from "./decode.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

/** A page as its server sends it. */
interface Page {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const state = createStateFolder();
const egress = new EgressSession({ policy: ANYWHERE });
let browser: RunningBrowser;
let server: Bun.Server<undefined>;
let session = "";
let current: Page = { type: "", bytes: new Uint8Array() };

beforeAll(async () => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: () =>
      new Response(current.bytes.slice(), current.type === "" ? {} : { headers: { "content-type": current.type } }),
  });
  const { value: program } = await browserPrograms(undefined, state.path).next();
  if (program === undefined) throw new Error("Cannot compare with a browser: no browser is installed");
  browser = await launchBrowser(program, state.path, { sandboxed: false });
  const { cdp } = browser;
  const proxyServer = `http://127.0.0.1:${await proxyPortOf(egress)}`;
  const context = await cdp.send("Target.createBrowserContext", { proxyServer, proxyBypassList: "<-loopback>" });
  const { browserContextId } = context;
  const { targetId } = await cdp.send("Target.createTarget", { url: "about:blank", browserContextId });
  session = String((await cdp.send("Target.attachToTarget", { targetId, flatten: true }))["sessionId"]);
});

afterAll(async () => {
  egress.close();
  await browser.close();
  await server.stop(true);
  state.remove();
});

let visits = 0;

/** The encoding that Chromium detects, and the text of the page's paragraph. */
async function inChromium(page: Page): Promise<{ encoding: string; text: string }> {
  current = page;
  visits += 1;
  await browser.cdp.send("Page.navigate", { url: `${server.url.href}?${visits}` }, session);
  const response = await browser.cdp.send(
    "Runtime.evaluate",
    { expression: READ, awaitPromise: true, returnByValue: true },
    session,
  );
  // The expression returns this object.
  return (response["result"] as { value: { encoding: string; text: string } }).value;
}

const READ = `new Promise((loaded) => {
  if (document.readyState === "complete") loaded();
  else addEventListener("load", loaded);
}).then(() => ({
  encoding: document.characterSet.toLowerCase(),
  text: (document.querySelector("p") ?? document.documentElement).textContent,
}))`;

function decoded({ type, bytes }: Page): { encoding: string; text: string } {
  const { encoding, text } = decode(bytes, type, type.includes("xml") ? "xml" : "html");
  return { encoding, text: /<p>([^]*?)<\/p>/.exec(text)?.[1] ?? text };
}

const bytesOf = (...parts: (string | readonly number[] | Uint8Array)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part, "latin1") : Buffer.from(part))));

/** A document with these bytes in its paragraph, and this content in its head. */
const document = (head: string, content: readonly number[] | Uint8Array): Uint8Array =>
  bytesOf("<!doctype html><html><head>", head, "<title>t</title></head><body><p>", content, "</p></body></html>");

const HIGH = Array.from({ length: 128 }, (_, n) => 128 + n);
const UTF8 = Buffer.from("zł ü 日本 😀");
const utf16 = (text: string, little: boolean): Uint8Array => {
  const bytes = Buffer.from(text, "utf16le");
  return little ? bytes : bytes.swap16();
};

const SINGLE_BYTE = [
  ..."ibm866 iso-8859-1 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7 iso-8859-8 iso-8859-8-i iso-8859-9".split(
    " ",
  ),
  ..."iso-8859-10 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 koi8-r koi8-u macintosh x-mac-cyrillic windows-874".split(
    " ",
  ),
  ..."windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256 windows-1257 windows-1258".split(
    " ",
  ),
  ..."us-ascii latin1 cp1251 tis-620 visual x-user-defined".split(" "),
];

const MULTI_BYTE: readonly (readonly [label: string, bytes: readonly number[]])[] = [
  ["shift_jis", [0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea, 0xb1, 0xb2, 0x81, 0x20]],
  ["x-sjis", [0x93, 0xfa, 0x96, 0x7b, 0xfa, 0x40]],
  ["euc-jp", [0xc6, 0xfc, 0xcb, 0xdc, 0xb8, 0xec, 0x8e, 0xb1, 0x8f, 0xb0, 0xa1]],
  ["iso-2022-jp", [0x1b, 0x24, 0x42, 0x46, 0x7c, 0x4b, 0x5c, 0x1b, 0x28, 0x42, 0x61]],
  ["big5", [0xa4, 0xa4, 0xa4, 0xe5, 0xf9, 0xd6, 0x80]],
  ["big5-hkscs", [0xa4, 0xa4, 0x87, 0x40]],
  ["gb2312", [0xd6, 0xd0, 0xce, 0xc4]],
  ["gbk", [0xd6, 0xd0, 0x81, 0x40, 0x80]],
  ["gb18030", [0xd6, 0xd0, 0x81, 0x30, 0x84, 0x36, 0xa2, 0xe3]],
  ["euc-kr", [0xc7, 0xd1, 0xb1, 0xdb, 0x81, 0x41]],
  ["ks_c_5601-1987", [0xc7, 0xd1]],
  ["utf-8", [...UTF8, 0xff, 0xc3]],
  ["unicode-1-1-utf-8", [...UTF8]],
  ["hz-gb-2312", [0x7e, 0x7b]],
];

const KOI8 = document('<meta charset="koi8-r">', HIGH);
const html = (head: string, content: readonly number[] | Uint8Array = HIGH): Page => ({
  type: "text/html",
  bytes: document(head, content),
});
const filler = (length: number): string => `<!--${"x".repeat(length)}-->`;

/** Pages by the place and form of their declaration. */
const DECLARED: Readonly<Record<string, Page>> = {
  "the field before the meta": { type: "text/html; charset=windows-1251", bytes: KOI8 },
  "a field in quotes": { type: 'text/html; foo=bar; CharSet="windows-1251"', bytes: KOI8 },
  "a field with an unknown label": { type: "text/html; charset=nonsense", bytes: KOI8 },
  "an empty field": { type: "text/html; charset=", bytes: KOI8 },
  "a mark before the field": {
    type: "text/html; charset=windows-1251",
    bytes: bytesOf([0xef, 0xbb, 0xbf], document("", UTF8)),
  },
  "a mark of UTF-16, low byte first": {
    type: "text/html",
    bytes: bytesOf([0xff, 0xfe], utf16("<p>zł 日本</p>", true)),
  },
  "a mark of UTF-16, high byte first": {
    type: "text/html",
    bytes: bytesOf([0xfe, 0xff], utf16("<p>zł 日本</p>", false)),
  },
  "a field of UTF-16": { type: "text/html; charset=utf-16", bytes: utf16("<p>zł 日本</p>", true) },
  "a field of UTF-16BE": { type: "text/html; charset=utf-16be", bytes: utf16("<p>zł 日本</p>", false) },
  "a meta": html('<meta charset="koi8-r">'),
  "a meta without quotes": html("<META CHARSET=koi8-r>"),
  "a meta with spaces": html("<meta  charset = ' koi8-r ' />"),
  "a meta as a field": html('<meta http-equiv="Content-Type" content="text/html; charset=koi8-r">'),
  "a meta as a field, its content first": html(`<meta content='text/html;CHARSET = "koi8-r"' http-equiv=content-type>`),
  "a meta of another field": html('<meta http-equiv="refresh" content="text/html; charset=koi8-r">', [65]),
  "a content alone": html('<meta content="text/html; charset=koi8-r">', [65]),
  "a charset beside a content": html(
    '<meta http-equiv="content-type" content="text/html; charset=koi8-u" charset="koi8-r">',
  ),
  "two metas": html('<meta charset="koi8-r"><meta charset="windows-1251">'),
  "a meta of an unknown one, and another": html('<meta charset="nonsense"><meta charset="koi8-r">'),
  "a meta of UTF-16": html('<meta charset="utf-16le">', UTF8),
  "a meta of x-user-defined": html('<meta charset="x-user-defined">'),
  "a meta in a comment": html('<!-- <meta charset="windows-1251"> --><meta charset="koi8-r">'),
  "a meta in a title": html('<title><meta charset="windows-1251"></title><meta charset="koi8-r">'),
  "a meta in a script": html('<script>"<meta charset=windows-1251>"</script><meta charset="koi8-r">'),
  "a meta in a noscript": html('<noscript><meta charset="windows-1251"></noscript><meta charset="koi8-r">'),
  "a meta behind a bogus comment": html("<!x><?y><//z><meta charset=koi8-r>"),
  "a meta in a style": html('<style><meta charset="windows-1251"></style><meta charset="koi8-r">'),
  "a meta in an attribute": html('<link title="<meta charset=windows-1251>"><meta charset="koi8-r">'),
  "a meta behind 600 characters": html(`${filler(600)}<meta charset="koi8-r">`),
  "a meta behind 3,000 characters of head": html(`${filler(3000)}<link rel=x><meta charset="koi8-r">`),
  "a meta in a short body": html('</head><body><div>x</div><meta charset="koi8-r">'),
  "a meta in a long body": html(`</head><body><div>${"x".repeat(2000)}</div><meta charset="koi8-r">`, [65]),
  "an XML declaration in HTML": {
    type: "text/html",
    bytes: bytesOf('<?xml version="1.0" encoding="koi8-r"?>', document("", HIGH)),
  },
  "XHTML with a declaration": {
    type: "application/xhtml+xml",
    bytes: bytesOf(
      "<?xml version='1.0' encoding='windows-1251'?><html xmlns='http://www.w3.org/1999/xhtml'><body><p>",
      [0xcf, 0xf0],
      "</p></body></html>",
    ),
  },
  "XHTML without one": {
    type: "application/xhtml+xml",
    bytes: bytesOf("<html xmlns='http://www.w3.org/1999/xhtml'><body><p>", UTF8, "</p></body></html>"),
  },
  "XHTML with a meta": {
    type: "application/xhtml+xml",
    bytes: bytesOf(
      "<html xmlns='http://www.w3.org/1999/xhtml'><head><meta charset='koi8-r'/></head><body><p>",
      UTF8,
      "</p></body></html>",
    ),
  },
  "bare ASCII": html("", bytesOf("plain")),
};

describe("a declared encoding is the same as Chromium's", () => {
  test.each(SINGLE_BYTE)("%s in the field", async (label) => {
    const page = { type: `text/html; charset=${label}`, bytes: document("", HIGH) };
    expect(decoded(page)).toEqual(await inChromium(page));
  });

  test.each(MULTI_BYTE)("%s in the field", async (label, content) => {
    const page = { type: `text/html; charset=${label}`, bytes: document("", content) };
    expect(decoded(page)).toEqual(await inChromium(page));
  });

  test.each(Object.entries(DECLARED))("by %s", async (_how, page) => {
    expect(decoded(page)).toEqual(await inChromium(page));
  });
});

describe("an encoding that is not declared", () => {
  test("is UTF-8 if the bytes are, even if the document was cut off within a character", () => {
    const page = html("", UTF8);
    expect(decoded(page)).toEqual({ encoding: "utf-8", text: UTF8.toString() });
    const cut = bytesOf("<p>", UTF8.subarray(0, UTF8.length - 2));
    expect(decode(cut, "text/html", "html")).toMatchObject({ encoding: "utf-8", isGuess: false });
  });

  test("is a guess at windows-1252 if they are not", () => {
    expect(decode(bytesOf("<p>caf", [0xe9], "</p>"), "text/html", "html")).toEqual({
      text: "<p>café</p>",
      encoding: "windows-1252",
      isGuess: true,
    });
  });
});

test("a hostile head is searched in linear time", () => {
  for (const piece of [
    "<",
    "<a ",
    "<!--",
    "<meta charset",
    "<meta content=charset",
    "<script>",
    "</",
    "<meta a='",
    "<title>",
  ]) {
    const bytes = Buffer.from(piece.repeat(1_000_000 / piece.length));
    expect(decode(bytes, "text/html", "html").text).toHaveLength(bytes.length);
  }
});
