import { expect, test } from "bun:test";
import { createMediaTypeMatch } from "./media-type-match.ts";

const matches = createMediaTypeMatch(["text/*", "application/json", "application/*+json", "*/*+xml", "Font/TTF"]);

test("types match exactly, by a star and by a suffix, in any capitalisation and with parameters", () => {
  const taken = [
    "text/html",
    "TEXT/plain; charset=utf-8",
    "application/json ;x",
    "application/ld+json",
    "image/svg+xml",
  ];
  for (const type of [...taken, "font/ttf"]) expect([type, matches(type)]).toEqual([type, true]);
});

test("other types and invalid types do not match", () => {
  const others = [
    "image/png",
    "application/jsonp",
    "application/xjson",
    "x/ld+json",
    "textx/html",
    "text",
    "",
    "/json",
  ];
  for (const type of others) expect([type, matches(type)]).toEqual([type, false]);
});

test("a pattern of two stars matches every type", () => {
  expect(createMediaTypeMatch(["*/*"])("image/png")).toBe(true);
});
