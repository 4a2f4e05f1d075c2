import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { type Extraction, type ExtractionJob } from "../extraction/tree/extraction.ts";
import { Extractor } from "./extractor.ts";
import { patient } from "../../lib/testing/patience.ts";

// A browser on a busy machine is slow.
setDefaultTimeout(patient(60_000));

const extractor = new Extractor();
afterAll(() => extractor.close());

const URL_BASE = "https://site.test/docs/page?x=1";

type Kind = Exclude<ExtractionJob["task"]["kind"], "fields" | "schema" | "tables" | "scripts">;

function jobOf(kind: Kind, html: string): ExtractionJob {
  const page = { engine: "browser", contentType: "text/html", statusCode: 200, headers: [], complete: true } as const;
  return { source: { ...page, body: html, finalUrl: URL_BASE }, task: { kind }, mayNeedBrowser: false };
}

async function extraction(kind: Kind, html: string): Promise<Extraction> {
  const outcome = await extractor.extract(jobOf(kind, html));
  if (outcome.outcome !== "content") throw new Error(`Cannot use the outcome: it is ${outcome.outcome}`);
  return outcome.extraction;
}

async function extract(kind: Kind, html: string): Promise<string> {
  return (await extraction(kind, html)).content;
}

test("if no article stands out, the whole body is the article", async () => {
  const { content, title } = await extraction(
    "article",
    "<html><head><title> Short </title></head><body><p>Little.</p></body></html>",
  );
  expect([content, title]).toEqual(["Little.", "Short"]);
});

test.each<[string, string]>([
  ["20,000 nested elements", `${"<div>".repeat(20_000)}x${"</div>".repeat(20_000)}`],
  ["10,000 nested links", `${'<a href="/x">'.repeat(10_000)}x`],
  ["5,000 nested tables", `${"<table><tr><td>".repeat(5_000)}x`],
  ["10,000 nested lists", `${"<ul><li>".repeat(10_000)}x`],
  ["a quarter of a million opening brackets", "<".repeat(250_000)],
  ["unclosed tags", "<p><b><i>".repeat(20_000)],
  ["an attribute that never ends", `<p title="${"x".repeat(500_000)}`],
])(
  "%s end with a result or an error in every format",
  async (_what, html) => {
    for (const kind of ["markdown", "text", "links", "article"] as const) {
      const outcome = await extractor.extract(jobOf(kind, html)).catch((error: unknown) => error);
      if (outcome instanceof Error) expect(outcome).toMatchObject({ code: "page-failed" });
    }
    expect(await extract("text", "<p>next</p>")).toBe("next");
  },
  60_000,
);

test("an extraction that takes too long is stopped, and the next page is read", async () => {
  const hasty = new Extractor({ deadlineMs: 150 });
  const html = "<div><p>word, word.</p></div>".repeat(200_000);
  const failure = await hasty.extract(jobOf("article", html)).catch((error: unknown) => error);
  expect(failure).toMatchObject({ code: "page-failed", message: "Cannot read the page: it takes too long" });
  hasty.close();
});

test("a page that is too long is rejected before it is parsed", async () => {
  const failure = await extract("text", "x".repeat(10_000_001)).catch((error: unknown) => error);
  expect(failure).toMatchObject({ message: "Cannot read the page: it has more than 10000000 characters" });
});

test("a page whose client has gone is released, and its place is free", async () => {
  const only = new Extractor();
  const gone = Promise.withResolvers<never>();
  const html = "<div><p>word, word.</p></div>".repeat(200_000);
  const failures = Array.from({ length: 8 }, () =>
    only.extract(jobOf("article", html), gone.promise).catch((error: unknown) => error),
  );
  gone.reject(new Error("gone"));
  for (const failure of failures) expect(await failure).toMatchObject({ code: "page-failed" });
  const outcome = await only.extract(jobOf("text", "<p>next</p>"));
  expect(outcome).toMatchObject({ extraction: { content: "next" } });
  only.close();
});

test("a request with many pages leaves workers to others", async () => {
  const order: string[] = [];
  const greedy = {};
  const page = jobOf("text", "<p>word</p>");
  const all = Array.from({ length: 20 }, async () => {
    await extractor.extract(page, undefined, greedy);
    order.push("greedy");
  });
  await extractor.extract(page, undefined, {});
  order.push("other");
  await Promise.all(all);
  expect(order.indexOf("other")).toBeLessThan(10);
});

test.each(["<div>", "<b>x<p>", "<ul><li>x", "<table><tr><td>x", "<p><b><i><u>"])(
  "five megabytes of %s are not a page, and the next one is read",
  async (piece) => {
    const html = piece.repeat(5_000_000 / piece.length);
    const outcome = await extractor.extract(jobOf("markdown", html));
    expect(outcome).toMatchObject({ outcome: "not-content", reason: "unreadable" });
    expect(await extract("text", "<p>next</p>")).toBe("next");
  },
);
