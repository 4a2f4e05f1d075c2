/** The console's overview shows the past right after it is loaded. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { type History, type OverviewSnapshot } from "../../src/gateway/admin/shapes/overview.ts";
import { ConsoleRig } from "../support/console.ts";

setDefaultTimeout(patient(60_000));

let rig: ConsoleRig;
beforeAll(async () => {
  rig = await ConsoleRig.start({});
});
afterAll(() => rig.stop());

test("a page that is loaded later shows the last hour, the last minute, and 30 days at once", async () => {
  // Shapes of the interface's description.
  const status = (await (await rig.ask("/v1/status")).json()) as object;
  const now = (await (await rig.ask("/v1/overview")).json()) as OverviewSnapshot;
  const { counts } = now.durations;
  const sampleAt = (secondsAgo: number, requests: number): History["samples"][number] => ({
    time_ms: now.time_ms - secondsAgo * 1000,
    requests,
    responses: now.responses,
    durations: { counts },
  });
  // 700 requests in 10 s, 40 minutes ago; since the minute began, there are as many in 50 s.
  const bodies: Readonly<Record<string, unknown>> = {
    "/v1/history": {
      samples: [sampleAt(2410, 0), sampleAt(2400, 700), sampleAt(10, 700)],
      minute: { ...now, time_ms: now.time_ms - 50_000 },
    },
    "/v1/status": { ...status, problems: ['upstream "api" has no server in rotation'] },
    "/v1/usage/hours": {
      hours: [{ time_ms: now.time_ms - 86_400_000, requests: 123_000, client_errors: 4, server_errors: 5 }],
    },
  };
  const operator = await rig.operator();
  await operator.page.setRequestInterception(true);
  operator.page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    const body = pathname === "/v1/overview" ? { ...now, time_ms: Date.now(), requests: 700 } : bodies[pathname];
    if (body === undefined) void request.continue();
    else void request.respond({ contentType: "application/json", body: JSON.stringify(body) });
  });
  await operator.logIn();
  await operator.goTo("overview?range=hour", "Overview");
  await operator.see('[aria-label*="in the last hour: now 0, at most 70"]');
  await operator.page.waitForFunction(
    `document.querySelector("main .notice.bad")?.textContent === 'upstream "api" has no server in rotation'`,
  );
  // The requests of the last minute, before this page has read the counters twice.
  const rate = await operator.page.evaluate(`parseFloat(document.querySelector(".tile-value").textContent)`);
  expect(rate).toBeWithin(5, 14.5);
  await operator.press("5 min");
  await operator.see('[aria-label*="in the last five minutes: now 0, at most"]');
  await operator.press("30 days");
  await operator.see('[aria-label="Requests an hour in the last 30 days, 123 k in all"]');
  expect(operator.complaints).toEqual([]);
  await operator.leave();
});
