import { describe, expect, test } from "bun:test";
import { parseTree } from "../tree/tree.ts";
import { notContent } from "./not-content.ts";

interface Page {
  readonly status?: number | undefined;
  readonly url?: string;
  readonly title?: string;
}

function obstacleOf(body: string, { status = 200, url = "https://site.test/page", title = "Page" }: Page = {}) {
  const html = `<!doctype html><title>${title}</title>${body}`;
  const source = { engine: "static", contentType: "text/html", complete: true, headers: [] } as const;
  return notContent(parseTree(html), html, { ...source, body: html, finalUrl: url, statusCode: status });
}
const reasonOf = (body: string, page?: Page) => obstacleOf(body, page)?.reason;

const words = (count: number): string => "word ".repeat(count);

describe("a challenge has", () => {
  test.each<[string, number, Page, string]>([
    ["220 words", 220, { title: "Just a moment..." }, ""],
    ["30 words if the bot wall also monitors pages", 30, {}, '<script src="//a.rbzns.test/brbzns.js"></script>'],
    ["220 words if the server refuses with 403", 217, { status: 403 }, "<p>Human verification please</p>"],
    ["220 words if the server refuses with 429", 217, { status: 429 }, "<p>Human verification please</p>"],
    ["220 words if the server refuses with 503", 217, { status: 503 }, "<p>Human verification please</p>"],
    ["220 words beside a widget", 217, {}, '<p>Human verification please</p><i class="x cf-turnstile"></i>'],
    ["59 words without a widget", 56, {}, "<p>Human verification please</p>"],
    ["59 words and its demand in the title", 59, { title: "Human verification", status: 404 }, ""],
  ])("at most %s", (_what, count, page, body) => {
    expect(reasonOf(`<p>${words(count)}</p>${body}`, page)).toBe("challenge");
    expect(reasonOf(`<p>${words(count + 1)}</p>${body}`, page)).toBeUndefined();
  });

  test("no form for another purpose, unless the server refuses", () => {
    const form = "<p>Human verification</p><input type=email>";
    expect(reasonOf(form)).toBeUndefined();
    expect(reasonOf(form, { status: 404 })).toBeUndefined();
    expect(reasonOf(form, { status: 403 })).toBe("challenge");
  });

  test("all signs of its kind", () => {
    expect(reasonOf("<p>Reference #1</p>", { title: "Access denied" })).toBe("challenge");
    expect(reasonOf("<p>No entry</p>", { title: "Access denied" })).toBeUndefined();
    expect(reasonOf("<p>Reference #1</p>", { title: "Denied" })).toBeUndefined();
    expect(reasonOf('<p>Unusual traffic</p><form id="captcha-form"></form>')).toBe("challenge");
    expect(reasonOf('<p>Traffic</p><form id="captcha-form"></form>')).toBeUndefined();
  });

  test("its sign in the first 200,000 characters of its source", () => {
    const sign = "<i id='px-captcha'></i>".replaceAll("'", '"');
    const before = "<!doctype html><title>Page</title><p>One word<!---->".length;
    const after = (length: number) => `<p>One word<!--${"-".repeat(length - before)}-->${sign}`;
    expect(reasonOf(after(199_900))).toBe("challenge");
    expect(reasonOf(after(200_000))).toBeUndefined();
  });

  test("its sign in the first 12,000 characters of its text", () => {
    const rejected = "The requested URL was rejected. Please consult with your administrator.";
    expect(reasonOf(`<p>${"x".repeat(11_000)}</p><p>${rejected}</p>`)).toBe("challenge");
    expect(reasonOf(`<p>${"x".repeat(12_000)}</p><p>${rejected}</p>`)).toBeUndefined();
  });

  test("a title of a document, not of a picture", () => {
    const svg = "<svg><title>Just a moment...</title></svg>";
    expect(reasonOf(`${svg}<p>A word</p>`)).toBeUndefined();
  });
});

describe("a page that has no text", () => {
  test.each<[string, string]>([
    ["a script", "<script>start()</script>"],
    ["a picture without scripts", "<noscript><img src=/a.png></noscript>"],
    ["a picture in a template", "<template><img src=/a.png></template>"],
    ["boxes", "<div><p></p></div>"],
  ])("and has %s is empty", (_what, body) => {
    expect(reasonOf(body)).toBe("empty");
  });

  test.each(["<img src=/a.png>", "<svg></svg>", "<p><input></p>", "<canvas></canvas>", "<iframe></iframe>"])(
    "but %s is not",
    (body) => {
      expect(reasonOf(body)).toBeUndefined();
    },
  );

  test.each<[string, number | undefined, string]>([
    ["nothing more for a success", 299, "it has no content"],
    ["the status for others", 300, "it has no content; its server responded with 300"],
  ])("is described with %s", (_what, status, detail) => {
    expect(obstacleOf("", { status })?.detail).toBe(detail);
  });

  test("is described without a status that is not known", () => {
    const source = { engine: "browser", contentType: "text/html", complete: true, headers: [] } as const;
    const page = { ...source, body: "", finalUrl: "https://site.test/", statusCode: undefined };
    expect(notContent(parseTree(""), "", page)?.detail).toBe("it has no content");
  });
});

const DEMAND = "<p>We and our partners store cookies on your device to measure your visits</p>"; // 13 words.
const CHOICE = "<button>Accept all</button>";

const isWall = (body: string, page?: Page) => reasonOf(body, page) === "consent-wall";

const box = (inside: string, attributes = 'id="didomi"') => `<div ${attributes}>${inside}</div>`;

const long = (name: string, count: number) => box(`<${name}><p>Our cookies ${words(count - 4)}</p></${name}>${CHOICE}`);

const text = (count: number) => `<p>Accept cookies ${words(count - 2)}</p>`;

describe("a consent dialog", () => {
  test("is the page if at most 40 words are beside it", () => {
    expect(isWall(box(DEMAND + CHOICE) + words(40))).toBe(true);
    expect(isWall(box(DEMAND + CHOICE) + words(41))).toBe(false);
  });

  test("has at least 12 words", () => {
    const [least, less] = [8, 7].map((count) => box(`<p>Our cookies ${words(count)}</p>${CHOICE}`));
    expect([isWall(least ?? ""), isWall(less ?? "")]).toEqual([true, false]);
  });

  test("has the main content of the page, if that has at most 150 words", () => {
    expect([isWall(long("main", 150)), isWall(long("main", 151))]).toEqual([true, false]);
    expect([isWall(long("article", 150)), isWall(long("article", 151))]).toEqual([true, false]);
    expect(isWall(long("section", 900))).toBe(true);
  });

  test("has at most 1,500 words at an address of its own", () => {
    const url = "https://consent.site.test/";

    expect([isWall(text(1_500), { url }), isWall(text(1_501), { url })]).toEqual([true, false]);
    expect(isWall(text(300))).toBe(false);
  });

  test.each<[string, string, boolean]>([
    ["a button", CHOICE, true],
    ["a button with other elements", "<button><span>Accept</span> <i>all</i></button>", true],
    ["a link", "<a href=#>Accept all</a>", true],
    ["an input", "<input type=submit value='Accept all'>", true],
    ["an input of another kind", "<input type=submit value='Send'>", false],
    ["an element that a script listens to", "<div>Accept all</div>", true],
    ["a label of 60 characters", `<div>Accept ${"x".repeat(53)}</div>`, true],
    ["a longer text", `<div>Accept ${"x".repeat(54)}</div>`, false],
    ["a paragraph", "<p>Accept all</p>", false],
    ["a box of other elements", "<div><p>Accept all</p></div>", false],
  ])("has %s to choose by: %p", (_what, choice, isSo) => {
    expect(isWall(box(`${DEMAND}${choice}`) + "<p>Accept</p>")).toBe(isSo);
  });

  test.each<[string, string, boolean]>([
    ["the id of a consent tool", 'id="onetrust"', true],
    ["a class", 'class="x cookie-wall y"', true],
    ["a long class", `class="${"x ".repeat(490)}cookie-wall"`, true],
    ["a class beyond 1,000 characters", `class="${"x ".repeat(500)}cookie-wall"`, false],
    ["another name", 'class="rookie-walls"', false],
    ["the name of a property of all objects", 'class="constructor"', false],
  ])("has %s: %p", (_what, attributes, isSo) => {
    expect(isWall(box(DEMAND + CHOICE, attributes))).toBe(isSo);
  });

  test("is not the body or a script", () => {
    const body = `<body class="gdpr">${DEMAND}${CHOICE}${words(30)}`;
    expect(isWall(body)).toBe(false);
    expect(isWall(`<script id="didomi">Our cookies ${words(20)} Accept</script><p>Accept cookies</p>`)).toBe(false);
  });

  test("may be hidden until a script shows it, whatever surrounds it", () => {
    const hidden = `<div hidden><i>x</i>${box(DEMAND + CHOICE)}<p>${words(99)}</p></div>`;
    expect(isWall(`${hidden}<p>Accept cookies</p>`)).toBe(true);
    expect(isWall(`<div hidden>${DEMAND}${CHOICE}</div><p>Accept cookies</p>`)).toBe(false);
  });

  test("inside of another one counts once", () => {
    const both = box(`<p>Our cookies word word</p>${box(CHOICE)}`);
    expect(isWall(both)).toBe(false);
  });
});
