/** Jobs whose payment is charged after the response, so that the service never learns whether it was: `exact`, and passes. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { baseUrl, call } from "../testing/client.ts";
import { startTestService } from "../testing/service.ts";

setDefaultTimeout(patient(60_000));

const posted = new Set<string>();
const loaded: string[] = [];
const site = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url);
    if (pathname === "/in") {
      // The body of a webhook.
      const { job, type } = JSON.parse(await request.text()) as { job: string; type: string };
      posted.add(`${job} ${type}`);
    }
    loaded.push(pathname);
    if (!pathname.endsWith("/")) return new Response("", { status: pathname === "/in" ? 200 : 404 });
    return new Response("<!doctype html><title>Pier</title><article><p>The pier of the harbour</p></article>", {
      headers: { "content-type": "text/html" },
    });
  },
});
const at = (path: string): string => `http://127.0.0.1:${site.port}${path}`;
const { service, close } = await startTestService({ firecrawl: true });
afterAll(async () => {
  await close();
  await site.stop(true);
});

/** The fields by which the gateway tells of a payment by `exact` before it is settled. */
const PAYMENT = {
  "turnpike-payer": "0xpayer",
  "turnpike-amount": "5000",
  "turnpike-asset": "0xtoken",
  "turnpike-network": "eip155:8453",
  "turnpike-payment-id": "0xnonce",
};

interface Started {
  readonly id: string;
  readonly secret: string;
}

async function crawl(headers: Readonly<Record<string, string>>, path = "/"): Promise<Started> {
  const body = { urls: [at(path)], limit: 1, sitemap: "skip", webhook: { url: at("/in") } };
  const { status, json } = await call(service, "/crawl", body, headers);
  expect(status).toBe(202);
  return json as unknown as Started; // as described in the API
}

const EVENTS = ["started", "page", "completed"];
const of = ({ id }: Started): string[] => EVENTS.map((type) => `${id} ${type}`);
const over = (job: Started): Promise<void> => until(() => posted.has(`${job.id} completed`));

test("webhooks wait for the first request with the secret, which is in the paid response alone", async () => {
  const unproven = await crawl(PAYMENT);
  const others = [
    await crawl({}),
    await crawl({ ...PAYMENT, "turnpike-payment-id": "0xpaid", "turnpike-transaction": "0xtx" }),
  ];
  for (const job of others) await over(job);
  expect(posted).toEqual(new Set(others.flatMap(of)));
  const wrong = { headers: { "x-job-secret": others[0]?.secret ?? "" } };
  expect((await fetch(`${baseUrl(service)}/crawl/${unproven.id}`, wrong)).status).toBe(404);
  const state = await fetch(`${baseUrl(service)}/crawl/${unproven.id}`, {
    headers: { "x-job-secret": unproven.secret },
  });
  expect(await state.json()).toMatchObject({ webhook: { state: "sending", sent: -1 } });
  await over(unproven);
  expect(posted).toEqual(new Set([...others, unproven].flatMap(of)));
});

test("nothing is loaded before the first request with the secret, so that a client that leaves has no work done unpaid", async () => {
  const left = await crawl(PAYMENT, "/left/");
  const asked = await crawl(PAYMENT, "/asked/");
  const state = async () => {
    const headers = { "x-job-secret": asked.secret };
    return (await (await fetch(`${baseUrl(service)}/crawl/${asked.id}`, { headers })).json()) as { state: string };
  };
  // A wrong secret begins nothing.
  await fetch(`${baseUrl(service)}/crawl/${left.id}`, { headers: { "x-job-secret": asked.secret } });
  expect(await state()).toMatchObject({ state: "running" });
  await until(async () => (await state()).state === "completed");
  // Jobs begin in the order of their creation, so the first one would have been loaded.
  expect(loaded).toContain("/asked/");
  expect(loaded).not.toContain("/left/");
});

test("a job of Firecrawl's API is not listed, because a client has the secret of its jobs before it pays", async () => {
  const owner = { authorization: "Bearer fc-mine" };
  const start = async (headers: Readonly<Record<string, string>>): Promise<string> => {
    const { json } = await call(service, "/v2/crawl", { url: at("/never"), sitemap: "skip" }, { ...owner, ...headers });
    return String(json["id"]);
  };
  const [unproven, free] = [await start(PAYMENT), await start({})];
  const list = await fetch(`${baseUrl(service)}/v2/crawl/active`, { headers: owner });
  const { crawls } = (await list.json()) as { crawls: { id: string }[] };
  for (const { id } of crawls) expect(id).toBe(free);
  expect((await fetch(`${baseUrl(service)}/v2/crawl/${unproven}`, { headers: owner })).status).toBe(200);
});
