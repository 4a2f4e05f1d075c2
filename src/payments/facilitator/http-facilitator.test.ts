import { afterEach, expect, test } from "bun:test";
import { createServer, type Server, type Socket } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../../lib/testing/until.ts";
import { patient } from "../../lib/testing/patience.ts";
import { MAX_FAILURES_IN_A_ROW } from "./circuit-breaker.ts";
import { toBase58 } from "../solana/base58.ts";
import { HttpFacilitator } from "./http-facilitator.ts";
import { PAYEE, PAYER, REQUIREMENTS, signedPayment } from "../testing/payment.ts";
import { type ChannelOrder, type ChannelRequirements } from "../x402/channel-messages.ts";

const NOW_S = 1_800_000_000;
const HASH = `0x${"ab".repeat(32)}`;
const payment = signedPayment(NOW_S);
const cleanups: (() => unknown)[] = [];

afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function http(handler: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: handler });
  cleanups.push(() => server.stop(true));
  return server.url.origin;
}

/**
 * A server that calls `answer` for each request, with the number of earlier requests on this connection and on all
 * connections.
 */
async function raw(response: (socket: Socket, onConnection: number, inAll: number) => void) {
  const sockets = new Set<Socket>();
  const seen = { connections: 0, paths: [] as string[] };
  const server: Server = createServer((socket) => {
    seen.connections += 1;
    sockets.add(socket);
    socket.on("error", () => {});
    let here = 0;
    socket.on("data", (data) => {
      const path = /^(?:GET|POST) (\S+) HTTP/.exec(data.toString("latin1"))?.[1];
      if (path === undefined) return;
      seen.paths.push(path);
      response(socket, here++, seen.paths.length - 1);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return { url: `http://127.0.0.1:${port}`, seen };
}

function jsonResponse(value: unknown): string {
  const body = JSON.stringify(value);
  return `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

const VALID = { isValid: true, payer: PAYER };
const SPENT = { success: false, errorReason: "invalid_exact_evm_nonce_already_used" };
const SETTLED = { success: true, transaction: HASH, network: REQUIREMENTS.network, payer: PAYER };

const VERDICTS: readonly (readonly [name: string, status: number, answer: object, kind: string])[] = [
  ["200 and invalid", 200, { isValid: false, invalidReason: "insufficient_funds" }, "refused"],
  ["402 and invalid", 402, { isValid: false, invalidReason: "insufficient_funds" }, "refused"],
  ["500 and a reason of the list", 500, { isValid: false, invalidReason: "insufficient_funds" }, "refused"],
  ["500 and a reason of its own", 500, { isValid: false, invalidReason: "unexpected_error" }, "unavailable"],
  ["500 and another JSON", 500, { error: "https://rpc.example/secret" }, "unavailable"],
  ["400 and another JSON", 400, { error: "secret" }, "failed"],
  ["429", 429, { error: "slow down" }, "unavailable"],
  ["401", 401, { error: "who are you" }, "failed"],
  ["400 and valid", 400, { isValid: true }, "failed"],
  ["299 and valid", 299, VALID, "valid"],
  ["300 and valid", 300, VALID, "failed"],
  ["399 and invalid", 399, { isValid: false, invalidReason: "insufficient_funds" }, "failed"],
];

for (const [name, status, response, kind] of VERDICTS) {
  test(`a verification response with ${name} is ${kind}`, async () => {
    const url = http(() => Response.json(response, { status }));
    const verification = await new HttpFacilitator({ url, timeoutMs: 5000 }).verify(payment, REQUIREMENTS);
    expect<string>(verification.kind).toBe(kind);
    expect(JSON.stringify(verification)).not.toContain("secret");
  });
}

const SETTLEMENTS: readonly (readonly [name: string, status: number, answer: object, kind: string])[] = [
  ["402 and a reason of the list", 402, { success: false, errorReason: "insufficient_funds" }, "refused"],
  ["500 and a reason of the list", 500, { success: false, errorReason: "insufficient_funds" }, "refused"],
  ["500 and a reason of its own", 500, { success: false, errorReason: "unexpected_settle_error" }, "unknown"],
  ["500 and success", 500, SETTLED, "unknown"],
  ["400 and success", 400, SETTLED, "unknown"],
  ["299 and success", 299, SETTLED, "settled"],
  ["503 and another JSON", 503, { error: "secret" }, "unknown"],
  ["a spent nonce, said to be definite", 200, { ...SPENT, extra: { definite: true } }, "refused"],
  ["a spent nonce, with an extra of another shape", 200, { ...SPENT, extra: { definite: "yes" } }, "unknown"],
];

for (const [name, status, response, kind] of SETTLEMENTS) {
  test(`a settlement response with ${name} is ${kind}`, async () => {
    const url = http(() => Response.json(response, { status }));
    const settlement = await new HttpFacilitator({ url, timeoutMs: 5000 }).settle(payment, REQUIREMENTS);
    expect<string>(settlement.kind).toBe(kind);
  });
}

test("a charge of 0 under upto needs no transaction, and counts as settled", async () => {
  const url = http(() => Response.json({ ...SETTLED, transaction: "" }));
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000 });
  const requirements = { ...REQUIREMENTS, scheme: "upto", amount: "0" };
  expect(await facilitator.settle(payment, requirements)).toMatchObject({ kind: "settled", transaction: "" });
  expect(await facilitator.settle(payment, { ...requirements, amount: "1" })).toMatchObject({ kind: "unknown" });
});

const SOLANA = "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1";
/** A transfer of the stock client. */
const SOLANA_TRANSFER =
  "AgAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAC6Tzv+HZOngVYVcH1fiknrgxOTdkm1oTbXT2hPNffenhXfQ/vOnwyC5MWP1uVYNq6qS2RW5/7Z8sLE11TIWJgJgAIBBAjTJnQD77TA9CijGTT9RW1QtRC5jogTZ3ZZ4E66ngigThdylYkijzJdqMtMGal+cKc5+BQbbA4uGpQjSRNpamwd2kpP8DPIqgD8lCV2+gVcNhAu2xsnbGzFePBt0vDQM2HltL6NZiZOBqAsTQ5E/wJsKXVscL+KovGlm2W5OI/IkTtELLORIVfxOpM9ATQoLQMrX/7NAaLb8bd5BgjfAC6nAwZGb+UhFzL/7K26csOb57yM5bvF9xJrLEObOkAAAAAFSlNamSkhBk0k6HFg2jh8fDW13bySu4HkH6hAQQVEjQbd9uHXZaGT2cvhRs7reawctIXtX1s3kTqM9YV+/wCpruutSnlvzC4V3ExgYbRe2bNz8mrfx5jKfS2MxYGCcY4EBQAFAiBOAAAFAAkDAQAAAAAAAAAHBAMEAgEKDBAnAAAAAAAABgYAIDY2YzI0NDgyN2VkY2M2NGIyYmU0YzRjOGY3MjlhNjk2AA==";
const TRANSACTIONS: readonly (readonly [network: string, transaction: string, kind: string])[] = [
  ["eip155:84532", HASH, "settled"],
  ["eip155:84532", HASH.slice(0, -1), "unknown"],
  ["eip155:84532", `${HASH}0`, "unknown"],
  ["eip155:84532", toBase58(new Uint8Array(64).fill(7)), "unknown"],
  [SOLANA, toBase58(new Uint8Array(64).fill(7)), "settled"],
  [SOLANA, toBase58(new Uint8Array(63).fill(7)), "unknown"],
  [SOLANA, HASH, "unknown"],
  ["stellar:pubnet", "tx-1", "settled"],
  ["stellar:pubnet", "x".repeat(129), "unknown"],
  ["stellar:pubnet", "", "unknown"],
];

test.each(TRANSACTIONS)("on %s, a settlement with the transaction %j is %s", async (network, transaction, kind) => {
  const url = http(() => Response.json({ ...SETTLED, network, transaction }));
  const requirements = { ...REQUIREMENTS, network };
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000 });
  const payload = network === SOLANA ? { transaction: SOLANA_TRANSFER } : payment.payload;
  const settlement = await facilitator.settle({ ...payment, payload, accepted: requirements }, requirements);
  expect<string>(settlement.kind).toBe(kind);
});

test.each<[network: string, transaction: string, said: string | null, payer: string]>([
  ["eip155:84532", HASH, PAYEE, PAYEE],
  ["eip155:84532", HASH, "someone", PAYER],
  ["eip155:84532", HASH, null, PAYER],
  [SOLANA, toBase58(new Uint8Array(64).fill(7)), PAYEE, "2aXiX3idiwZzKYAXPhPfPZXF6QcsCiD8RXsXr3Luo23v"],
  ["stellar:pubnet", "tx-1", "someone", "someone"],
])("on %s, a settlement %s with %p as its payer has the payer %s", async (network, transaction, said, payer) => {
  const url = http(() => Response.json({ ...SETTLED, network, transaction, payer: said }));
  const requirements = { ...REQUIREMENTS, network };
  const payload = network === SOLANA ? { transaction: SOLANA_TRANSFER } : payment.payload;
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000 });
  expect(await facilitator.settle({ ...payment, payload, accepted: requirements }, requirements)).toMatchObject({
    payer,
  });
});

test("a response that hangs after its header section, or never ends, is aborted", async () => {
  const hanging = await raw((socket) => void socket.write("HTTP/1.1 200 OK\r\nContent-Length: 20\r\n\r\n{"));
  const slow = new HttpFacilitator({ url: hanging.url, timeoutMs: 100 });
  expect(await slow.verify(payment, REQUIREMENTS)).toEqual({ kind: "unavailable", cause: "no response within 100 ms" });
  expect(await slow.settle(payment, REQUIREMENTS)).toMatchObject({ kind: "unknown", transaction: "" });
  const endless = await raw((socket) => {
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    const chunk = `8000\r\n${" ".repeat(0x8000)}\r\n`;
    const more = (): void => {
      while (!socket.destroyed && socket.write(chunk));
    };
    socket.on("drain", more);
    more();
  });
  const huge = new HttpFacilitator({ url: endless.url, timeoutMs: 10_000 });
  expect(await huge.verify(payment, REQUIREMENTS)).toMatchObject({ kind: "failed" });
});

test("a compressed response is not decompressed", async () => {
  const packed = Bun.gzipSync(JSON.stringify(VALID));
  const url = http(() => new Response(packed, { headers: { "content-encoding": "gzip" } }));
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000 });
  expect(await facilitator.verify(payment, REQUIREMENTS)).toMatchObject({ kind: "failed" });
});

test("a verification is repeated if its connection breaks, a settlement is not", async () => {
  const { url, seen } = await raw((socket, _, inAll) => {
    if (inAll % 2 === 0) socket.destroy();
    else socket.write(jsonResponse(VALID));
  });
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000 });
  expect(await facilitator.verify(payment, REQUIREMENTS)).toEqual({ kind: "valid", payer: PAYER });
  expect(seen.paths).toEqual(["/verify", "/verify"]);
  expect(await facilitator.settle(payment, REQUIREMENTS)).toMatchObject({ kind: "unknown", cause: "no connection" });
  expect(seen.paths).toEqual(["/verify", "/verify", "/settle"]);
});

test("a lookup is repeated if its connection breaks", async () => {
  const { url, seen } = await raw((socket, _, inAll) => {
    if (inAll === 0) socket.write(jsonResponse({ kinds: [], extensions: ["turnpike-find"] }));
    else if (inAll === 1) socket.destroy();
    else socket.write(jsonResponse({ outcome: "void" }));
  });
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000 });
  expect(await facilitator.find(payment, REQUIREMENTS)).toEqual({ kind: "void" });
  expect(seen.paths).toEqual(["/supported", "/find", "/find"]);
});

test("a connection is reused", async () => {
  const { url, seen } = await raw((socket) => void socket.write(jsonResponse({ ...VALID, ...SETTLED })));
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000 });
  await facilitator.verify(payment, REQUIREMENTS);
  await facilitator.settle(payment, REQUIREMENTS);
  await facilitator.verify(payment, REQUIREMENTS);
  expect([seen.paths.length, seen.connections]).toEqual([3, 1]);
});

test("a redirect is not followed, and receives no secret", async () => {
  const elsewhere: string[] = [];
  const other = http((request) => {
    elsewhere.push(request.url);
    return Response.json(VALID);
  });
  const url = http(({ url: at }) => Response.redirect(`${other}${new URL(at).pathname}`, 307));
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000, headers: { authorization: "Bearer secret" } });
  expect(await facilitator.verify(payment, REQUIREMENTS)).toEqual({ kind: "failed", cause: "it responded with 307" });
  expect(await facilitator.settle(payment, REQUIREMENTS)).toMatchObject({ kind: "unknown" });
  expect(await facilitator.supported().then(String, String)).toContain(
    "Cannot query what the facilitator supports: it responded with 307",
  );
  expect(elsewhere).toEqual([]);
});

test("each call carries the secret headers, and no error shows them", async () => {
  const seen: (string | null)[] = [];
  const url = http((request) => {
    seen.push(request.headers.get("authorization"), request.headers.get("x-api-key"));
    return Response.json({ error: "no" }, { status: 403 });
  });
  const headers = { authorization: "Bearer secret", "x-api-key": "secret" };
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000, headers });
  const results = [
    await facilitator.verify(payment, REQUIREMENTS),
    await facilitator.settle(payment, REQUIREMENTS),
    await facilitator.supported().then(String, String),
  ];
  expect(seen).toEqual(Array.from({ length: 3 }, () => ["Bearer secret", "secret"]).flat());
  expect(JSON.stringify(results)).not.toMatch(/secret|127\.0\.0\.1/);
});

test("version 1 kinds and malformed kinds are ignored", async () => {
  const kinds = [
    { x402Version: 1, scheme: "exact", network: "base-sepolia" },
    { x402Version: 2, scheme: "exact", network: "eip155:84532" },
    { x402Version: 2, scheme: "upto", network: "eip155:84532", extra: { facilitatorAddress: PAYER } },
    { x402Version: 2, scheme: "exact", network: "eip155:1", extra: { much: "x".repeat(3000) } },
    { x402Version: 2, scheme: 7 },
    null,
  ];
  const url = http(() => Response.json({ kinds, extensions: null, signers: [] }));
  expect(await new HttpFacilitator({ url, timeoutMs: 5000 }).supported()).toEqual([
    { scheme: "exact", network: "eip155:84532" },
    { scheme: "upto", network: "eip155:84532", extra: { facilitatorAddress: PAYER } },
  ]);
  const refusing = http(() => Response.json({ kinds }, { status: 400 }));
  const refused = new HttpFacilitator({ url: refusing, timeoutMs: 5000 }).supported();
  expect(await refused.then(String, String)).toContain("it responded with 400");
  const many = http(() => Response.json({ kinds: Array.from({ length: 2000 }, () => ({})) }));
  const supported = new HttpFacilitator({ url: many, timeoutMs: 5000 }).supported();
  expect(await supported.then(String, String)).toContain("is invalid");
});

test("extension data in responses is ignored", async () => {
  const url = http(() => Response.json(VALID, { headers: { "extension-responses": "{".repeat(8000) } }));
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000 });
  expect(await facilitator.verify(payment, REQUIREMENTS)).toEqual({ kind: "valid", payer: PAYER });
});

test("a facilitator can be reached through a Unix socket", async () => {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-http-facilitator-"));
  cleanups.push(() => rmSync(folder, { recursive: true }));
  const unix = join(folder, "socket");
  const server = Bun.serve({ unix, fetch: () => Response.json(VALID) });
  cleanups.push(() => server.stop(true));
  const facilitator = new HttpFacilitator({ url: `unix:${unix}`, timeoutMs: 5000 });
  expect(await facilitator.verify(payment, REQUIREMENTS)).toEqual({ kind: "valid", payer: PAYER });
  const gone = new HttpFacilitator({ url: `unix:${unix}.gone`, timeoutMs: 5000 });
  expect(await gone.verify(payment, REQUIREMENTS)).toEqual({ kind: "unavailable", cause: "no connection" });
});

test("find is called only at facilitators that offer it", async () => {
  const paths: string[] = [];
  let extensions: string[] = [];
  let [status, found]: [number, object] = [299, { outcome: "settled", transaction: HASH, payer: PAYER }];
  const url = http((request) => {
    const { pathname } = new URL(request.url);
    paths.push(pathname);
    return pathname === "/find" ? Response.json(found, { status }) : Response.json({ kinds: [], extensions });
  });
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000 });
  expect(await facilitator.find(payment, REQUIREMENTS)).toEqual({ kind: "unknown", cause: "no chain is configured" });
  expect(await facilitator.find(payment, REQUIREMENTS)).toMatchObject({ kind: "unknown" });
  expect(paths).toEqual(["/supported"]);
  extensions = ["bazaar", "turnpike-find"];
  await facilitator.supported();
  expect(await facilitator.find(payment, REQUIREMENTS)).toEqual({ kind: "settled", transaction: HASH, payer: PAYER });
  status = 400;
  expect(await facilitator.find(payment, REQUIREMENTS)).toMatchObject({ kind: "unknown" });
  [status, found] = [200, { outcome: "void" }];
  expect(await facilitator.find(payment, REQUIREMENTS)).toEqual({ kind: "void" });
  found = { outcome: "settled", transaction: "soon" };
  expect(await facilitator.find(payment, REQUIREMENTS)).toMatchObject({ kind: "unknown" });
  found = { outcome: "perhaps" };
  expect(await facilitator.find(payment, REQUIREMENTS)).toMatchObject({ kind: "unknown" });
});

test("a facilitator that does not respond gets only settlements until it is available again", async () => {
  const calls: string[] = [];
  const changes: boolean[] = [];
  let isDown = true;
  const url = http((request) => {
    calls.push(new URL(request.url).pathname);
    return isDown ? new Response("down", { status: 503 }) : Response.json({ ...VALID, ...SETTLED });
  });
  const onBreaker = (isOpen: boolean): void => void changes.push(isOpen);
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000, onBreaker });
  for (let i = 0; i < MAX_FAILURES_IN_A_ROW; i++) await facilitator.verify(payment, REQUIREMENTS);
  expect(changes).toEqual([true]);
  expect(await facilitator.verify(payment, REQUIREMENTS)).toEqual({
    kind: "unavailable",
    cause: "its circuit breaker is open",
  });
  expect(calls.length).toBe(MAX_FAILURES_IN_A_ROW);
  expect(await facilitator.settle(payment, REQUIREMENTS)).toMatchObject({ kind: "unknown" });
  isDown = false;
  expect(await facilitator.settle(payment, REQUIREMENTS)).toMatchObject({ kind: "settled" });
  expect(changes).toEqual([true, false]);
  expect(await facilitator.verify(payment, REQUIREMENTS)).toEqual({ kind: "valid", payer: PAYER });
});

test("a payment that causes an error in the facilitator does not open the breaker", async () => {
  const url = http(() => Response.json({ error: "TypeError" }, { status: 500 }));
  const changes: boolean[] = [];
  const onBreaker = (isOpen: boolean): void => void changes.push(isOpen);
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000, onBreaker });
  for (let i = 0; i <= MAX_FAILURES_IN_A_ROW; i++) await facilitator.verify(payment, REQUIREMENTS);
  expect(changes).toEqual([]);
});

test("an open breaker is no longer counted when its facilitator is closed", async () => {
  let isDown = true;
  const url = http(() => (isDown ? new Response("down", { status: 503 }) : Response.json(SETTLED)));
  const changes: boolean[] = [];
  const onBreaker = (isOpen: boolean): void => void changes.push(isOpen);
  const facilitator = new HttpFacilitator({ url, timeoutMs: 5000, onBreaker });
  for (let i = 0; i < MAX_FAILURES_IN_A_ROW; i++) await facilitator.verify(payment, REQUIREMENTS);
  await facilitator.close();
  await facilitator.close();
  isDown = false;
  expect(await facilitator.settle(payment, REQUIREMENTS)).toMatchObject({ kind: "settled" });
  expect(changes).toEqual([true, false]);
});

test("a facilitator that is closed with a closed breaker tells nothing", async () => {
  const changes: boolean[] = [];
  const onBreaker = (isOpen: boolean): void => void changes.push(isOpen);
  await new HttpFacilitator({ url: "http://127.0.0.1:9", timeoutMs: 5000, onBreaker }).close();
  expect(changes).toEqual([]);
});

test("long settlements do not delay verifications", async () => {
  const end = Promise.withResolvers<void>();
  let settling = 0;
  const url = http(async (request) => {
    if (new URL(request.url).pathname === "/verify") return Response.json(VALID);
    settling += 1;
    await end.promise;
    return Response.json(SETTLED);
  });
  const facilitator = new HttpFacilitator({ url, timeoutMs: 2000, settleTimeoutMs: 20_000 });
  const settlements = Array.from({ length: 300 }, () => facilitator.settle(payment, REQUIREMENTS));
  await until(() => settling >= 160);
  expect(await facilitator.verify(payment, REQUIREMENTS)).toEqual({ kind: "valid", payer: PAYER });
  end.resolve();
  const ended = await Promise.all(settlements);
  expect(ended.filter(({ kind }) => kind === "settled")).toHaveLength(160);
  const cause = "too many settlements are under way: nothing was sent";
  expect(ended[160]).toEqual({ kind: "unknown", cause, transaction: "", isUnsent: true });
  expect(await facilitator.settle(payment, REQUIREMENTS)).toMatchObject({ kind: "settled" });
});

test("only a part of this program is believed that it has sent nothing", async () => {
  const body = { success: false, errorReason: "settlement_pending", transaction: "", network: "eip155:84532" };
  const respond = () => Response.json({ ...body, extra: { unsent: true } });
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: respond });
  const signed = signedPayment(Date.now() / 1000);
  const open = (isOwn: boolean) => new HttpFacilitator({ url: server.url.origin, timeoutMs: patient(5000), isOwn });
  const settle = (isOwn: boolean) => open(isOwn).settle(signed, REQUIREMENTS);
  const unknown = { kind: "unknown", cause: "it left the outcome open", transaction: "" } as const;
  expect(await settle(false)).toEqual(unknown);
  expect(await settle(true)).toEqual({ ...unknown, isUnsent: true });
  const order = { payload: { type: "claim", claims: [] } } as unknown as ChannelOrder; // The rest is not read.
  const terms = { network: "eip155:84532" } as ChannelRequirements; // Neither.
  expect(await open(false).channels.settle(order, terms)).not.toHaveProperty("isUnsent", true);
  expect(await open(true).channels.settle(order, terms)).toMatchObject({ kind: "unknown", isUnsent: true });
  await server.stop(true);
  // For a refused connection no response must say so.
  expect(await settle(false)).toMatchObject({ kind: "unknown", isUnsent: true });
});
