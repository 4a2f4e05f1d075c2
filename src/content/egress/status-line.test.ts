import { expect, test } from "bun:test";
import { parseStatusLine } from "./status-line.ts";

test.each([
  ["HTTP/1.1 200 OK", "1", 200],
  ["HTTP/1.0 404 Not Found", "0", 404],
  ["HTTP/1.1 204 ", "1", 204],
  ["HTTP/1.1 204", "1", 204],
  ["HTTP/1.1   999 x", "1", 999],
] as const)("%j has the version 1.%s and the status %d", (line, minor, status) => {
  expect(parseStatusLine(line)).toEqual({ minor, status });
});

test.each([
  "",
  "HTTP/2 200",
  "HTTP/1.2 200 OK",
  "HTTP/1.1 20",
  "HTTP/1.1 2000",
  "HTTP/1.1 099 x",
  "ICY 200 OK",
  "http/1.1 200",
])("%j is not a status line of HTTP/1", (line) => {
  expect(parseStatusLine(line)).toBeUndefined();
});
