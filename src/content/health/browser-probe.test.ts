import { expect, test } from "bun:test";
import { type FontKind } from "../fonts/font-kinds.ts";
import { BrowserProbe } from "./browser-probe.ts";

interface Parts {
  time: number;
  failure: string | undefined;
  missing: readonly FontKind[] | Error;
  looks: number;
  fontLooks: number;
}

function setUp() {
  const parts: Parts = { time: 0, failure: undefined, missing: ["emoji"], looks: 0, fontLooks: 0 };
  const probe = new BrowserProbe({
    now: () => parts.time,
    failure: () => {
      parts.looks += 1;
      return Promise.resolve(parts.failure);
    },
    missingFonts: () => {
      parts.fontLooks += 1;
      return parts.missing instanceof Error ? Promise.reject(parts.missing) : Promise.resolve(parts.missing);
    },
  });
  return { parts, probe };
}

test("for any number of callers, there is one check a second, and one check of the fonts in all", async () => {
  const { parts, probe } = setUp();
  const responses = await Promise.all(Array.from({ length: 1_000 }, () => probe.look()));
  expect(new Set(responses).size).toBe(1);
  expect(responses[0]).toEqual({ failure: undefined, missingFonts: ["emoji"] });
  parts.time = 999;
  await probe.look();
  expect([parts.looks, parts.fontLooks]).toEqual([1, 1]);
  parts.time = 1_000;
  await Promise.all(Array.from({ length: 1_000 }, () => probe.look()));
  expect([parts.looks, parts.fontLooks]).toEqual([2, 1]);
});

test("a failure is reported for a second as well, and the fonts are checked once the browser works", async () => {
  const { parts, probe } = setUp();
  parts.failure = "The browser does not start";
  expect(await probe.look()).toEqual({ failure: "The browser does not start", missingFonts: undefined });
  parts.failure = undefined;
  expect((await probe.look()).failure).toBe("The browser does not start");
  parts.time = 1_000;
  expect(await probe.look()).toEqual({ failure: undefined, missingFonts: ["emoji"] });
});

test("fonts that could not be checked are checked again", async () => {
  const { parts, probe } = setUp();
  parts.missing = new Error("Cannot talk to the browser");
  expect(await probe.look()).toEqual({ failure: undefined, missingFonts: undefined });
  parts.missing = [];
  parts.time = 1_000;
  expect(await probe.look()).toEqual({ failure: undefined, missingFonts: [] });
});
