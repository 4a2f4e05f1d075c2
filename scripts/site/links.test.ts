import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "bun:test";
import { write } from "bun";
import { brokenLinks } from "./links.ts";
import { leavesDocs } from "./repository-links.ts";
import { slugOf } from "./slug.ts";

test("links to missing pages, files and anchors are found, and no others", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-links-"));
  try {
    await write(
      join(folder, "index.html"),
      `<h1 id="top">Start</h1><a href="#top">1</a><a href="/guides/sell.html#price">2</a><a href="https://example.com/x">3</a>
       <a href="gone.html">4</a><a href="/guides/sell.html#gone">5</a><img src="/gone.png"><img src="a.png">`,
    );
    await write(join(folder, "a.png"), "x");
    await write(
      join(folder, "guides/sell.html"),
      `<h2 id="price">Price</h2><a href="../">6</a><a href="../index.html#top">7</a>`,
    );
    expect((await brokenLinks(folder)).map(({ page, href }) => `${page} ${href}`).toSorted()).toEqual([
      "index.html /gone.png",
      "index.html /guides/sell.html#gone",
      "index.html gone.html",
    ]);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("anchors are those of GitHub", () => {
  expect(slugOf("TLS, HTTP/2, HTTP/3, files")).toBe("tls-http2-http3-files");
  expect(slugOf("`x402.price` & more")).toBe("x402price--more");
});

test("links that leave docs/ are known by the folder of their page", () => {
  expect(leavesDocs("../README.md", "payments.md")).toBe(true);
  expect(leavesDocs("../payments.md", "guides/tls.md")).toBe(false);
  expect(leavesDocs("../../README.md", "guides/tls.md")).toBe(true);
  expect(leavesDocs("tls.md", "guides/sell.md")).toBe(false);
});
