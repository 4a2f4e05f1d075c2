import { afterAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import zlib from "node:zlib";
import { call, type Reply, outcomeOf } from "../testing/client.ts";
import { makePdf, pdfLines } from "../testing/pdf.ts";
import { type RawResponse, RawServer, response } from "../testing/raw-server.ts";
import { startTestService } from "../testing/service.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const server = await RawServer.start();
const { service, close } = await startTestService();

const WORDS = "The toll is paid at the gate by each driver who comes through it, and by no other person. ".repeat(5);

const sends = (bytes: string | Uint8Array): RawResponse => {
  return (socket) => socket.write(bytes);
};
const typed = (type: string, body: string | Uint8Array): RawResponse =>
  sends(response(body, `Content-Type: ${type}\r\n`));

const COLUMN = "A column of the page holds enough text for a number of lines, each as long as it is wide. ";
const PRINTED = `<!doctype html><html lang="en"><title>Gates</title><h1>Gates</h1>
  <p>Read <a href="https://gates.test/">the book</a> <b>first</b>.</p>
  <div style="columns: 2"><h2>One</h2><p>${COLUMN.repeat(3)}</p><ol start="3"><li>three<ul><li>within</ul><li>four</ol>
  <h2>Two</h2><p>${COLUMN.repeat(3)}</p></div>
  <table><caption>Tolls</caption><tr><th>Road<th>Toll<tr><td>A1<td>3</table><pre>if (toll) {\n  pay();\n}</pre>
  <p lang="ar" dir="rtl">هذه فقرة باللغة العربية مع كلمات</p><p lang="zh">这是一个中文段落，包含许多词语。</p>
  <blockquote>Quoted</blockquote>`;
const PRINTED_MARKDOWN = [
  "# Gates",
  "Read [the book](https://gates.test/) **first**.",
  "## One",
  COLUMN.repeat(3).trim(),
  "3. three\n   - within\n4. four",
  "## Two",
  COLUMN.repeat(3).trim(),
  "Tolls",
  "| Road | Toll |\n| --- | --- |\n| A1 | 3 |",
  "```\nif (toll) {\n  pay();\n}\n```",
  "هذه فقرة باللغة العربية مع كلمات",
  "这是一个中文段落，包含许多词语。",
  "> Quoted",
].join("\n\n");

const SAVED = "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n";

server.responses = {
  "/fine": typed("text/html", `<title>Fine</title><p>${WORDS}</p>`),
  "/json": typed("application/json", '{"a":[1,2],"url":"https://a.test/"}'),
  "/csv": typed("text/csv", "Road,Toll\nA1,3\n"),
  "/feed": typed(
    "application/rss+xml",
    "<rss><channel><title>News</title><item><title>One</title><link>/one</link></item></channel></rss>",
  ),
  "/page": typed("text/html; charset=utf-8", PRINTED),
  "/pdf": typed("application/pdf", makePdf([pdfLines([[WORDS.slice(0, 80), 20]])], { title: "Of tolls" })),
  "/no-pdf": typed("application/pdf", "%PDF-1.4 nonsense"),
  "/picture": sends("HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: 4000000000\r\n\r\n\x89PNG"),
  // Neither of the two ends.
  "/archive": sends(`${SAVED}${"\x01\x02\x03".repeat(100)}`),
  "/saved-text": sends(`${SAVED}${WORDS.repeat(4)}`),
  "/koi8": typed("text/plain; charset=koi8-r", Buffer.from([0xf0, 0xd2, 0xc9])),
  "/bomb": sends(
    response(zlib.gzipSync(Buffer.alloc(32 * 1024 * 1024)), "Content-Type: text/html\r\nContent-Encoding: gzip\r\n"),
  ),
  "/huge": sends(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: ${2 ** 31}\r\n\r\n`),
  "/stall": sends("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n<p>half"),
  "/part": sends(`HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 100000\r\n\r\n<p>${WORDS}</p>`),
  "/silent": () => undefined,
  "/loop": sends("HTTP/1.1 302 Found\r\nLocation: /loop\r\nContent-Length: 0\r\n\r\n"),
  "/smtp": sends("220 mail.test ESMTP\r\n"),
};

afterAll(async () => {
  await close();
  await server.stop();
});

const ask = (operation: string, path: string, more: Record<string, unknown> = {}): Promise<Reply> =>
  call(service, operation, { url: `http://127.0.0.1:${server.port}${path}`, ...more });

describe("a document that is not HTML", () => {
  test.each([
    [
      "/json",
      "markdown",
      '```json\n{\n  "a": [\n    1,\n    2\n  ],\n  "url": "https://a.test/"\n}\n```',
      "application/json",
    ],
    ["/json", "links", "https://a.test/", "application/json"],
    ["/csv", "markdown", "| Road | Toll |\n| --- | --- |\n| A1 | 3 |", "text/csv"],
    ["/koi8", "text", "При", "text/plain"],
    ["/pdf", "text", WORDS.slice(0, 80).trim(), "application/pdf"],
  ])("%s is read by its real type: %s", async (path, format, content, type) => {
    const { status, json } = await ask("/scrape", path, { format });
    expect([status, json["content"]]).toEqual([200, content]);
    expect(json["metadata"]).toMatchObject({ engine: "static", status: 200, content_type: type });
  });

  test("has a title if it declares one, for /read too", async () => {
    expect((await ask("/read", "/pdf")).json).toMatchObject({ title: "Of tolls", content: WORDS.slice(0, 80).trim() });
    const { json } = await ask("/read", "/feed");
    expect(json).toMatchObject({ title: "News" });
    expect(String(json["content"])).toContain(`- [One](http://127.0.0.1:${server.port}/one)`);
  });

  test("that the browser printed is read by its tags", async () => {
    const { bytes } = await ask("/pdf", "/page");
    server.responses = { ...server.responses, "/printed": typed("application/pdf", bytes) };
    const { json } = await ask("/scrape", "/printed", { format: "markdown" });
    expect(json["content"]).toBe(PRINTED_MARKDOWN);
  });

  test.each([
    ["/scrape", "/picture", 500, "Cannot read the page: its type, image/png, is not one that can be read as text"],
    ...["/archive", "/saved-text"].map(
      (path) =>
        [
          "/read",
          path,
          500,
          "Cannot read the page: its type, application/octet-stream, is not one that can be read as text",
        ] as const,
    ),
    ["/scrape", "/no-pdf", 500, "Cannot read the page: it is not a valid PDF document"],
  ])("%s of %s gets the status %d", async (operation, path, status, detail) => {
    expect((await ask(operation, path)).json).toMatchObject({ status, detail });
  });
});

/** A PDF with these objects after its catalogue, its pages, its only page and the text of the page. */
function pdfOf({
  pages = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
  catalog = "",
  page = "",
  more = [] as string[],
}) {
  const text = "/P << /MCID 0 >> BDC BT /F1 12 Tf 72 700 Td (plain words) Tj ET EMC /X Do";
  const font = "<< /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>";
  const objects = [
    `<< /Type /Catalog /Pages 2 0 R ${catalog} >>`,
    pages,
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R ${page}
      /Resources << /Font ${font} /XObject << /X 5 0 R >> >> >>`,
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    ...more,
  ];
  // Without a table of objects, the reader searches for them.
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj`).join("\n");
  return `%PDF-1.7\n${body}\ntrailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF`;
}

/** Drawings that each draw the next one ten times. */
const DRAWINGS = Array.from({ length: 28 }, (_, at) => {
  const head = `/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X ${at + 6} 0 R >> >>`;
  return `<< ${head} /Length 60 >>\nstream\n${"/X Do ".repeat(10)}\nendstream`;
});
/** Elements that each have the next one as two children. */
const SHARED = Array.from({ length: 40 }, (_, at) => {
  return `<< /Type /StructElem /S /Sect /P ${at + 4} 0 R /Pg 3 0 R /K ${at === 39 ? 0 : `[${at + 6} 0 R ${at + 6} 0 R]`} >>`;
});
const TAGGED =
  "/MarkInfo << /Marked true >> /StructTreeRoot << /Type /StructTreeRoot /K 5 0 R /ParentTree << /Nums [0 [44 0 R]] >> >>";

/** The time or the memory of the process that reads it is used up first. */
const SLOW_OR_LARGE = /^500 page-(?:timeout|failed)$/;

describe("a hostile PDF", () => {
  test.each([
    [
      "pages that contain themselves",
      pdfOf({ pages: "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 9 >>" }),
      "500 page-empty",
    ],
    [
      "tags that contain themselves",
      pdfOf({ catalog: TAGGED, page: "/StructParents 0", more: ["<< /S /P /P 5 0 R /K [5 0 R 0] /Pg 3 0 R >>"] }),
      "200",
    ],
    [
      "tags that are shared too often",
      pdfOf({ catalog: TAGGED, page: "/StructParents 0", more: SHARED }),
      SLOW_OR_LARGE,
    ],
    ["drawings in drawings", pdfOf({ more: DRAWINGS }), "500 page-timeout"],
    [
      "a program and a file to open",
      pdfOf({
        catalog: "/OpenAction << /S /JavaScript /JS (while \\(true\\);) >> /AA << /WC << /S /Launch /F (/bin/sh) >> >>",
      }),
      "200",
    ],
    [
      "a font with a giant range",
      pdfOf({ more: ["<< /Length 0 >>\nstream\n\nendstream"] }).replace(
        "/BaseFont /Helvetica",
        "/BaseFont /Helvetica /FirstChar 0 /LastChar 2000000000 /Widths [500]",
      ),
      "200",
    ],
  ])("with %s is bounded, and the next request is served", async (_what, pdf, outcome) => {
    server.responses = { ...server.responses, "/hostile": typed("application/pdf", pdf) };
    const reply = await ask("/scrape", "/hostile", {
      timeout: outcome === "500 page-timeout" || outcome === SLOW_OR_LARGE ? 1 : 30,
      format: "text",
    });
    expect(outcomeOf(reply)).toMatch(outcome);
    if (reply.status === 200) expect(reply.json["content"]).toBe("plain words");
    expect((await ask("/scrape", "/fine", { format: "text" })).status).toBe(200);
  });
});

describe("a hostile server", () => {
  test.each([
    ["/bomb", "500 page-failed"],
    ["/huge", "500 page-failed"],
    ["/loop", "500 page-failed"],
    ["/smtp", "500 page-failed"],
    ["/silent", "500 page-timeout"],
    ["/stall", "500 page-timeout"],
  ])("at %s ends as %s in time, and the next request is served", async (path, outcome) => {
    expect(outcomeOf(await ask("/scrape", path, { timeout: 1 }))).toBe(outcome);
    const next = await ask("/scrape", "/fine", { format: "text" });
    expect([next.status, next.json["content"]]).toEqual([200, WORDS.trim()]);
  });

  test("that stalls leaves a part to callers that accept it", async () => {
    const { status, json } = await ask("/scrape", "/part", { timeout: 1, partial: true, format: "text" });
    expect([status, json["content"]]).toEqual([200, WORDS.trim()]);
    expect(json["metadata"]).toMatchObject({ partial: true, engine: "static" });
  });
});
