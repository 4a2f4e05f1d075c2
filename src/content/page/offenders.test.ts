import { expect, test } from "bun:test";
import { Deadline } from "./deadline.ts";
import { Offenders, siteOf } from "./offenders.ts";

const deadline = (ms = 60_000) => new Deadline(ms, undefined);

const ending = (offenders: Offenders, host: string, ms = 5) =>
  offenders.turn(host, deadline(ms)).then(
    () => "begins",
    () => "waits",
  );

test("pages of a site that exceeded a limit twice wait, one after the other, and those of other sites do not", async () => {
  let now = 0;
  const offenders = new Offenders(() => now);
  offenders.note("a.evil.test");
  expect(await ending(offenders, "b.evil.test")).toBe("begins");
  offenders.note("b.evil.test");
  expect(await ending(offenders, "evil.test")).toBe("waits");
  expect(await ending(offenders, "good.test")).toBe("begins");
  now = 3_000;
  expect(await ending(offenders, "evil.test")).toBe("begins");
  expect(await ending(offenders, "evil.test")).toBe("waits");
  offenders.note("evil.test");
  now = 8_000;
  expect(await ending(offenders, "evil.test")).toBe("waits");
  offenders.forgive("www.evil.test");
  expect(await ending(offenders, "evil.test")).toBe("begins");
});

test("an offence is forgotten after a minute", async () => {
  let now = 0;
  const offenders = new Offenders(() => now);
  for (let n = 0; n < 100; n += 1) offenders.note("evil.test");
  now = 14_999;
  expect(await ending(offenders, "evil.test")).toBe("waits");
  now = 60_000;
  offenders.note("evil.test");
  expect(await ending(offenders, "evil.test")).toBe("begins");
});

test("the waiting pages and the remembered sites are limited", async () => {
  const offenders = new Offenders(() => 0);
  for (let n = 0; n < 2; n += 1) offenders.note("evil.test");
  const end = deadline();
  const waiting = Array.from({ length: 64 }, () => offenders.turn("evil.test", end).catch(() => "ended"));
  const refused = await offenders.turn("evil.test", deadline()).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "overloaded" });
  end.stop(new Error("over"));
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(["ended"]));
  for (let n = 0; n < 1_000; n += 1) offenders.note(`site${n}.test`);
  expect(await ending(offenders, "evil.test")).toBe("begins");
});

test.each([
  ["evil.test", "evil.test"],
  ["a.b.evil.test.", "evil.test"],
  ["A.Evil.co.uk", "evil.co.uk"],
  ["a.evil.de", "evil.de"],
  ["localhost", "localhost"],
  ["10.1.2.3", "10.1.2.3"],
  ["[2001:db8::1]", "[2001:db8::1]"],
])("%s belongs to the site %s", (host, site) => {
  expect(siteOf(host)).toBe(site);
});
