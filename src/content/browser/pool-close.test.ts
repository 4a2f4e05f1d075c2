import { expect, setDefaultTimeout, test } from "bun:test";
import { startSite } from "../testing/site.ts";
import { createStateFolder } from "../testing/state-folder.ts";
import { openPage, pageRequestOf } from "../testing/visit.ts";
import { BrowserPool } from "./pool.ts";
import { patient } from "../../lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

test("a visit that the end of the service cuts off says so, without the browser's own message", async () => {
  const state = createStateFolder();
  const site = startSite();
  const { pool } = await BrowserPool.start({ stateDir: state.path, log: () => undefined });
  const request = pageRequestOf(`${site.url}/never`, { timeoutMs: 30_000 });
  const visit = openPage(pool, request, (page) => page.snapshot());
  const failure = visit.catch((error: unknown) => error);
  await site.hit("/never");
  await pool.close();
  expect(await failure).toMatchObject({
    code: "browser-unavailable",
    message: "Cannot load the page: the service is stopping",
  });
  await site.close();
  state.remove();
});
