import { expect, test } from "bun:test";
import { type ConsoleFile, consoleResponse, consoleFiles } from "./console-files.ts";

/** Bytes of the console on the wire, including the plots. */
const MAX_GZIP_BYTES = 150 * 1024;

const files = consoleFiles();

function fileAt(path: string): ConsoleFile {
  const file = files.get(path);
  if (file === undefined) throw new Error(`Not served: ${path}`);
  return file;
}

function ask(path: string, headers: Record<string, string> = {}): Response {
  return consoleResponse(fileAt(path), new Request(`http://admin.test${path}`, { headers }));
}

test("the console has at most 150 KB", () => {
  const bytes = [...files.values()].reduce((sum, { gzip }) => sum + gzip.length, 0);
  expect(bytes).toBeGreaterThan(5_000);
  expect(bytes).toBeLessThanOrEqual(MAX_GZIP_BYTES);
});

test("the page refers only to served files, and has no inline code", async () => {
  const page = await ask("/").text();
  const named = [...page.matchAll(/(?:href|src)="([^"]+)"/g)].map(([, path = ""]) => path);
  expect(named.toSorted()).toEqual(["/console.css", "/console.js", "/favicon.svg"]);
  for (const path of named) expect(files.has(path)).toBe(true);
  expect(page).not.toMatch(/<style|<script(?![^>]*src=)| style=| on\w+=/);
});

test("every file has its type, and allows the page only what it needs", () => {
  for (const path of files.keys()) {
    const { headers } = ask(path);
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    );
    expect(headers.get("referrer-policy")).toBe("no-referrer");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("permissions-policy")).toContain("camera=()");
    expect(headers.get("cache-control")).toBe("no-cache");
  }
  expect(ask("/console.js").headers.get("content-type")).toBe("text/javascript; charset=utf-8");
});

test("a file in the browser's cache is not sent again", () => {
  for (const accept of ["gzip, br", "identity"]) {
    const etag = ask("/console.js", { "accept-encoding": accept }).headers.get("etag") ?? "";
    expect(etag).toMatch(/^(?:W\/)?"[\w-]{22}"$/);
    expect(ask("/console.js", { "if-none-match": etag }).status).toBe(304);
    expect(ask("/console.js", { "if-none-match": `"other", ${etag}` }).status).toBe(304);
  }
  expect(ask("/console.js", { "if-none-match": '"other"' }).status).toBe(200);
  expect(ask("/console.js", { "if-none-match": "*" }).status).toBe(304);
});

test("gzip is sent to browsers that accept it", async () => {
  const plain = await ask("/console.css").text();
  const small = ask("/console.css", { "accept-encoding": "br, gzip;q=0.8" });
  expect(small.headers.get("content-encoding")).toBe("gzip");
  expect(new TextDecoder().decode(Bun.gunzipSync(await small.arrayBuffer()))).toBe(plain);
  for (const accept of ["", "br", "gzip;q=0", "gzip;q=0.0, br", "x-gzip-not"]) {
    expect(ask("/console.css", { "accept-encoding": accept }).headers.get("content-encoding")).toBeNull();
  }
});
