/** Delivery over all protocols, with clients that never open a window, reset, read slowly or leave. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { freePort } from "../../src/lib/testing/listen.ts";
import { until } from "../../src/lib/testing/until.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentPayload } from "../../src/payments/x402/messages.ts";
import { paymentKey } from "../../src/payments/x402/payment-key.ts";
import { REQUIREMENTS, signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { type Payment } from "../../src/store/ledger.ts";
import { openStore } from "../../src/store/open/open-store.ts";
import { type Store } from "../../src/store/store.ts";
import { LOCALHOST } from "../support/certificates.ts";
import { type Gateway, serverAt, startGateway } from "../support/gateway.ts";
import { headers as headersFrame, hex, SETTINGS } from "../support/http3-frames.ts";
import { Http2Client, requestFields } from "../support/http2-client.ts";
import * as h2 from "../support/http2-frames.ts";
import { block, type HeaderList } from "../support/http2-hpack.ts";
import { Http3Client } from "../support/http3-client.ts";
import { Folder } from "../support/program.ts";
import { hasDeno, playRaw } from "../support/raw-quic.ts";
import { patient } from "../../src/lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(60_000));

/** Less than the kernel buffers for a client that reads nothing, and more than the window of a client without space. */
const MIDDLE = 60_000;
const HALF = MIDDLE / 2;
/** More than the client's own window over HTTP/3, and less than the engine buffers. */
const LARGE = 2_000_000;
const folder = new Folder();
let origin: Bun.Server<undefined>;
/** Connections for requests to another upstream, to which the test itself responds. */
const asked: Socket[] = [];
const HELD_HEAD = `HTTP/1.1 200 OK\r\nContent-Length: ${MIDDLE}\r\n\r\n`;
const held = createServer((socket) => socket.on("data", () => asked.push(socket)).on("error", () => {}));
let gateway: Gateway;
let quicPort: number;
let store: Store;
let runs = 0;

beforeAll(async () => {
  origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      runs += 1;
      return new Response(Buffer.alloc(Number(new URL(request.url).searchParams.get("bytes")), "goods "));
    },
  });
  await new Promise<void>((resolve) => held.listen(0, "127.0.0.1", resolve));
  // The form of a TCP server's address.
  const { port: heldPort } = held.address() as AddressInfo;
  quicPort = await freePort();
  writeFileSync(folder.file("cert.pem"), LOCALHOST.cert);
  writeFileSync(folder.file("key.pem"), LOCALHOST.key);
  const files = { cert_path: folder.file("cert.pem"), key_path: folder.file("key.pem") };
  gateway = await startGateway({
    state_path: folder.file("."),
    timeouts: { write_ms: 2000 },
    x402: { enabled: true, test_mode: true, public_url: "https://shop.test" },
    quic: { enabled: true, port: quicPort, max_idle_timeout_ms: 3000, ...files },
    upstreams: [
      { name: "origin", servers: [serverAt(origin.port ?? 0)] },
      { name: "held", servers: [serverAt(heldPort)] },
    ],
    routes: [
      { path_prefix: "/before", upstream: "origin", x402: { ...TERMS, settle: "before" } },
      { path_prefix: "/after", upstream: "origin", x402: TERMS },
      { path_prefix: "/held", upstream: "held", x402: { ...TERMS, settle: "before" } },
    ],
  });
  store = openStore(folder.file("turnpike.db"));
});

afterAll(async () => {
  await gateway.stop();
  await store.close();
  await origin.stop(true);
  held.close();
  folder.remove();
});

interface Bought {
  readonly payment: PaymentPayload;
  readonly header: string;
  readonly path: string;
}

function buy(settle: "before" | "after", bytes: number): Bought {
  const extra = settle === "before" ? { ...REQUIREMENTS.extra, paymentFlow: "upfront" } : REQUIREMENTS.extra;
  const payment = { ...signedPayment(Date.now() / 1000), accepted: { ...REQUIREMENTS, extra } };
  return { payment, header: encodeHeader(payment), path: `/${settle}?bytes=${bytes}` };
}

async function recorded({ payment }: Bought): Promise<Payment> {
  const found = await store.ledger.find(paymentKey(payment, REQUIREMENTS));
  if (found === undefined) throw new Error("The payment is not in the ledger");
  return found;
}

function isDelivered(bought: Bought): Promise<boolean> {
  return recorded(bought).then(({ delivered }) => delivered);
}

/** The result of sending the same payment again: the complete response. */
async function again({ path, header }: Bought): Promise<number> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${gateway.port}${path}`, {
      headers: { ...PLAIN, "payment-signature": header },
    });
    const body = await response.arrayBuffer();
    if (response.status === 200) return body.byteLength;
    if (!response.headers.has("retry-after")) throw new Error(`${response.status} ${Buffer.from(body).toString()}`);
    await Bun.sleep(50);
  }
}

/** The fields that every client here sends, so that a retry is the same request. */
const PLAIN = { accept: "*/*", "accept-encoding": "identity", "user-agent": "test" };

function plainHead({ path, header }: Bought): string {
  const fields = Object.entries({ ...PLAIN, "payment-signature": header });
  return `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

/** A client that has sent its request and has read nothing yet. */
async function startPlain(bought: Bought): Promise<Socket> {
  const socket = connect({ port: gateway.port, host: "127.0.0.1" });
  socket.on("error", () => {});
  socket.pause();
  await new Promise((resolve) => socket.once("connect", resolve));
  socket.write(plainHead(bought));
  return socket;
}

/** With the host of the HTTP/1.1 clients, so that the retry is the same request. */
function withHost(fields: HeaderList): HeaderList {
  return fields.map(([name, value]) => (name === ":authority" ? [name, "127.0.0.1"] : [name, value]));
}

async function startHttp2(bought: Bought): Promise<Socket> {
  const client = await Http2Client.ready(gateway.port);
  const fields = requestFields(bought.path, "GET", Object.entries({ ...PLAIN, "payment-signature": bought.header }));
  client.send(h2.frame(h2.HEADERS, h2.END_BOTH, 1, block(withHost(fields))));
  return client.socket;
}

async function upstreamRan(before: number): Promise<void> {
  await until(() => runs > before);
}

test("a client whose connection breaks again and again gets its response, and then a bounded number of repeats", async () => {
  const bought = buy("after", 4 * LARGE);
  let breaks = 0;
  while (breaks < 8) {
    const socket = await startPlain(bought);
    const [first] = (await once(socket.resume(), "data")) as [Buffer];
    // A 409 with Retry-After: the gateway does not know yet that the connection before has broken.
    if (first.toString("latin1").startsWith("HTTP/1.1 200")) breaks += 1;
    else await Bun.sleep(20);
    socket.resetAndDestroy();
  }
  expect(await again(bought)).toBe(4 * LARGE);
  await until(() => isDelivered(bought));
  const { repeats } = await recorded(bought);
  const rest = await Promise.allSettled(Array.from({ length: 20 }, () => again(bought)));
  expect(rest.filter(({ status }) => status === "fulfilled")).toHaveLength(3 - repeats);
  expect((await recorded(bought)).repeats).toBe(3);
});

test("a kept response that is read while the first request still has the lease is delivered, whatever happens to the first request", async () => {
  const bought = buy("after", 4 * LARGE);
  const before = runs;
  const socket = await startPlain(bought);
  await upstreamRan(before);
  await until(async () => (await recorded(bought)).state === "settled");
  expect(await again(bought)).toBe(4 * LARGE);
  await until(() => isDelivered(bought));
  socket.resetAndDestroy();
  await until(async () => (await recorded(bought)).cuts === 1);
  expect(await isDelivered(bought)).toBe(true);
  expect(runs).toBe(before + 1);
});

test.each(["HTTP/1.1", "HTTP/2"])(
  "%s: a response is undelivered if the client resets before its end, and the client gets it again",
  async (protocol) => {
    const bought = { ...buy("before", MIDDLE), path: `/held?${protocol}` };
    const before = asked.length;
    const client = protocol === "HTTP/2" ? await startHttp2(bought) : await startPlain(bought);
    let bytes = 0;
    client.on("data", (chunk) => (bytes += chunk.length)).resume();
    await until(() => asked.length > before);
    const upstream = asked.at(-1);
    upstream?.write(`${HELD_HEAD}${"x".repeat(HALF)}`);
    await until(() => bytes > HALF);
    // Both arrive while the gateway is stopped. When it continues, it writes to a closed connection before it notices.
    process.kill(gateway.pid, "SIGSTOP");
    await new Promise((resolve) => upstream?.write("x".repeat(MIDDLE - HALF), resolve));
    client.resetAndDestroy();
    process.kill(gateway.pid, "SIGCONT");
    await until(async () => (await recorded(bought)).cuts === 1);
    expect(await isDelivered(bought)).toBe(false);
    const retry = again(bought);
    await until(() => asked.length > before + 1);
    asked.at(-1)?.write(`${HELD_HEAD}${"x".repeat(MIDDLE)}`);
    expect(await retry).toBe(MIDDLE);
    await until(() => isDelivered(bought));
  },
);

test("HTTP/3: a response is undelivered if its client has vanished, and the client gets it again", async () => {
  const bought = { ...buy("before", 0), path: "/held?HTTP/3" };
  const before = asked.length;
  const client = await Http3Client.connect(quicPort);
  const fields = { ...PLAIN, ":authority": "127.0.0.1", "payment-signature": bought.header };
  const { response } = await client.open("GET", bought.path, fields);
  response.catch(() => {});
  await until(() => asked.length > before);
  // It sends nothing more, not even an end of its connection.
  client.close();
  const goods = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\ngoods";
  asked.at(-1)?.write(goods);
  const retry = again(bought);
  await until(() => asked.length > before + 1);
  asked.at(-1)?.write(goods);
  expect(await retry).toBe(5);
  await until(() => isDelivered(bought));
});

for (const settle of ["before", "after"] as const) {
  test(`HTTP/1.1, settle ${settle}: a response that was read is delivered`, async () => {
    const bought = buy(settle, MIDDLE);
    expect(await again(bought)).toBe(MIDDLE);
    await until(() => isDelivered(bought));
  });

  test(`HTTP/1.1, settle ${settle}: a response is undelivered if the client reads nothing and resets, and the client gets it again`, async () => {
    const bought = buy(settle, 4 * LARGE);
    const before = runs;
    const socket = await startPlain(bought);
    await upstreamRan(before);
    await until(async () => (await recorded(bought)).state === "settled");
    socket.resetAndDestroy();
    expect(await again(bought)).toBe(4 * LARGE);
    await until(() => isDelivered(bought));
  });

  test(`HTTP/1.1, settle ${settle}: a response to a slow reader is delivered when it is read, not when it is written`, async () => {
    // All of it fits into the buffers of both kernels, so the gateway has written it long before.
    const bought = buy(settle, LARGE);
    const before = runs;
    const socket = await startPlain(bought);
    await upstreamRan(before);
    await until(async () => (await recorded(bought)).state === "settled");
    await Bun.sleep(300);
    expect(await isDelivered(bought)).toBe(false);
    socket.resume();
    let bytes = 0;
    socket.on("data", (chunk) => (bytes += chunk.length));
    await until(() => bytes >= LARGE);
    await until(() => isDelivered(bought));
    socket.destroy();
  });

  test(`HTTP/1.1, settle ${settle}: a response is delivered if the client requests a close, reads and disconnects`, async () => {
    const bought = buy(settle, MIDDLE);
    const socket = connect({ port: gateway.port, host: "127.0.0.1" });
    socket.resume();
    socket.write(plainHead(bought).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    await new Promise((resolve) => socket.once("close", resolve));
    await until(() => isDelivered(bought));
  });

  test(`HTTP/2, settle ${settle}: a response is undelivered while the client's window is shut, whether it resets the stream or the connection`, async () => {
    for (const how of ["stream", "connection"] as const) {
      const bought = buy(settle, MIDDLE);
      const client = await Http2Client.ready(gateway.port, [h2.INITIAL_WINDOW_SIZE, 0]);
      const fields = requestFields(
        bought.path,
        "GET",
        Object.entries({ ...PLAIN, "payment-signature": bought.header }),
      );
      client.send(h2.frame(h2.HEADERS, h2.END_BOTH, 1, block(withHost(fields))));
      await client.sees("the head", ({ type }) => type === h2.HEADERS);
      await client.fence();
      expect(client.received(1)).toBe(0);
      expect(await isDelivered(bought)).toBe(false);
      if (how === "stream") client.send(h2.reset(1));
      else client.socket.resetAndDestroy();
      expect(await again(bought)).toBe(MIDDLE);
      await until(() => isDelivered(bought));
      client.destroy();
    }
  });

  test(`HTTP/2, settle ${settle}: with a window that opens in small steps, a response is delivered at the last one`, async () => {
    const bought = buy(settle, MIDDLE);
    const client = await Http2Client.ready(gateway.port, [h2.INITIAL_WINDOW_SIZE, 0]);
    const fields = requestFields(bought.path, "GET", Object.entries({ ...PLAIN, "payment-signature": bought.header }));
    client.send(h2.frame(h2.HEADERS, h2.END_BOTH, 1, block(fields)));
    await client.sees("the head", ({ type }) => type === h2.HEADERS);
    client.send(h2.windowUpdate(1, MIDDLE - 1));
    await until(() => client.received(1) === MIDDLE - 1);
    await Bun.sleep(200);
    expect(await isDelivered(bought)).toBe(false);
    client.send(h2.windowUpdate(1, 1));
    expect((await client.response(1)).body.length).toBe(MIDDLE);
    await until(() => isDelivered(bought));
    client.destroy();
  });

  test(`HTTP/3, settle ${settle}: a response that was read is delivered`, async () => {
    const bought = buy(settle, LARGE);
    const client = await Http3Client.connect(quicPort);
    const { body } = await client.request("GET", bought.path, undefined, {
      ...PLAIN,
      "payment-signature": bought.header,
    });
    expect(body.length).toBe(LARGE);
    await until(() => isDelivered(bought));
    client.close();
  });

  test.skipIf(!hasDeno)(
    `HTTP/3, settle ${settle}: a response is undelivered if the client does not read, and the client gets it again`,
    async () => {
      const bought = buy(settle, LARGE);
      const fields = Object.entries({ ...PLAIN, "payment-signature": bought.header });
      const head = headersFrame([
        [":method", "GET"],
        [":scheme", "https"],
        [":authority", "127.0.0.1"],
        [":path", bought.path],
        ...fields,
      ]);
      const steps = [
        { kind: "uni", hex: hex([0, ...SETTINGS]), fin: false },
        { kind: "bidi", hex: hex(head), fin: true, unread: true },
      ] as const;
      const played = playRaw(quicPort, [{ steps, waitForClose: true }]);
      await until(async () => (await recorded(bought).catch(() => undefined))?.state === "settled");
      expect(await isDelivered(bought)).toBe(false);
      await played;
      expect(await again(bought)).toBe(LARGE);
      await until(() => isDelivered(bought));
    },
  );
}
