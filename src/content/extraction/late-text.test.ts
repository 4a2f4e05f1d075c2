import { describe, expect, test } from "bun:test";
import { extract } from "./extract.ts";
import { type ExtractionOutcome } from "./extraction.ts";

const TEXT = "The night train leaves at half past ten, and reaches the coast just as the bakeries open their doors. ";

function read(html: string, kind: "article" | "text" = "text", engine: "static" | "browser" = "static"): string {
  const page = { contentType: "text/html", statusCode: 200, headers: [], complete: true } as const;
  const source = { ...page, engine, body: html, finalUrl: "https://site.test/" };
  const outcome: ExtractionOutcome = extract({ source, task: { kind }, mayNeedBrowser: false });
  return outcome.outcome === "content" ? outcome.extraction.content : outcome.outcome;
}

const streamed = (rest: string): string =>
  `<title>T</title><main><p>First.</p><!--$?--><template id="B:0"></template><p>Loading…</p><!--$?--><b>x</b><!--/$--><!--/$--><p>Last.</p></main>${rest}`;

describe("a part that was streamed", () => {
  test("takes the place of its fallback", () => {
    expect(read(streamed('<div hidden id="S:0"><p>Came late.</p></div>'))).toBe("First.\nCame late.\nLast.");
  });

  test("may lie within another one", () => {
    const parts =
      '<div hidden id="S:0"><p>Came late.</p><template id="P:1"></template></div><div hidden id="S:1"><p>Inside.</p></div>';
    expect(read(streamed(parts))).toBe("First.\nCame late.\nInside.\nLast.");
  });

  test("is shown where it is if its place is missing or lies within itself", () => {
    expect(read('<p>First.</p><div hidden id="S:2"><p>Came late.</p><template id="B:2"></template></div>')).toBe(
      "First.\nCame late.",
    );
  });

  test("is left to the script of a page from a browser", () => {
    expect(read(streamed('<div hidden id="S:0"><p>Came late.</p></div>'), "text", "browser")).not.toContain("late");
  });

  test("leaves what is hidden for another reason hidden", () => {
    expect(read('<p>First.</p><div hidden id="S:zz">Never.</div><div hidden id="x">Never.</div>')).toBe("First.");
  });
});

describe("text in noscript", () => {
  const posts = `<div><h1>Trains</h1><p>Anna: ${TEXT.repeat(4)}</p><p>Bert: ${TEXT.repeat(3)}</p></div>`;

  test("is read where it is more than all that is shown", () => {
    expect(read(`<p>Loading the forum</p><noscript>${posts}</noscript>`, "article")).toMatch(/Anna: [^]*Bert: /);
  });

  test.each<[string, string]>([
    ["is less than what is shown", `<p>${TEXT.repeat(9)}</p><noscript>${posts}</noscript>`],
    ["is a notice", `<p>Shown.</p><noscript>${"<b></b>".repeat(99)}<p>Anna: enable scripts.</p></noscript>`],
    ["stands in the head", `<head><noscript>${posts}</noscript></head><p>Shown.</p>`],
  ])("is not read where it %s", (_what, html) => {
    expect(read(html)).not.toContain("Anna");
  });

  test("is not read of a page from a browser", () => {
    expect(read(`<p>Shown.</p><noscript>${posts}</noscript>`, "text", "browser")).toBe("Shown.");
  });
});
