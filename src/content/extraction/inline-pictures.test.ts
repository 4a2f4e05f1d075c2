import { expect, setDefaultTimeout, test } from "bun:test";
import { extract } from "./extract.ts";
import { type FormsTask } from "./tree/extraction.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const GIF = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";
const WORDS = "The lamp stands on the table, and its light falls on the open book. ".repeat(20);

const data = (length: number) => `data:image/png;base64,${"A".repeat(length)}`;

/** The page with and without its inline pictures, as article and as a whole. */
function read(body: string, inlinePictures: boolean, kind: "article" | "markdown" = "markdown") {
  const task = {
    names: ["html", "images"],
    attributes: [{ selector: "img", attribute: "src" }],
    include: [],
    exclude: [],
  };
  const page = `<!doctype html><html lang="en"><title>Lamp</title><article><h1>Lamp</h1><p>${WORDS}</p>${body}<p>${WORDS}</p></article>`;
  const source = { finalUrl: "https://site.test/", statusCode: 200, headers: [], complete: true } as const;
  const outcome = extract({
    source: { ...source, engine: "static", contentType: "text/html", body: page },
    task: { kind, forms: { ...(task as FormsTask), inlinePictures } },
    mayNeedBrowser: false,
  });
  if (outcome.outcome !== "content") throw new Error(`no content: ${outcome.outcome}`);
  const { content, forms } = outcome.extraction;
  return { content, html: forms?.html ?? "", images: forms?.images, sources: forms?.attributes[0] };
}

test.each(["markdown", "article"] as const)("pictures with data are left out of %s, or kept on request", (kind) => {
  const body = `<p><img alt="A lamp" src="${GIF}"> <img alt="B" src="/b.png"></p>`;
  const without = read(body, false, kind);
  expect(without.content + without.html + JSON.stringify(without.images)).not.toContain("base64");
  const kept = read(body, true, kind);
  expect(kept.content).toContain(`![A lamp](${GIF}) ![B](https://site.test/b.png)`);
  expect(kept.html).toContain(`<img alt="A lamp" src="${GIF}">`);
  expect(kept.images).toEqual([
    { url: GIF, text: "A lamp" },
    { url: "https://site.test/b.png", text: "B" },
  ]);
  expect(kept.sources).toEqual([GIF, "/b.png"]);
});

test("a picture that another source replaces, or whose data is not base64, is as without the option", () => {
  const body = `<p><img alt="A" src="${GIF}" data-src="/late.png"><img alt="C" src="data:image/svg+xml,%3Csvg%3E"></p>`;
  const kept = read(body, true);
  expect(kept.images).toEqual([{ url: "https://site.test/late.png", text: "A" }]);
  expect(kept.content).not.toContain("data:");
  const quoted = read(`<p><img alt="A" src='data:image/png;base64,AA"onerror=x'></p>`, true);
  expect(quoted.html).not.toContain("onerror");
});

test("a picture and all pictures of a page are bounded, also if the page repeats one", () => {
  expect(read(`<img alt="A" src="${data(1_000_001)}">`, true).images).toEqual([]);
  const many = read(`<img alt="A" src="${data(900_000)}">`.repeat(20), true);
  const length = many.content.length + many.html.length + JSON.stringify(many.images).length;
  expect(length).toBeGreaterThan(3_000_000);
  expect(length).toBeLessThan(4_100_000);
});
