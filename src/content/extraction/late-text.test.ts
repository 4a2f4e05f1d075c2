import { describe, expect, test } from "bun:test";
import { extract } from "./extract.ts";
import { type ExtractionOutcome } from "./tree/extraction.ts";

const TEXT = "The night train leaves at half past ten, and reaches the coast just as the bakeries open their doors. ";

function read(
  html: string,
  kind: "article" | "markdown" | "text" = "text",
  engine: "static" | "browser" = "static",
): string {
  const page = { contentType: "text/html", statusCode: 200, headers: [], complete: true } as const;
  const source = { ...page, engine, body: html, finalUrl: "https://site.test/" };
  const outcome: ExtractionOutcome = extract({ source, task: { kind }, mayNeedBrowser: false });
  return outcome.outcome === "content" ? outcome.extraction.content : outcome.outcome;
}

const streamed = (rest: string): string =>
  `<title>T</title><main><p>First.</p><!--$?--><template id="B:0"></template><p>Loading…</p><!--$?--><b>x</b><!--/$--><!--/$--><p>Last.</p></main>${rest}`;

describe("a streamed part", () => {
  test("replaces its fallback", () => {
    expect(read(streamed('<div hidden id="S:0"><p>Came late.</p></div>'))).toBe("First.\nCame late.\nLast.");
  });

  test("may be inside another part", () => {
    const parts =
      '<div hidden id="S:0"><p>Came late.</p><template id="P:1"></template></div><div hidden id="S:1"><p>Inside.</p></div>';
    expect(read(streamed(parts))).toBe("First.\nCame late.\nInside.\nLast.");
  });

  test("is shown at its own place if its target is missing or inside the part itself", () => {
    expect(read('<p>First.</p><div hidden id="S:2"><p>Came late.</p><template id="B:2"></template></div>')).toBe(
      "First.\nCame late.",
    );
  });

  test("is in its place when external scripts are searched", () => {
    const code = 'document.querySelector("main .price").textContent = "Sold out";';
    const html = streamed('<div hidden id="S:0"><p class="price">At ten.</p></div>');
    const page = { contentType: "text/html", statusCode: 200, headers: [], complete: true } as const;
    const source = { ...page, engine: "static", body: html, finalUrl: "https://site.test/" } as const;
    const scripts = [{ url: "https://site.test/a.js", isModule: false, code }];
    const outcome = extract({ source, task: { kind: "scripts", scripts }, mayNeedBrowser: false });
    expect(outcome).toEqual({ outcome: "needs-browser", sign: "script-writes" });
  });

  test("is not moved in a page from a browser", () => {
    expect(read(streamed('<div hidden id="S:0"><p>Came late.</p></div>'), "text", "browser")).not.toContain("late");
  });

  test("is not shown if it is hidden for another reason", () => {
    expect(read('<p>First.</p><div hidden id="S:zz">Never.</div><div hidden id="x">Never.</div>')).toBe("First.");
  });
});

const noscript = (word: string) => `<noscript><p>${`${word} `.repeat(80)}</p></noscript>`;

describe("text in noscript", () => {
  const posts = `<div><h1>Trains</h1><p>Anna: ${TEXT.repeat(4)}</p><p>Bert: ${TEXT.repeat(3)}</p></div>`;

  test("is read if it is longer than all visible text", () => {
    expect(read(`<p>Loading the forum</p><noscript>${posts}</noscript>`, "article")).toMatch(/Anna: [^]*Bert: /);
  });

  test("is read as HTML, and not as its source", () => {
    const text = read(`<p>Loading the forum</p><noscript>${posts}</noscript>`);
    expect(text).toStartWith("Loading the forum\nTrains\nAnna: ");
    expect(text).not.toContain("<");
  });

  test.each<[string, string, boolean]>([
    ["has 80 words", `<p>Shown.</p><noscript><p>${"abcdefg ".repeat(80)}</p></noscript>`, true],
    ["has 79 words", `<p>Shown.</p><noscript><p>${"abcdefg ".repeat(79)}</p></noscript>`, false],
    ["has 80 words in fewer than 400 characters", `<p>Shown.</p><noscript>${"ab ".repeat(133)}</noscript>`, false],
    ["has more words than are shown", `<p>${"x ".repeat(99)}</p><noscript>${"abcdefg ".repeat(100)}</noscript>`, true],
    [
      "has as many words as are shown",
      `<p>${"x ".repeat(100)}</p><noscript>${"abcdefg ".repeat(100)}</noscript>`,
      false,
    ],
    [
      "has more words than are shown beside hidden ones",
      `<p>${"x ".repeat(99)}</p><p hidden>${"x ".repeat(9)}</p><script>a b c</script><noscript>${"abcdefg ".repeat(100)}</noscript>`,
      true,
    ],
  ])("%s: %#", (_what, html, isSo) => {
    expect(/abcdefg|ab ab/.test(read(html))).toBe(isSo);
  });

  test("is that of the first of equal ones", () => {
    expect(read(`<p>Shown.</p>${noscript("anna")}${noscript("bert")}`)).toContain("anna");
  });

  test("is that of the longest one", () => {
    const shorter = `<noscript><p>Carl: ${TEXT.repeat(6)}</p></noscript>`;
    const longest = `<noscript>${posts}</noscript>`;
    const text = read(`<p>Loading the forum</p>${shorter}${longest}${shorter}`);
    expect(text).toContain("Anna");
    expect(text).not.toContain("Carl");
  });

  test.each<[string, string]>([
    ["is less than what is shown", `<p>${TEXT.repeat(9)}</p><noscript>${posts}</noscript>`],
    ["is a notice", `<p>Shown.</p><noscript>${"<b></b>".repeat(99)}<p>Anna: enable scripts.</p></noscript>`],
    ["stands in the head", `<head><noscript>${posts}</noscript></head><p>Shown.</p>`],
  ])("is not read if it %s", (_what, html) => {
    expect(read(html)).not.toContain("Anna");
  });

  test("is not read in a page from a browser", () => {
    expect(read(`<p>Shown.</p><noscript>${posts}</noscript>`, "text", "browser")).toBe("Shown.");
  });
});

test("e-mail addresses that Cloudflare encoded are shown, and linked", () => {
  const code = "2a5a45595e6a4b045e4f595e";
  const mark = `<span class="__cf_email__" data-cfemail="${code}">[email&#160;protected]</span>`;
  const html = `<p>Write to <a href="/cdn-cgi/l/email-protection#${code}">${mark}</a> or ${mark}, not <i data-cfemail="2a">x</i>.</p>`;
  expect(read(html)).toBe("Write to post@a.test or post@a.test, not x.");
  expect(read(html, "markdown")).toBe("Write to [post@a.test](mailto:post@a.test) or post@a.test, not *x*.");
  expect(read(html, "text", "browser")).toContain("protected");
});
