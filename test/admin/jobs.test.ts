/** The operator's view of the jobs of a real content service, over its Unix socket. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { type ContentService, startContentService } from "../../src/content/service.ts";
import { JOB_OPERATIONS } from "../../src/gateway/admin/operations/jobs.ts";
import { type Call } from "../../src/gateway/admin/operations/operation.ts";
import { type AdminParts } from "../../src/gateway/admin/operations/parts.ts";
import { ContentJobs } from "../../src/gateway/admin/overview/content-jobs.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { Folder } from "../support/program.ts";

setDefaultTimeout(patient(60_000));

const folder = new Folder();
const socket = folder.file("content.sock");
let service: ContentService;
let site: Bun.Server<undefined>;

beforeAll(async () => {
  // It never responds, so that the job runs until it is cancelled.
  site = Bun.serve({ hostname: "127.0.0.1", port: 0, idleTimeout: 0, fetch: () => new Promise<Response>(() => {}) });
  service = await startContentService({
    listen: { unix: socket },
    stateDir: join(folder.path, "state"),
    allowPrivate: true,
    log: () => undefined,
  });
});
afterAll(async () => {
  await service.close();
  await site.stop(true);
  folder.remove();
});

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`http://content${path}`, { unix: socket, ...init });

test("jobs are listed with their start and state, and cancelled, but not through a gateway", async () => {
  const jobs = new ContentJobs(socket);
  expect(await jobs.list()).toEqual({ available: true, jobs: [] });
  const body = JSON.stringify({ urls: [site.url.href, `${site.url.href}b`], limit: 5 });
  const init = { method: "POST", headers: { "content-type": "application/json" }, body };
  const { id, secret } = (await (await ask("/crawl", init)).json()) as { id: string; secret: string };
  const shown = { id, operation: "crawl", start: site.url.href, starts: 2, state: "running", delivered: 0, limit: 5 };
  const list = await jobs.list();
  expect(list).toMatchObject({ available: true, jobs: [shown] });
  expect(JSON.stringify(list)).not.toContain(secret);

  const forwarded = { headers: { "x-forwarded-proto": "https" } };
  expect((await ask("/jobs", forwarded)).status).toBe(404);
  expect((await ask(`/jobs/${id}`, { method: "DELETE", ...forwarded })).status).toBe(404);
  expect(await jobs.list()).toMatchObject({ jobs: [{ state: "running" }] });

  const events: object[] = [];
  const by = { kind: "operator", key: "api_key", address: "127.0.0.1" };
  const operation = JOB_OPERATIONS.find(({ name }) => name === "cancelJob") ?? expect.unreachable();
  // It uses these members alone.
  const call = { parameters: { id }, caller: { access: "full", by } } as unknown as Call;
  const parts = { jobs, events: { add: (event: object) => events.push(event) } } as unknown as AdminParts;
  expect(await (await operation.run(call, parts)).json()).toEqual({ ok: true, cancelled: id });
  expect(events).toEqual([
    { kind: "job", message: `the job "${id}" is cancelled`, by, outcome: "done", details: { job: id } },
  ]);
  expect(await jobs.list()).toMatchObject({ jobs: [{ id, state: "cancelled", reason: "operator" }] });
  const again = await jobs.cancel(id).catch((error: unknown) => error);
  expect(again).toMatchObject({ code: "not-found" });
});

test("a gateway without a content service, or with one that does not respond, says so", async () => {
  expect(await new ContentJobs(undefined).list()).toMatchObject({ available: false });
  const list = await new ContentJobs(folder.file("nobody.sock")).list();
  expect(list).toMatchObject({ available: false, reason: expect.stringContaining("Cannot query the content service") });
});
