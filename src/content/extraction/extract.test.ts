import { describe, expect, test } from "bun:test";
import { type PageSource } from "../page/page.ts";
import { extract } from "./extract.ts";
import { type Extraction, type ExtractionOutcome, type ExtractionTask } from "./tree/extraction.ts";
import { MAX_ELEMENTS } from "./tree/tree.ts";

const TEXT = "A toll road charges each traveller for the stretch that was driven, and for nothing else. ".repeat(12);
const PAGE = `<title>Toll roads</title><main><h1>Toll roads</h1><p>${TEXT}</p></main>`;
const APP = '<script src="/site-behaviour.js"></script>';
const MARKDOWN: ExtractionTask = { kind: "markdown" };

interface Settings extends Partial<PageSource> {
  readonly mayNeedBrowser?: boolean;
}

function outcomeOf(body: string, task: ExtractionTask = MARKDOWN, settings: Settings = {}): ExtractionOutcome {
  const { mayNeedBrowser = false, ...more } = settings;
  const page = { engine: "static", contentType: "text/html", statusCode: 200, headers: [], complete: true } as const;
  return extract({ source: { ...page, body, finalUrl: "https://site.test/", ...more }, task, mayNeedBrowser });
}

function contentOf(body: string, task: ExtractionTask = MARKDOWN, settings: Settings = {}): Extraction {
  const outcome = outcomeOf(body, task, settings);
  if (outcome.outcome !== "content") throw new Error(`The page has no content: it is ${outcome.outcome}`);
  return outcome.extraction;
}

const signOf = (body: string, task?: ExtractionTask) => {
  const outcome = outcomeOf(body, task, { mayNeedBrowser: true });
  if (outcome.outcome === "content") return outcome.evidence ?? "content";
  return outcome.outcome === "needs-browser" ? outcome.sign : outcome.outcome;
};

describe("a page that may need a browser", () => {
  test.each([
    ["no code", PAGE, "content"],
    ["a short refresh", `<meta http-equiv=refresh content="0; url=/there">${PAGE}`, "refresh"],
    ["no text, without code", "<p></p>", "empty"],
    ["a challenge", "<title>Just a moment...</title><script src='/cdn-cgi/challenge-platform/x'></script>", "no-text"],
    [
      "a consent dialog",
      "<div id=didomi><p>We and our partners store cookies on your device to show you more of what you like to see.</p><button>Accept all</button></div>",
      "consent-wall",
    ],
  ])("and has %s", (_what, body, sign) => {
    expect(signOf(body)).toBe(sign);
  });

  test("has the evidence of its code, with the scripts only if no sign was found", () => {
    const scripts = [{ url: "https://site.test/site-behaviour.js", isModule: false, isComponent: false, rank: 1 }];
    expect(signOf(PAGE + APP)).toMatchObject({ sign: undefined, scripts });
    expect(signOf(`${PAGE}<p>Loading…</p>${APP}`)).toMatchObject({ sign: "placeholder", scripts: [] });
  });

  test.each([
    [6, false, "low-confidence"],
    [20, false, undefined],
    [20, true, "low-confidence"],
    [50, true, undefined],
  ])("has %d lines of a menu and of a footer, and hidden texts: %p", (count, hidesTexts, sign) => {
    const links = Array.from(
      { length: count },
      (_, at) => `<li><a href="/${at}">Link ${at} to another page of this site</a></li>`,
    );
    const menu = `<div class=sidebar><ul>${links.join("")}</ul></div>`;
    const words =
      count === 50 ? `<main>${PAGE}</main>` : `<div class="footer-links">${"Word to you. ".repeat(count + 6)}</div>`;
    const hidden = hidesTexts ? `<script type="application/json">{"body":"${TEXT}"}</script>` : "";
    expect(signOf(menu + words + hidden + APP, { kind: "article" })).toMatchObject({ sign });
  });
});

describe("a page without content is an error", () => {
  const CONSENT =
    "<div id=didomi><p>We and our partners store cookies on your device to show you more of what you like to see.</p><button>Accept all</button></div>";

  test.each<[string, string, Partial<PageSource>, string]>([
    ["of a type without text", "GIF89a", { contentType: "image/gif" }, "unsupported-type"],
    ["with too many elements", "<br>".repeat(MAX_ELEMENTS + 1), {}, "unreadable"],
    ["that is empty", "<p></p>", {}, "empty"],
    ["that only asks for consent", CONSENT, {}, "consent-wall"],
  ])("%s", (_which, body, source, reason) => {
    expect(outcomeOf(body, MARKDOWN, source)).toMatchObject({ outcome: "not-content", reason });
  });

  test("but its tables are read, as the layout is known", () => {
    const tables = { t: { row: "p", columns: { a: "@id" } } };
    expect(contentOf("<p id=x></p>", { kind: "tables", tables })).toMatchObject({ fields: { "t.a": ["x"] } });
  });
});

test("scripts that change nothing leave the content, which is not made", () => {
  const task = { kind: "scripts", scripts: [] } as const;
  expect(outcomeOf(PAGE, task)).toEqual({ outcome: "content", extraction: { content: "", title: "" } });
});

test("terms for the use by AI are part of the content, if the page states any", () => {
  const terms = { tdm_reserved: true, license: "https://site.test/l.xml" };
  const head =
    '<meta name="TDM-Reservation" content=" 1 "><meta name="tdm-reservation" content="0"><link rel="license" type="application/rsl+xml" href="/l.xml"><link rel="license" type="application/rsl+xml" href="/m.xml"><link rel="license" href="/text"><link rel="alternate" type="application/rsl+xml" href="/n.xml">';
  expect(contentOf(head + PAGE).terms).toEqual(terms);
  expect(contentOf(PAGE)).not.toHaveProperty("terms");
  const policy = '<meta name="tdm-policy" content="/policy"><p name="tdm-reservation" content="1">';
  expect(contentOf(policy + PAGE).terms).toEqual({ tdm_policy: "https://site.test/policy" });
});

describe("the format of the content", () => {
  const LINKED = `<title>T</title><main><p>One <a href="/a">link</a></p></main>`;
  test.each<[ExtractionTask["kind"], string]>([
    ["markdown", "One [link](https://site.test/a)"],
    ["text", "One link"],
    ["links", "[link](https://site.test/a)"],
    ["html", LINKED],
    ["article", "One [link](https://site.test/a)"],
    ["index", "One link"],
  ])("%s", (kind, content) => {
    const made = contentOf(LINKED, { kind } as ExtractionTask);
    expect(made.content.trim()).toBe(content);
    expect(made.title).toBe("T");
  });

  test("html is that of the tree if parts of the page were moved, or if it was received as bytes", () => {
    const streamed = `<p>First.</p><template id="B:0"></template><!--/$--><p>Last.</p><div hidden id="S:0"><b>Late</b></div>`;
    expect(contentOf(streamed, { kind: "html" }).content).toBe(
      '<html><head></head><body><p>First.</p><div id="S:0"><b>Late</b></div><!--/$--><p>Last.</p></body></html>',
    );
    const bytes = new Uint8Array(Buffer.from(LINKED));
    expect(contentOf("", { kind: "html" }, { body: bytes }).content).toBe(
      '<html><head><title>T</title></head><body><main><p>One <a href="/a">link</a></p></main></body></html>',
    );
  });

  test.each(["markdown", "article", "html"] as const)("%s has the fields of a crawl on request", (kind) => {
    const { fields } = contentOf(LINKED, { kind, crawled: true });
    expect(fields).toMatchObject({ links: ["https://site.test/a"], canonical: null });
    expect(fields?.["sketch"]).toBeDefined();
    expect(contentOf(LINKED, { kind })).not.toHaveProperty("fields");
  });

  test("an article has the comments of readers on request", () => {
    const comments = ["Oda", "Bram", "Tine"].map(
      (name) => `<li class="comment"><b class="author">${name}</b><p>${name} says that it was late again.</p></li>`,
    );
    const page = `<title>T</title><article><h1>T</h1><p>${TEXT}</p></article><section id="comments"><h2>3 comments</h2><ol>${comments.join("")}</ol></section>`;
    expect(contentOf(page, { kind: "article" }).content).not.toContain("Oda says");
    expect(contentOf(page, { kind: "article", comments: true }).content).toContain("Oda says");
  });
});

describe("further forms", () => {
  const NONE = { names: [], attributes: [], include: [], exclude: [] } as const;
  const BODY = `<title>T</title><nav>Menu</nav><main><p id=a>One</p><p class=b>Two <i hidden>not</i></p></main>`;

  test("are made of the whole page, and its content has only the parts that are included", () => {
    const forms = { ...NONE, names: ["text", "html", "rawHtml"], include: ["p"], exclude: [".b"] } as const;
    const made = contentOf(BODY, { kind: "markdown", forms });
    expect(made.content).toBe("One");
    expect(made.forms).toMatchObject({ text: "One", html: '<p id="a">One</p>', rawHtml: BODY });
    expect(contentOf(BODY, { kind: "markdown" })).not.toHaveProperty("forms");
  });

  test("have the parts that the server has sent last, and the text of noscript", () => {
    const late = `<p>First.</p><template id="B:0"></template><!--/$--><div hidden id="S:0"><b>Late</b></div>`;
    const forms = { ...NONE, names: ["text"] } as const;
    expect(contentOf(late, { kind: "markdown", forms }).forms?.text).toBe("First.\nLate");
    const noscript = `<p>Loading the forum</p><noscript><p>${TEXT}</p></noscript>`;
    expect(contentOf(noscript, { kind: "markdown", forms }).forms?.text).toContain("A toll road");
  });

  test("read the marks of a browser for the fields of a schema, which no other form has", () => {
    const mark = "data-m1";
    const body = `<h1>Oak shelf</h1><p ${mark}="">SKU: BAD</p><p ${mark}="color:red">Weight: 20 kg</p>`;
    const schema = { type: "object", properties: { sku: { type: "string" }, weight: { type: "string" } } };
    const json = { kind: "schema", schema } as const;
    const forms = { ...NONE, names: ["html", "rawHtml"], json } as const;
    const made = contentOf(body, { kind: "markdown", forms }, { engine: "browser", sight: { mark } });
    expect(made.forms?.json?.value).toEqual({ sku: null, weight: "20 kg" });
    expect(`${made.content}${made.forms?.html}${made.forms?.rawHtml}`).not.toContain(mark);
    expect(made.content).toContain("SKU: BAD");
    expect(contentOf(body, json, { engine: "browser", sight: { mark } }).values?.value).toEqual({
      sku: null,
      weight: "20 kg",
    });
  });
});
