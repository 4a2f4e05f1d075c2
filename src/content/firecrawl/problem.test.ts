import { expect, test } from "bun:test";
import { LastingError, TurnpikeError } from "../../lib/errors.ts";
import { firecrawlProblem } from "./problem.ts";

test("a reader of jobs gets 502 in place of 503, which the SDK would not repeat", async () => {
  const busy = new TurnpikeError("store-unavailable", "The store of jobs cannot be used; try again later");
  const read = firecrawlProblem(busy, "GET");
  expect([read.status, read.headers.get("retry-after")]).toEqual([502, "2"]);
  expect(await read.json()).toEqual({ success: false, error: busy.message, code: "STORE_UNAVAILABLE" });
  expect(firecrawlProblem(busy, "POST").status).toBe(503);
  const lasting = firecrawlProblem(new LastingError("browser-unavailable", "There is no browser"), "POST");
  expect([lasting.status, lasting.headers.get("retry-after")]).toEqual([503, null]);
});

test("an error names the invalid fields, or the status of the page's server", async () => {
  const errors = [{ path: "limit", message: "must be at least 1" }];
  const invalid = firecrawlProblem(new TurnpikeError("invalid-parameters", "Cannot accept it", errors), "POST");
  expect([invalid.status, await invalid.json()]).toEqual([
    400,
    { success: false, error: "Cannot accept it", code: "BAD_REQUEST", details: errors },
  ]);
  const failed = new TurnpikeError("page-failed", "Cannot load it", undefined, { page_status: 404 });
  expect(await firecrawlProblem(failed, "POST").json()).toMatchObject({ details: { statusCode: 404 } });
});
