import { expect, spyOn, test } from "bun:test";
import { openPostgresStore } from "./open-postgres-store.ts";

test("a closed store leaves no timer, also if it was never used", async () => {
  using set = spyOn(globalThis, "setInterval");
  using clear = spyOn(globalThis, "clearInterval");
  const target = { host: "127.0.0.1", port: 1, user: "u", database: "d", sslMode: "disable" } as const;
  const store = openPostgresStore({
    target,
    password: "",
    allowCleartext: false,
    authorities: "",
    statementMs: 1000,
    size: 1,
  });
  await store.close();
  const begun = set.mock.results.map(({ value }): unknown => value);
  expect(begun).not.toBeEmpty();
  expect(clear.mock.calls.map(([timer]): unknown => timer)).toEqual(begun);
});
