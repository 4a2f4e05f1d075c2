import { expect, test } from "bun:test";
import { ANYWHERE } from "../egress/guard.ts";
import { startSite } from "../testing/site.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { BrowserPool } from "./pool.ts";

test("a visit that the end of the service cuts off says so, and nothing of the browser's own words", async () => {
  const state = createStateFolder();
  const site = startSite();
  const { pool } = await BrowserPool.start({ stateDir: state.path, policy: ANYWHERE, log: () => undefined });
  const visit = pool.visit(
    {
      url: new URL(`${site.url}/never`),
      timeoutMs: 30_000,
      waitMs: 0,
      waitUntil: "load",
      selector: undefined,
      userAgent: undefined,
      stealth: false,
      signal: undefined,
    },
    (page) => page.snapshot(),
  );
  const failure = visit.catch((error: unknown) => error);
  await site.hit("/never");
  await pool.close();
  expect(await failure).toMatchObject({
    code: "browser-unavailable",
    message: "Cannot load the page: the service is stopping",
  });
  await site.close();
  state.remove();
}, 60_000);
