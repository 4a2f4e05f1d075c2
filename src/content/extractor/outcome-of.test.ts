import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { type PageSource } from "../page/page.ts";
import { makePdf, pdfLines } from "../testing/pdf.ts";
import { type Extraction, type ExtractionOutcome, type ExtractionTask } from "../extraction/tree/extraction.ts";
import { outcomeOf } from "./outcome-of.ts";
import { patient } from "../../lib/testing/patience.ts";

// A busy machine is slow.
setDefaultTimeout(patient(60_000));

const URL_OF_IT = "https://site.test/folder/file";

function outcome(
  contentType: string,
  body: string | Uint8Array,
  kind: Exclude<ExtractionTask["kind"], "fields" | "schema" | "tables" | "scripts"> = "markdown",
  mayNeedBrowser = false,
): Promise<ExtractionOutcome> {
  const source: PageSource = {
    engine: "static",
    body: typeof body === "string" ? body : Uint8Array.from(body),
    contentType,
    finalUrl: URL_OF_IT,
    statusCode: 200,
    headers: [],
    complete: true,
  };
  return outcomeOf({ source, task: { kind }, mayNeedBrowser });
}

async function read(...parameters: Parameters<typeof outcome>): Promise<Extraction> {
  const found = await outcome(...parameters);
  if (found.outcome !== "content") throw new Error(JSON.stringify(found));
  return found.extraction;
}

const contentOf = async (...parameters: Parameters<typeof outcome>): Promise<string> =>
  (await read(...parameters)).content;

const bytes = (text: string): Uint8Array => Buffer.from(text);

describe("text", () => {
  const TEXT = "See <https://a.test/x>, (https://b.test/y?z=1) and https://a.test/x.\n\tEnd & more";

  test("is returned unchanged, with its URLs as links", async () => {
    for (const body of [TEXT, bytes(TEXT)]) {
      expect(await contentOf("text/plain", body)).toBe(TEXT);
      expect(await contentOf("text/plain", body, "text")).toBe(TEXT);
      expect(await contentOf("text/plain", body, "article")).toBe(TEXT);
      expect(await contentOf("text/plain", body, "links")).toBe("https://a.test/x\nhttps://b.test/y?z=1");
      expect(await contentOf("text/plain", body, "html")).toContain("<pre>\nSee &lt;https://a.test/x&gt;");
    }
    expect(await read("text/plain", TEXT, "index")).toEqual({
      content: TEXT,
      title: "",
      fields: { canonical: null, robots: "", links: ["https://a.test/x", "https://b.test/y?z=1"], texts: ["", ""] },
    });
  });

  test("is decoded by its field, its byte order mark, or its bytes", async () => {
    const latin = Buffer.from("caf\xe9", "latin1");
    expect(await contentOf("text/plain; charset=koi8-r", latin)).toBe("cafИ");
    expect(await contentOf("text/plain", latin)).toBe("café");
    expect(await contentOf("text/plain", bytes("\uFEFFcafé"))).toBe("café");
    expect(await contentOf("text/markdown", bytes("# café"))).toBe("# café");
  });

  test("of a language is fenced in Markdown, whatever it contains", async () => {
    expect(await contentOf("text/css", "p { }\n")).toBe("```css\np { }\n```");
    expect(await contentOf("application/x-javascript", "````")).toBe("`````js\n````\n`````");
    expect(await contentOf("text/css", "p { }\n", "text")).toBe("p { }\n");
  });

  test("without a word is empty", async () => {
    expect(await outcome("text/plain", " \n")).toMatchObject({ outcome: "not-content", reason: "empty" });
  });
});

describe("a feed", () => {
  test("from a hostile server is read in linear time", async () => {
    for (const piece of [
      "<item>",
      "<channel>",
      "<item><title>x",
      "<a><b/>",
      "<![CDATA[",
      "<!--",
      "&x;",
      "<link href='",
    ]) {
      const xml = `<rss><channel>${piece.repeat(1_000_000 / piece.length)}`;
      const found = await outcome("application/rss+xml", xml);
      expect(["content", "not-content"]).toContain(found.outcome);
    }
  });
});

describe("XML", () => {
  test("that is XHTML is a page, also if it omits what only XML can omit", async () => {
    const xml = `<?xml version="1.0" encoding="utf-8"?>
      <!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x.dtd"><html xmlns="http://www.w3.org/1999/xhtml"><head><title/>
      <script src="x.js"/><script><![CDATA[ if (1 < 2) "</p>" ]]></script></head><body><a name="x"/><div/>
      <h1>Caf&eacute;</h1><p>one<br/>two &amp; <![CDATA[<three>]]></p><textarea/><p>after</p></body></html>`;
    for (const type of ["application/xhtml+xml", "application/xml", "text/xml"]) {
      const content = await contentOf(type, bytes(xml), "text");
      expect(content.split(/\n+/)).toEqual(["Café", "one", "two & <three>", "after"]);
    }
  });
});

describe("a PDF", () => {
  const PDF = makePdf(
    [
      pdfLines([
        ["Toll roads", 20, 24],
        ["The first line of a para-", 40],
        ["graph, and its second.", 14],
        ["1. https://a.test/x", 40],
      ]),
      pdfLines([["Page two", 20]]),
    ],
    { title: "Of tolls", links: ["https://b.test/", "javascript:alert\\(1\\)"] },
  );

  test("returns its text, title and links", async () => {
    const paragraphs = [
      "Toll roads",
      "The first line of a paragraph, and its second.",
      "1. https://a.test/x",
      "Page two",
    ];
    expect(await read("application/pdf", PDF, "text")).toEqual({ content: paragraphs.join("\n\n"), title: "Of tolls" });
    expect(await contentOf("application/pdf", PDF)).toContain("\n\n1. https://a.test/x\n\nPage two");
    expect(await contentOf("", PDF, "links")).toBe("https://b.test/\nhttps://a.test/x");
    expect(await contentOf("application/pdf", PDF, "html")).toContain("<p>Page two</p>");
  });

  test.each([
    ["not a PDF", Buffer.from("%PDF-1.4 nonsense"), "unreadable", "it is not a valid PDF document"],
    ["cut off", PDF.subarray(0, 300), "unreadable", "it is not a valid PDF document"],
    [
      "without text",
      makePdf(["0 0 m 10 10 l S"]),
      "empty",
      "it is a PDF document without text; its pages may be pictures",
    ],
  ])("that is %s is an error", async (_what, body, reason, detail) => {
    expect(await outcome("application/pdf", body)).toEqual({
      outcome: "not-content",
      reason: reason as "empty", // One of the reasons in the table.
      detail,
    });
  });

  test("that is locked asks for a password", async () => {
    const encrypt = `/Encrypt << /Filter /Standard /V 1 /R 2 /P -64 /O (${"o".repeat(32)}) /U (${"u".repeat(32)}) >> /ID [<00> <00>]`;
    expect(await outcome("application/pdf", makePdf([pdfLines([["secret", 20]])], { trailer: encrypt }))).toEqual({
      outcome: "not-content",
      reason: "unsupported-type",
      detail: "it is a PDF document that requires a password",
    });
  });
});

function noText(type: string): ExtractionOutcome {
  const detail = `its type, ${type}, is not one that can be read as text`;
  return { outcome: "not-content", reason: "unsupported-type", detail };
}

describe("a document", () => {
  test("of a type without text has its type in the error", async () => {
    expect(await outcome("image/png", bytes("\x89PNG"))).toEqual(noText("image/png"));
    expect(await outcome("", bytes("GIF89a"))).toEqual(noText("which its server does not name"));
  });

  test.each(["text/plain", "application/json", "application/pdf", "text/csv"])(
    "of type %s has no elements",
    async (contentType) => {
      const source: PageSource = {
        engine: "browser",
        body: contentType === "application/pdf" ? Uint8Array.from(makePdf([pdfLines([["x", 20]])])) : "x",
        contentType,
        finalUrl: URL_OF_IT,
        statusCode: 200,
        headers: [],
        complete: true,
      };
      const task = { kind: "fields", selectors: { a: "p" }, attributes: {} } as const;
      expect(await outcomeOf({ source, task, mayNeedBrowser: false })).toEqual({
        outcome: "not-content",
        reason: "unsupported-type",
        detail: `its type, ${contentType}, has no elements to select`,
      });
    },
  );

  test("without a declared encoding goes to a browser if the request allows it", async () => {
    const page = Buffer.from(`<p>${"caf\xe9 and more words. ".repeat(20)}</p>`, "latin1");
    expect(await outcome("text/html", page, "text", true)).toEqual({
      outcome: "needs-browser",
      sign: "undeclared-encoding",
    });
    expect(await contentOf("text/html", page, "text")).toStartWith("café and");
    const declared = await outcome("text/html; charset=latin1", page, "text", true);
    expect(declared.outcome).toBe("content");
  });
});
