import { expect, test } from "bun:test";
import { isTracker, trackersBeside } from "./trackers.ts";

test.each([
  "www.google-analytics.com",
  "adservice.google.com",
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
])("%p is not a tracker", (host) => {
  expect(isTracker(host)).toBeFalse();
});

test("as many labels are checked as a name can have", () => {
  const [most, more] = [125, 126].map((count) => `${"a.".repeat(count)}doubleclick.net`);
  expect([isTracker(most ?? ""), isTracker(more ?? "")]).toEqual([true, true]);
  expect(isTracker(`${"a.".repeat(127)}doubleclick.net`)).toBeFalse();
  expect(isTracker(`${"a.".repeat(100_000)}doubleclick.net`)).toBeFalse();
});

test("trackers are blocked in a page, unless the page is one itself", () => {
  const beside = trackersBeside(new URL("https://example.com/"));
  expect([beside("ad.doubleclick.net"), beside("example.com")]).toEqual([true, false]);
  const own = trackersBeside(new URL("https://ad.doubleclick.net/"));
  expect([own("ad.doubleclick.net"), own("static.hotjar.com")]).toEqual([false, false]);
});
