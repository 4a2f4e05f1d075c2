import { expect, test } from "bun:test";
import { isTracker } from "./trackers.ts";

test.each([
  "www.google-analytics.com",
  "ad.doubleclick.net",
  "AD.DOUBLECLICK.NET.",
  "static.hotjar.com",
  "www.googletagmanager.com",
  "x.y.criteo.com",
])("%s is a tracker", (host) => {
  expect(isTracker(host)).toBeTrue();
});

test.each([
  "",
  ".",
  "localhost",
  "127.0.0.1",
  "example.com",
  "doubleclick.net.example.com",
  "notdoubleclick.net",
  "ajax.googleapis.com",
  "www.youtube.com",
  "cdn.cookielaw.org",
])("%p is none", (host) => {
  expect(isTracker(host)).toBeFalse();
});

test("a name of more labels than names have is none", () => {
  expect(isTracker(`${"a.".repeat(100_000)}doubleclick.net`)).toBeFalse();
});
