/** Payers that may not buy: by a list and by a service, before anything is verified or charged. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { PAYER, REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type ProtocolGateway, PROTOCOLS, type Protocol, type Reply, startProtocols } from "../policy/protocols.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { CountingFacilitator } from "./counting-facilitator.ts";

setDefaultTimeout(patient(30_000));

const LISTED = `0x${"ab".repeat(20)}`;
const facilitator = new CountingFacilitator();
const folder = new Folder();
let runs = 0;
const origin = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  fetch() {
    runs += 1;
    return new Response("goods");
  },
});
/** The response of the service, and its calls. */
let answer: () => Response | Promise<Response> = () => Response.json({ allowed: true });
const asked: unknown[] = [];
const service = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  idleTimeout: 0,
  async fetch(request) {
    asked.push([request.headers.get("authorization"), await request.json()]);
    return answer();
  },
});
let gateway: ProtocolGateway;

beforeAll(async () => {
  gateway = await startProtocols(
    {
      x402: {
        enabled: true,
        facilitator_url: facilitator.url,
        public_url: "https://shop.test",
        screening: {
          denied_payers: [folder.write("denied.txt", LISTED)],
          service_url: service.url.href,
          token_env: "SCREENING_TOKEN",
          timeout_ms: 1000,
        },
      },
      upstreams: [{ name: "origin", servers: [serverAt(origin.port ?? 0)] }],
      routes: [{ path_prefix: "/", upstream: "origin", x402: TERMS }],
    },
    { SCREENING_TOKEN: "screening-token" },
  );
});

afterAll(async () => {
  await gateway.stop();
  await facilitator.close();
  await Promise.all([origin.stop(true), service.stop(true)]);
  folder.remove();
});

let payers = 0;

/** An address that no other payment here has. */
function newPayer(): `0x${string}` {
  payers += 1;
  return `0x${payers.toString(16).padStart(40, "0")}`;
}

async function buy(
  protocol: Protocol,
  from: `0x${string}`,
): Promise<{ readonly reply: Reply; readonly nonce: string }> {
  const payment = signedPayment(Date.now() / 1000, { from });
  const headers = { "payment-signature": encodeHeader(payment) };
  return { reply: await gateway.request(protocol, { headers }), nonce: payment.payload.authorization.nonce };
}

for (const protocol of PROTOCOLS) {
  test(`a listed payer gets 403 free of charge, without a call of the service: ${protocol}`, async () => {
    const before = [runs, asked.length];
    const { reply, nonce } = await buy(protocol, `0x${"AB".repeat(20)}`);
    expect(reply.status).toBe(403);
    expect(reply.json).toMatchObject({ detail: expect.stringContaining("list of denied payers") as unknown });
    expect([runs, asked.length]).toEqual(before);
    expect(facilitator.settles.has(nonce)).toBe(false);
  });

  test(`a service allows, denies with a reason, and without a response sells nothing: ${protocol}`, async () => {
    answer = () => Response.json({ allowed: true });
    const from = newPayer();
    expect((await buy(protocol, from)).reply.status).toBe(200);
    const { network, asset, amount } = REQUIREMENTS;
    const question = { payer: from, network, asset: asset.toLowerCase(), amount, route: "/" };
    expect(asked.at(-1)).toEqual(["Bearer screening-token", question]);
    const before = asked.length;
    expect((await buy(protocol, from)).reply.status).toBe(200);
    expect(asked.length).toBe(before);

    answer = () => Response.json({ allowed: false, reason: "linked\r\nto a theft" });
    const denied = await buy(protocol, newPayer());
    expect(denied.reply.status).toBe(403);
    expect(denied.reply.json).toMatchObject({ detail: expect.stringContaining("linked  to a theft") as unknown });
    expect(facilitator.settles.has(denied.nonce)).toBe(false);

    const failures = [
      () => new Response("sorry", { status: 500 }),
      () => Response.json({}),
      () => Response.json({ allowed: "yes" }),
      () => new Response(`{"allowed":true,"x":"${"x".repeat(100_000)}"}`),
      () => Response.redirect("https://elsewhere.test/"),
      () => new Promise<Response>(() => {}),
    ];
    const unlucky = newPayer();
    for (const fail of failures) {
      answer = fail;
      const { reply, nonce } = await buy(protocol, unlucky);
      expect([reply.status, reply.header("retry-after")]).toEqual([503, "5"]);
      expect(facilitator.settles.has(nonce)).toBe(false);
    }
    answer = () => Response.json({ allowed: true });
    expect((await buy(protocol, unlucky)).reply.status).toBe(200);
  });
}

test("the service is not asked about payments that are not valid", async () => {
  facilitator.hand = ({ path }) =>
    path === "/verify"
      ? Response.json({ isValid: false, invalidReason: "invalid_exact_evm_payload_signature" })
      : undefined;
  const before = asked.length;
  expect((await buy("HTTP/1.1", newPayer())).reply.status).toBe(402);
  expect(asked.length).toBe(before);
  facilitator.hand = () => undefined;
});

test("the payer of the tests is not listed", async () => {
  expect((await buy("HTTP/1.1", PAYER)).reply.status).toBe(200);
});
