import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContentJobs } from "./content-jobs.ts";

const folder = mkdtempSync(join(tmpdir(), "turnpike-content-jobs-"));
const unix = join(folder, "content.sock");
let respond: (request: Request) => Response = () => new Response();
const server = Bun.serve({ unix, fetch: (request) => respond(request) });
afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true });
});

const jobs = new ContentJobs(unix);
const COST = { due: "1", paid: "0", quote: "q", network: "eip155:84532" };
const USDC = "0x036CbD53842c5426634e7929541eC2318f3dCF7e";

function job(id: string, cost?: object): object {
  const counts = { starts: 1, limit: 1, delivered: 0, failed: 0, waiting: 0, not_delivered: {} };
  const texts = { operation: "crawl", start: "https://a.example", payer: "0xa", state: "running", created_at: "now" };
  return { id, ...texts, ...counts, ...(cost === undefined ? {} : { cost }) };
}

test("jobs are listed as the content service tells them, with the names of known tokens", async () => {
  const told = [job("free"), job("known", { ...COST, asset: USDC }), job("other", { ...COST, asset: "0xother" })];
  const lines: string[] = [];
  respond = ({ method, url }) => {
    lines.push(`${method} ${new URL(url).pathname}`);
    return Response.json({ jobs: told });
  };
  const [free, , other] = told;
  const known = job("known", { ...COST, asset: USDC, decimals: 6, symbol: "USDC" });
  expect(await jobs.list()).toEqual({ available: true, jobs: [free, known, other] } as never); // the service's shape
  expect(lines).toEqual(["GET /jobs"]);
});

test("a list that is missing, too long or of another shape has a reason in place of jobs", async () => {
  expect(await new ContentJobs(undefined).list()).toEqual({
    available: false,
    reason: "This gateway has no content service of its own",
  });
  const cannot = { available: false, reason: expect.stringMatching(/^Cannot query the content service: [^\n]*$/) };
  const filler = { jobs: [], more: "x".repeat(4 * 1024 * 1024) };
  for (const body of [JSON.stringify(filler), "no JSON", "null", JSON.stringify({ jobs: [{ id: 1 }] })]) {
    respond = () => new Response(body);
    expect(await jobs.list()).toEqual(cannot as never); // a matcher
  }
  expect(await new ContentJobs(join(folder, "none.sock")).list()).toEqual(cannot as never);
});

const cancel = (id: string): Promise<unknown> => jobs.cancel(id).then(() => "cancelled", String);

test("a job is cancelled by its id, and the error says that it does not run, or that the service refuses", async () => {
  const lines: string[] = [];
  const statuses = [204, 404, 503].values();
  respond = ({ method, url }) => {
    lines.push(`${method} ${new URL(url).pathname}`);
    return new Response(null, { status: statuses.next().value ?? 500 });
  };
  expect(await cancel("a/b")).toBe("cancelled");
  expect(await cancel("gone")).toContain('Cannot cancel the job "gone": no such job runs');
  expect(await cancel("held")).toContain("Cannot cancel the job: the content service refuses it");
  expect(lines).toEqual(["DELETE /jobs/a%2Fb", "DELETE /jobs/gone", "DELETE /jobs/held"]);
  expect(await new ContentJobs(undefined).cancel("x").catch(String)).toContain("no such job runs");
});
