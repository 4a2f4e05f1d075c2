/** Schema checks of bodies, combined with payment, retries, mirrors and gRPC calls. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { serverAt } from "../support/gateway.ts";
import { Folder } from "../support/program.ts";
import { RawOrigin } from "../support/raw-origin.ts";
import { PROTOCOLS, type Protocol, type ProtocolGateway, type Reply, startProtocols } from "./protocols.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(40_000));

const SCHEMA = { type: "object", required: ["name"], properties: { name: { type: "string" }, n: { type: "number" } } };
const MAX_BYTES = 60_000;

let origin: RawOrigin;
/** An origin that fails requests in some tests. */
let broken: RawOrigin;
let mirror: RawOrigin;
let gateway: ProtocolGateway;
let state: Folder;

function route(path_prefix: string, more: object): object {
  return { path_prefix, upstream: "origin", body_schema: SCHEMA, ...more };
}

beforeAll(async () => {
  [origin, broken, mirror] = await Promise.all([RawOrigin.start(), RawOrigin.start(), RawOrigin.start()]);
  state = new Folder();
  const closed = await freePort();
  gateway = await startProtocols({
    state_path: state.path,
    x402: { enabled: true, test_mode: true },
    limits: { max_body_bytes: MAX_BYTES },
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port)] },
      { name: "mirror", servers: [serverAt(mirror.port)] },
      { name: "shaky", servers: [{ ...serverAt(broken.port), max_fails: 1000 }, serverAt(origin.port)] },
      { name: "half", servers: [{ ...serverAt(closed), max_fails: 1000 }, serverAt(origin.port)] },
    ],
    routes: [
      route("/priced/", { x402: TERMS }),
      route("/shaky/", { upstream: "shaky", retry: { max_retries: 2 } }),
      route("/half/", { upstream: "half", retry: { connect_any_method: true } }),
      route("/mirrored/", { mirror: "mirror" }),
      route("/split/", { traffic_split: [{ upstream: "mirror", weight: 1 }] }),
      route("/plain/", {}),
    ],
  });
});

afterAll(async () => {
  await gateway.stop();
  await Promise.all([origin.stop(), broken.stop(), mirror.stop()]);
  state.remove();
});

beforeEach(() => {
  for (const each of [origin, broken, mirror]) each.reset();
});

interface Sent {
  readonly path: string;
  readonly body: string;
  readonly method?: string;
  readonly paid?: string;
}

function send(protocol: Protocol, { path, body, method = "POST", paid }: Sent): Promise<Reply> {
  const headers: Record<string, string> = { "content-type": "application/json" };
  if (paid !== undefined) headers["payment-signature"] = paid;
  return gateway.request(protocol, { method, path, body, headers });
}

const LONG = JSON.stringify({ name: "a".repeat(50_000) });

for (const protocol of PROTOCOLS) {
  test(`over ${protocol} an invalid body uses no payment, and the payment can be used for a valid one`, async () => {
    const paid = encodeHeader(signedPayment(Date.now() / 1000));
    const path = "/priced/x";
    for (const body of ['{"name":1}', "{", '{"name":"a","name":"b"}']) {
      for (const payment of [undefined, paid]) {
        const refused = await send(protocol, { path, body, ...(payment === undefined ? {} : { paid: payment }) });
        expect([refused.status, refused.header("payment-required"), refused.header("payment-response")]).toEqual([
          400,
          undefined,
          undefined,
        ]);
      }
    }
    const unpaid = await send(protocol, { path, body: LONG });
    expect([unpaid.status, unpaid.header("payment-required") === undefined]).toEqual([402, false]);
    const bought = await send(protocol, { path, body: LONG, paid });
    expect([bought.status, bought.text === `POST ${path} ${LONG}`]).toEqual([200, true]);
    const otherBody = await send(protocol, { path, body: LONG.replace("aa", "ab"), paid });
    expect([otherBody.status, otherBody.json]).toMatchObject([409, { type: "urn:turnpike:error:payment-conflict" }]);
    const again = await send(protocol, { path, body: LONG, paid });
    expect([again.status, again.text === bought.text, again.header("payment-response")]).toEqual([
      200,
      true,
      bought.header("payment-response"),
    ]);
    expect(origin.requests.length).toBe(1);
    expect(await gatheredBytes()).toBe(0);
  });

  test(`over ${protocol} a body goes complete to another server if the first got none of it, and otherwise to one server only`, async () => {
    for (const method of ["GET", "PUT", "POST", "POST"]) {
      expect((await send(protocol, { method, path: "/half/x", body: LONG })).status).toBe(200);
    }
    expect(origin.summaries).toEqual(["GET", "PUT", "POST", "POST"].map((method) => `${method} /half/x ${LONG}`));
    origin.reset();
    broken.response = (_, connection) => connection.reset();
    const statuses: number[] = [];
    for (const method of ["GET", "GET", "POST", "POST"]) {
      statuses.push((await send(protocol, { method, path: "/shaky/x", body: LONG })).status);
    }
    expect(statuses.filter((status) => status === 502)).toHaveLength(2);
    expect([...origin.summaries, ...broken.summaries].toSorted()).toEqual(
      ["GET", "GET", "POST", "POST"].map((method) => `${method} /shaky/x ${LONG}`),
    );
  });

  test(`over ${protocol} a mirror and a weighted upstream get the body as well`, async () => {
    expect((await send(protocol, { path: "/mirrored/x", body: LONG })).status).toBe(200);
    await mirror.until("the copy", () => (mirror.requests.length === 1 ? true : undefined));
    expect(mirror.summaries).toEqual([`POST /mirrored/x ${LONG}`]);
    expect((await send(protocol, { path: "/split/x", body: LONG })).status).toBe(200);
    expect([...origin.summaries, ...mirror.summaries].toSorted()).toEqual([
      `POST /mirrored/x ${LONG}`,
      `POST /mirrored/x ${LONG}`,
      `POST /split/x ${LONG}`,
    ]);
    expect((await send(protocol, { path: "/mirrored/x", body: "{}" })).status).toBe(400);
    expect(mirror.requests.length + origin.requests.length).toBe(3);
  });

  test(`over ${protocol} unusual numbers and texts are accepted or refused, and forwarded unchanged`, async () => {
    for (const [body, status] of [
      ['{"name":"a","n":1e400}', 400],
      [`{"name":"a","n":${"9".repeat(20_000)}}`, 400],
      [`{"name":"a","n":0.${"9".repeat(20_000)}}`, 200],
      ['{"name":"a","n":-0.0e-999999999}', 200],
      [`{"name":"a","n":${"1".repeat(10)}e${"9".repeat(5000)}}`, 400],
      ['{"name":"\\ud800"}', 200],
      ['{"name":"a","constructor":{"__proto__":null}}', 200],
      [`{"name":"a","deep":${"[".repeat(5000)}${"]".repeat(5000)}}`, 400],
      ['{"name":"a","n":01}', 400],
      ['{"name":"a","n":NaN}', 400],
      ['{"name":"a",}', 400],
      ['{"name":"a"} x', 400],
      ['{"name":"a"}\u0000', 400],
      ['{"n":1,"n":1,"name":"a"}', 400],
      ['{"n\\u0061me":"a","name":"a"}', 400],
    ] as const) {
      origin.reset();
      const reply = await send(protocol, { path: "/plain/x", body });
      expect([body.slice(0, 40), reply.status]).toEqual([body.slice(0, 40), status]);
      if (status === 200) expect(origin.requests[0]?.body).toBe(body);
      else expect(origin.requests).toEqual([]);
    }
  });

  test(`over ${protocol} a body beyond the limit gets 413, with and without a price`, async () => {
    for (const path of ["/plain/x", "/priced/x"]) {
      const reply = await send(protocol, { path, body: JSON.stringify({ name: "a".repeat(MAX_BYTES) }) });
      expect([reply.status, reply.header("payment-required")]).toEqual([413, undefined]);
    }
    expect(origin.requests).toEqual([]);
  });
}

async function gatheredBytes(): Promise<number> {
  const { text } = await gateway.plain({ path: "/metrics" });
  return Number(/^turnpike_buffer_bytes\{pool="stream"\} (\d+)$/m.exec(text)?.[1]);
}
