/** The gateway with facilitators over HTTP: secrets, failures, reloads, as operators see them. */
import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { MAX_FAILURES_IN_A_ROW } from "../src/payments/facilitator/circuit-breaker.ts";
import { encodeHeader } from "../src/payments/x402/header.ts";
import { PAYER, signedPayment, TERMS } from "../src/payments/testing/payment.ts";
import { serverAt } from "./support/gateway.ts";
import { Folder, Program } from "./support/program.ts";
import { patient } from "../src/lib/testing/patience.ts";

setDefaultTimeout(patient(30_000));

const SECRET = "Bearer hunter2";
const cleanups: (() => unknown)[] = [];
let folder: Folder;

beforeEach(() => {
  folder = new Folder();
});

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  folder.remove();
});

function listen(handler: (request: Request) => Response | Promise<Response>): Bun.Server<undefined> {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: handler });
  cleanups.push(() => server.stop(true));
  return server;
}

/** A facilitator that accepts every payment, except while it is `down`. */
function startFacilitator(scheme = "exact") {
  const state = { isDown: false, asked: [] as string[], authorizations: new Set<string | null>() };
  const { url } = listen((request) => {
    const { pathname } = new URL(request.url);
    state.asked.push(pathname);
    state.authorizations.add(request.headers.get("authorization"));
    if (state.isDown) return new Response("down", { status: 503 });
    if (pathname === "/supported") {
      return Response.json({ kinds: [{ x402Version: 2, scheme, network: "eip155:84532" }] });
    }
    if (pathname === "/verify") return Response.json({ isValid: true, payer: PAYER });
    const transaction = `0x${"ab".repeat(32)}`;
    return Response.json({ success: true, transaction, network: "eip155:84532", payer: PAYER });
  });
  return { url: url.origin, state };
}

function configOf(facilitatorUrl: string, x402: object = {}): object {
  const origin = listen(() => new Response("the goods"));
  return {
    server: { address: "127.0.0.1", port: 0, workers: 1 },
    state_path: folder.path,
    x402: {
      enabled: true,
      facilitator_url: facilitatorUrl,
      facilitator_headers: [{ name: "Authorization", value_env: "FACILITATOR_AUTHORIZATION" }],
      ...x402,
    },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
    routes: [{ path_prefix: "/paid", upstream: "origin", x402: TERMS }],
  };
}

function run(config: object, env: Record<string, string> = { FACILITATOR_AUTHORIZATION: SECRET }): Program {
  const program = new Program(["--config", folder.write("turnpike.json", config)], { env });
  cleanups.push(() => program.stop());
  return program;
}

async function serve(config: object): Promise<{ program: Program; url: string }> {
  const program = run(config);
  const [, port] = await program.sees(/listening on https?:\/\/\S*?:(\d+)/);
  return { program, url: `http://127.0.0.1:${port}` };
}

function buy(url: string): Promise<Response> {
  const payment = encodeHeader(signedPayment(Date.now() / 1000));
  return fetch(`${url}/paid`, { headers: { "payment-signature": payment } });
}

test("every call has the secret fields, and they appear nowhere else", async () => {
  const facilitator = startFacilitator();
  const { program, url } = await serve(configOf(facilitator.url, { require_facilitator: true }));
  const paid = await buy(url);
  expect([paid.status, await paid.text()]).toEqual([200, "the goods"]);
  expect(facilitator.state.asked).toEqual(["/supported", "/verify", "/settle"]);
  expect([...facilitator.state.authorizations]).toEqual([SECRET]);
  facilitator.state.isDown = true;
  const refused = await buy(url);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "5"]);
  const metrics = await (await fetch(`${url}/metrics`)).text();
  const told = [program.output, await refused.text(), metrics].join("\n");
  expect(told).not.toContain("hunter2");
  expect(metrics).not.toContain(facilitator.url);
});

test("the error for an unset secret names its key, and the gateway does not start", async () => {
  const program = run(configOf("http://127.0.0.1:1"), {});
  expect(await program.exit()).toBe(1);
  expect(program.output).toContain(
    "x402.facilitator_headers[0].value_env: the environment variable FACILITATOR_AUTHORIZATION is not set",
  );
});

test("a facilitator that does not respond gets no calls for a while, and the metrics show it", async () => {
  const facilitator = startFacilitator();
  const { url } = await serve(configOf(facilitator.url, { require_facilitator: true }));
  facilitator.state.isDown = true;
  facilitator.state.asked.length = 0;
  for (let i = 0; i < MAX_FAILURES_IN_A_ROW + 3; i++) expect((await buy(url)).status).toBe(503);
  expect(facilitator.state.asked).toEqual(Array.from({ length: MAX_FAILURES_IN_A_ROW }, () => "/verify"));
  const metrics = await (await fetch(`${url}/metrics`)).text();
  expect(metrics).toContain('turnpike_facilitator_breakers_open{facilitator="other"} 1\n');
  expect(metrics).toContain('turnpike_facilitator_requests_total{operation="verify",outcome="unavailable"} 8\n');
});

test("a reload keeps an unchanged facilitator, replaces a changed one, and fails with an unsuitable one", async () => {
  const first = startFacilitator();
  const second = startFacilitator();
  const other = startFacilitator("batch-settlement");
  const config = configOf(first.url, { require_facilitator: true });
  const { program, url } = await serve(config);
  const reload = async (next: object, response: RegExp): Promise<void> => {
    folder.write("turnpike.json", next);
    program.output = "";
    program.kill("SIGHUP");
    await program.sees(response);
  };
  await reload({ ...config, timeouts: { idle_ms: 61_000 } }, /reloaded /);
  // Its supported payments were queried once, and are still known.
  expect(first.state.asked).toEqual(["/supported"]);
  await reload(configOf(other.url, { require_facilitator: true }), /does not support "exact" on eip155:84532/);
  expect((await buy(url)).status).toBe(200);
  expect(first.state.asked).toEqual(["/supported", "/verify", "/settle"]);
  await reload(configOf(second.url, { require_facilitator: true }), /reloaded /);
  expect((await buy(url)).status).toBe(200);
  expect(first.state.asked).toHaveLength(3);
  expect(second.state.asked).toEqual(["/supported", "/verify", "/settle"]);
});
