/** Payments for gRPC calls, WebSockets and tenants, through one gateway. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { status } from "@grpc/grpc-js";
import { patient } from "../../src/lib/testing/patience.ts";
import { until } from "../../src/lib/testing/until.ts";
import { TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentPayload } from "../../src/payments/x402/messages.ts";
import { EchoClient, EchoServer, type Outcome } from "../grpc/testing/echo-service.ts";
import { message } from "../grpc/testing/wire.ts";
import { PROTOCOLS } from "../policy/protocols.ts";
import { TEST_CA } from "../support/certificates.ts";
import { serverAt } from "../support/gateway.ts";
import { SERVERS } from "../tenants/testing/server-machine.ts";
import { tenantFilter } from "../tenants/testing/tenant-filter.ts";
import { TenantGateway } from "../tenants/testing/tenant-gateway.ts";
import { openTunnel } from "../websocket/testing/tunnel-client.ts";
import { accepting, switching, TunnelOrigin } from "../websocket/testing/tunnel-origin.ts";
import { CountingFacilitator } from "./counting-facilitator.ts";
import { newPayment, nonceOf } from "./shops.ts";

setDefaultTimeout(patient(30_000));

const facilitator = new CountingFacilitator();
let echo: EchoServer;
let tunnels: TunnelOrigin;
let shop: TenantGateway;
let caller: EchoClient;

beforeAll(async () => {
  [echo, tunnels] = await Promise.all([EchoServer.start(), TunnelOrigin.start()]);
  const before = { x402: { ...TERMS, settle: "before" } };
  const after = { x402: TERMS };
  const calls = { path_prefix: "/", upstream: "echo" };
  shop = await TenantGateway.start({
    kind: SERVERS,
    filters: { "/tenant": tenantFilter("x-tenant") },
    config: {
      x402: { enabled: true, facilitator_url: facilitator.url, public_url: "https://shop.test" },
      upstreams: [
        { name: "echo", protocol: "h2c", servers: [serverAt(echo.port)] },
        { name: "tunnels", servers: [serverAt(tunnels.port)] },
      ],
    },
    routes: (dir) => [
      { ...calls, ...after, name: "calls", match: { grpc: { service: "test.Echo" } } },
      {
        ...calls,
        ...before,
        name: "calls-before",
        match: { grpc: { service: "test.Echo" }, headers: [{ name: "x-settle", value: "before" }] },
      },
      { path_prefix: "/tunnel/after", upstream: "tunnels", ...after },
      { path_prefix: "/tunnel/before", upstream: "tunnels", ...before },
      {
        path_prefix: "/tenant",
        rewrite: { prefix: "/" },
        tenant: { socket_dir: dir, header: "x-tenant" },
        ...after,
      },
    ],
  });
  caller = new EchoClient(shop.gateway.tlsPort, TEST_CA.cert);
});

afterAll(async () => {
  caller.close();
  await shop.stop();
  echo.stop();
  await tunnels.stop();
  await facilitator.close();
});

/** Calls to the facilitator's /settle for the payment. */
function settlesOf(payment: PaymentPayload): number {
  return facilitator.settles.get(nonceOf(payment)) ?? 0;
}

function paidBy(payment: PaymentPayload): Record<string, string> {
  return { "payment-signature": encodeHeader(payment) };
}

function portsOf({ gateway }: TenantGateway): { port: number; tlsPort: number } {
  return { port: gateway.plainPort, tlsPort: gateway.tlsPort };
}

const textsOf = ({ messages }: Outcome): string[] => messages.map((bytes) => bytes.toString());

describe.each(["after", "before"] as const)("gRPC calls that are settled %s", (settle) => {
  const metadata = { "x-settle": settle };

  test("without payment the server sees no call", async () => {
    const seen = echo.calls.length;
    const outcomes = await Promise.all([
      caller.unary("hi", { metadata }).outcome,
      caller.count("count 3", { metadata }).outcome,
      caller.collect({ metadata }).outcome,
      caller.chat({ metadata }).outcome,
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual(outcomes.map(() => status.FAILED_PRECONDITION));
    expect(
      outcomes.every(({ metadata: head, trailers }) =>
        [head, trailers].some((fields) => fields.get("payment-required").length === 1),
      ),
    ).toBe(true);
    expect(echo.calls.length).toBe(seen);
  });

  test("calls of each kind are charged once", async () => {
    const payments = [1, 2, 3, 4].map(() => newPayment(settle));
    const [unary, count, collect, chat] = payments.map((payment) => ({
      metadata: { ...metadata, ...paidBy(payment) },
    }));
    const collecting = caller.collect(collect);
    collecting.call.write(Buffer.from("a"));
    collecting.call.end(Buffer.from("bc"));
    const chatting = caller.chat(chat);
    chatting.call.write(Buffer.from("one"));
    // Before settlement no message may reach the client.
    if (settle === "before") await chatting.has(1);
    chatting.call.write(Buffer.from("two"));
    chatting.call.end();
    const outcomes = await Promise.all([
      caller.unary("hi", unary).outcome,
      caller.count("count 3", count).outcome,
      collecting.outcome,
      chatting.outcome,
    ]);
    expect(outcomes.map((outcome) => [outcome.code, ...textsOf(outcome)])).toEqual([
      [status.OK, "hi"],
      [status.OK, "0", "1", "2"],
      [status.OK, "2 3"],
      [status.OK, "one", "two"],
    ]);
    expect(outcomes.map(({ metadata: head }) => head.get("payment-response").length)).toEqual([1, 1, 1, 1]);
    expect(payments.map(settlesOf)).toEqual([1, 1, 1, 1]);
    expect(echo.calls.slice(-4).flatMap((call) => call.metadata.get("payment-signature"))).toEqual([]);
  });

  test("a call that fails is free, or owed if it was settled before", async () => {
    const payments = [newPayment(settle), newPayment(settle)] as const;
    const [one, two] = payments.map((payment) => ({ metadata: { ...metadata, ...paidBy(payment) } }));
    const fail = async (): Promise<number[]> => {
      const streaming = caller.chat(two);
      streaming.call.write(Buffer.from("fail 5 gone"));
      streaming.call.end();
      return [(await caller.unary("fail 9 not now", one).outcome).code, (await streaming.outcome).code];
    };
    const seen = echo.calls.length;
    const failures = [status.FAILED_PRECONDITION, status.NOT_FOUND];
    expect(await fail()).toEqual(failures);
    // The same payment runs the call again.
    expect(await fail()).toEqual(failures);
    expect(echo.calls.length - seen).toBe(4);
    const settles = settle === "before" ? 1 : 0;
    expect(payments.map(settlesOf)).toEqual([settles, settles]);
  });

  test("a call that its client cancels is not charged before its response is complete", async () => {
    const payment = newPayment(settle);
    const seen = echo.calls.length;
    const call = caller.count("count 1 1 hangs", { metadata: { ...metadata, ...paidBy(payment) } });
    const server = await echo.until("the call", () => echo.calls[seen]);
    if (settle === "before") await call.has(1);
    call.call.cancel();
    expect((await call.outcome).code).toBe(status.CANCELLED);
    await echo.until("the cancellation", () => server.cancelled || undefined);
    expect(settlesOf(payment)).toBe(settle === "before" ? 1 : 0);
  });
});

test.each(["HTTP/2", "HTTP/3"] as const)(
  "a gRPC call over %s frame by frame: 402 as its status, then its response",
  async (protocol) => {
    const payment = newPayment("after");
    const ask = (more: Record<string, string>) =>
      shop.gateway.request(protocol, {
        method: "POST",
        path: "/test.Echo/Unary",
        headers: { "content-type": "application/grpc", te: "trailers", ...more },
        body: message("hello"),
      });
    const refused = await ask({});
    expect([refused.status, refused.header("grpc-status"), refused.header("payment-required") === undefined]).toEqual([
      200,
      "9",
      false,
    ]);
    for (const _ of [1, 2]) {
      const sold = await ask(paidBy(payment));
      expect([sold.status, sold.body.subarray(5).toString(), Object.fromEntries(sold.trailers)["grpc-status"]]).toEqual(
        [200, "hello", "0"],
      );
      expect(sold.header("payment-response")).toBeDefined();
    }
    expect(settlesOf(payment)).toBe(1);
  },
);

describe.each(["HTTP/1.1", "HTTP/1.1 over TLS", "HTTP/2", "HTTP/2 over TLS"] as const)(
  "a WebSocket by %s",
  (client) => {
    test("opens only with a payment that is settled first", async () => {
      const seen = tunnels.requests.length;
      const unpaid = await openTunnel(client, portsOf(shop), { path: "/tunnel/before" });
      expect([unpaid.status, tunnels.requests.length]).toEqual([402, seen]);
      unpaid.destroy();
      const payment = newPayment("before");
      const asked = { path: "/tunnel/before", fields: paidBy(payment) };
      const opened = await openTunnel(client, portsOf(shop), asked);
      expect([opened.status, opened.fields["payment-response"] === undefined]).toEqual([
        client.startsWith("HTTP/2") ? 200 : 101,
        false,
      ]);
      const there = await tunnels.tunnel(tunnels.tunnels.length - 1);
      opened.end.send("ping");
      await until(() => there.text === "ping");
      there.send("pong");
      await until(() => opened.end.text === "pong");
      expect(settlesOf(payment)).toBe(1);
      // The tunnel was sold. Another one needs another payment.
      const second = await openTunnel(client, portsOf(shop), asked);
      expect([second.status, tunnels.requests.length]).toEqual([409, seen + 1]);
      for (const tunnel of [opened, second]) tunnel.destroy();
    });

    test("opens again for the same payment if the upstream has closed it at once", async () => {
      const payment = newPayment("before");
      const asked = { path: "/tunnel/before", fields: paidBy(payment) };
      const seen = tunnels.requests.length;
      tunnels.reply = (request, socket) => socket.end(Buffer.from(`${switching(request)}\x88\x02\x03\xf3`, "latin1"));
      const first = await openTunnel(client, portsOf(shop), asked);
      await until(() => first.end.ended || first.end.closed);
      tunnels.reply = accepting;
      let opened = await openTunnel(client, portsOf(shop), asked);
      // The first one is recorded a moment after its end.
      await until(async () => {
        if (opened.status !== 409) return true;
        opened.destroy();
        opened = await openTunnel(client, portsOf(shop), asked);
        return false;
      });
      const there = await tunnels.tunnel(tunnels.tunnels.length - 1);
      there.send("pong");
      await until(() => opened.end.text === "pong");
      const third = await openTunnel(client, portsOf(shop), asked);
      expect([third.status, settlesOf(payment), tunnels.requests.length]).toEqual([409, 1, seen + 2]);
      for (const tunnel of [first, opened, third]) tunnel.destroy();
    });

    // RFC 8441 §5: a 2xx response to CONNECT would open the tunnel.
    test.skipIf(client.startsWith("HTTP/1"))("is not sold a response that its protocol cannot have", async () => {
      tunnels.reply = (_request, socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      const [before, after] = [newPayment("before"), newPayment("after")];
      const refused = await openTunnel(client, portsOf(shop), { path: "/tunnel/after", fields: paidBy(after) });
      expect([refused.status, settlesOf(after)]).toEqual([501, 0]);
      const asked = { path: "/tunnel/before", fields: paidBy(before) };
      const owed = await openTunnel(client, portsOf(shop), asked);
      expect([owed.status, owed.fields["payment-response"] === undefined]).toEqual([501, false]);
      tunnels.reply = accepting;
      let opened = await openTunnel(client, portsOf(shop), asked);
      // The first one is recorded a moment after its end.
      await until(async () => {
        if (opened.fields["retry-after"] === undefined) return true;
        opened.destroy();
        opened = await openTunnel(client, portsOf(shop), asked);
        return false;
      });
      expect([opened.status, settlesOf(before)]).toEqual([200, 1]);
      for (const tunnel of [refused, owed, opened]) tunnel.destroy();
    });

    test("is refused without a charge on a route that settles afterwards", async () => {
      const payment = newPayment("after");
      const refused = await openTunnel(client, portsOf(shop), { path: "/tunnel/after", fields: paidBy(payment) });
      expect([refused.status, settlesOf(payment)]).toEqual([501, 0]);
      refused.destroy();
    });
  },
);

describe.each(PROTOCOLS)("a tenant over %s", (protocol) => {
  const tenant = `t${protocol.replaceAll(/\W/g, "").toLowerCase()}`;
  const ask = (path: string, headers: Record<string, string>, method = "GET") =>
    shop.gateway.request(protocol, { method, path: `/tenant${path}`, headers: { "x-tenant": tenant, ...headers } });

  test("is started and asked for payments only, and charges for complete responses only", async () => {
    const { manager } = shop;
    expect((await ask("/", {})).status).toBe(402);
    expect(manager.asked).not.toContain(tenant);
    const payment = newPayment("after");
    const cold = await ask("/", paidBy(payment));
    expect([cold.status, JSON.parse(cold.text)]).toMatchObject([200, { tenant, requests: 1 }]);
    expect((await ask("/", paidBy(payment))).text).toBe(cold.text);
    expect([settlesOf(payment), manager.asked.filter((asked) => asked === tenant)]).toEqual([1, [tenant]]);
    const warm = newPayment("after");
    expect(JSON.parse((await ask("/", paidBy(warm))).text)).toMatchObject({ tenant, requests: 2 });
    for (const path of ["/cut", "/cut-chunked", "/reset", "/garbage"]) {
      const broken = newPayment("after");
      expect([path, (await ask(path, paidBy(broken), "POST")).status, settlesOf(broken)]).toEqual([path, 502, 0]);
    }
    expect(settlesOf(warm)).toBe(1);
  });

  test("that crashes is started again within one paid request", async () => {
    const { manager } = shop;
    await ask("/", paidBy(newPayment("after")));
    const started = manager.started;
    await manager.kill(tenant);
    const payment = newPayment("after");
    const reply = await ask("/", paidBy(payment));
    expect([reply.status, settlesOf(payment), manager.started]).toEqual([200, 1, started + 1]);
  });
});
