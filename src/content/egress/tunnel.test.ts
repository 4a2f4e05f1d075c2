import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { freePort } from "../../lib/testing/listen.ts";
import { patient } from "../../lib/testing/patience.ts";
import { watchTimers } from "../../lib/testing/timers.ts";
import { EGRESS_LIMITS } from "./limits.ts";
import { type OwnProxy } from "./own-proxy.ts";
import { openTunnel } from "./tunnel.ts";

setDefaultTimeout(patient(10_000));

const closing: (() => unknown)[] = [];
afterEach(() => {
  for (const close of closing.splice(0).toReversed()) close();
});

/** Expects bytes, and sends a response. Both are in hexadecimal or text. */
type Step = readonly [expected: string, reply: string];

const bytesOf = (text: string): Buffer =>
  /^[\da-f ]+$/.test(text) ? Buffer.from(text.replaceAll(" ", ""), "hex") : Buffer.from(text);

/** A proxy that plays one script per connection. A reply goes out byte by byte, or as a whole. Unexpected bytes end it. */
async function scripted(scripts: readonly (readonly Step[])[], inBytes = false) {
  const got: string[] = [];
  const left = [...scripts];
  const server = createServer((client: Socket) => {
    closing.push(() => client.destroy());
    client.setNoDelay(true).on("error", () => client.destroy());
    const steps = [...(left.shift() ?? [])];
    let received: Buffer = Buffer.alloc(0);
    client.on("data", (chunk) => {
      received = Buffer.concat([received, chunk]);
      const [step] = steps;
      if (step === undefined) return;
      const expected = bytesOf(step[0]);
      if (received.length < expected.length) return;
      if (!received.subarray(0, expected.length).equals(expected)) got.push(received.toString("latin1"));
      received = received.subarray(expected.length);
      steps.shift();
      void reply(client, bytesOf(step[1]), inBytes ? 1 : step[1].length);
    });
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", resolve);
  await promise;
  closing.push(() => server.close());
  // A server that listens on TCP has an address.
  return { port: (server.address() as AddressInfo).port, got, left };
}

async function reply(client: Socket, bytes: Buffer, size: number): Promise<void> {
  for (let at = 0; at < bytes.length; at += size) {
    client.write(bytes.subarray(at, at + size));
    await new Promise(setImmediate);
  }
  if (bytes.length === 0) client.destroy();
}

interface Opening {
  readonly protocol: OwnProxy["protocol"];
  readonly user?: OwnProxy["user"];
  readonly to?: readonly string[];
  readonly inBytes?: boolean;
}

/** The result of an attempt: the failure, or the first bytes from the server behind the proxy. */
async function opened(scripts: readonly (readonly Step[])[], { protocol, user, to = ["192.0.2.7"], inBytes }: Opening) {
  const { port, got, left } = await scripted(scripts, inBytes);
  const proxy = { protocol, host: "127.0.0.1", port, user, isTrusted: true };
  const socket = await openTunnel({ proxy, addresses: ["127.0.0.1"] }, { addresses: to, port: 443 });
  const result = typeof socket === "string" ? socket : await firstBytes(socket);
  expect(got).toEqual([]);
  return { result, unused: left.length };
}

async function firstBytes(socket: Socket): Promise<string> {
  closing.push(() => socket.destroy());
  const { promise, resolve } = Promise.withResolvers<string>();
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk.toString();
    if (text.length >= 2) resolve(text);
  });
  socket.on("close", () => resolve(`${text} closed`));
  socket.resume();
  return await promise;
}

const HELLO: Step = ["05 01 00", "05 00"];
const HELLO_LOGIN: Step = ["05 02 00 02", "05 02"];
const LOGIN: Step = ["01 01 75 03 70 61 73", "01 00"];
const TO_IPV4 = "05 01 00 01 c0 00 02 07 01 bb";
/** The proxy's own address in a reply, and the first bytes of the server. */
const BOUND = "01 7f 00 00 01 1f 90";
const user = { name: "u", password: "pas" };

test.each([false, true])(
  "a SOCKS proxy connects to an address, whatever address its reply has (byte by byte: %p)",
  async (inBytes) => {
    for (const bound of [BOUND, "03 02 6f 6b 1f 90", `04 ${"00".repeat(16)} 1f 90`]) {
      const steps: Step[] = [HELLO, [TO_IPV4, `05 00 00 ${bound} 68 69`]];
      expect(await opened([steps], { protocol: "socks5", inBytes })).toEqual({ result: "hi", unused: 0 });
    }
  },
);

test("a SOCKS proxy gets an address of version 6 in bytes", async () => {
  for (const [address, bytes] of [
    ["2001:db8::1:2", `20010db8${"00".repeat(8)}00010002`],
    ["::1", `${"00".repeat(15)}01`],
    ["1:2:3:4:5:6:7:a0b", "00010002000300040005000600070a0b"],
    ["fe80::1%eth0", `fe80${"00".repeat(13)}01`],
  ] as const) {
    const steps: Step[] = [HELLO, [`05 01 00 04 ${bytes} 01 bb`, `05 00 00 ${BOUND} 68 69`]];
    expect((await opened([steps], { protocol: "socks5", to: [address] })).result).toBe("hi");
  }
});

test.each([
  [
    "wants no name after all",
    [
      ["05 02 00 02", "05 00"],
      [TO_IPV4, `05 00 00 ${BOUND} 68 69`],
    ],
    "hi",
  ],
  ["accepts the name and the password", [HELLO_LOGIN, LOGIN, [TO_IPV4, `05 00 00 ${BOUND} 68 69`]], "hi"],
  ["refuses the name or the password", [HELLO_LOGIN, [LOGIN[0], "01 01"]], "proxy-login"],
  ["wants a method that the client does not know", [["05 02 00 02", "05 ff"]], "proxy-login"],
  ["speaks another version", [["05 02 00 02", "04 00"]], "proxy"],
  ["cannot connect", [HELLO_LOGIN, LOGIN, [TO_IPV4, `05 05 00 ${BOUND}`]], "proxy"],
  ["closes in the middle of a reply", [["05 02 00 02", ""]], "proxy"],
] as const)("a SOCKS proxy that %s", async (_what, steps, result) => {
  expect((await opened([steps], { protocol: "socks5", user })).result).toBe(result);
});

test("a SOCKS proxy that wants a name gets none from a caller without one, and no name beyond the limit of the protocol", async () => {
  expect((await opened([[["05 01 00", "05 02"]]], { protocol: "socks5" })).result).toBe("proxy-login");
  for (const long of [
    { ...user, name: "n".repeat(256) },
    { ...user, password: "p".repeat(256) },
  ]) {
    expect((await opened([[HELLO_LOGIN]], { protocol: "socks5", user: long })).result).toBe("proxy-login");
  }
  const [name, password] = ["n".repeat(255), "p".repeat(255)];
  const login: Step = [
    `01 ff ${Buffer.from(name).toString("hex")} ff ${Buffer.from(password).toString("hex")}`,
    "01 00",
  ];
  const steps: Step[] = [HELLO_LOGIN, login, [TO_IPV4, `05 00 00 ${BOUND} 68 69`]];
  expect((await opened([steps], { protocol: "socks5", user: { name, password } })).result).toBe("hi");
});

const CONNECT = "CONNECT 192.0.2.7:443 HTTP/1.1\r\nHost: 192.0.2.7:443\r\n";

test.each([
  ["connects", undefined, [`${CONNECT}\r\n`, "HTTP/1.1 200 OK\r\n\r\nhi"], "hi"],
  ["connects with another status of success", undefined, [`${CONNECT}\r\n`, "HTTP/1.1 299 OK\n\nhi"], "hi"],
  ["gets the name", user, [`${CONNECT}Proxy-Authorization: Basic dTpwYXM=\r\n\r\n`, "HTTP/1.1 200 OK\r\n\r\nhi"], "hi"],
  [
    "refuses the name",
    user,
    [`${CONNECT}Proxy-Authorization: Basic dTpwYXM=\r\n\r\n`, "HTTP/1.1 407 No\r\n\r\n"],
    "proxy-login",
  ],
  ["redirects", undefined, [`${CONNECT}\r\n`, "HTTP/1.1 300 No\r\n\r\n"], "proxy"],
  ["sends an interim response", undefined, [`${CONNECT}\r\n`, "HTTP/1.1 199 No\r\n\r\n"], "proxy"],
  ["speaks another protocol", undefined, [`${CONNECT}\r\n`, "SSH-2.0\r\n\r\n"], "proxy"],
] as const)("an HTTP proxy that %s", async (_what, login, step, result) => {
  expect((await opened([[step]], { protocol: "http", user: login })).result).toBe(result);
});

/** A proxy that cannot connect to this address and port. */
const refusing = (text: string): Step => [
  `CONNECT ${text} HTTP/1.1\r\nHost: ${text}\r\n\r\n`,
  "HTTP/1.1 502 No\r\n\r\n",
];

test("addresses of version 4 are tried first, three in all, and none after a refused name", async () => {
  const all = { protocol: "http", to: ["2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2"] } as const;
  const scripts = [
    [refusing("192.0.2.1:443")],
    [refusing("192.0.2.2:443")],
    [refusing("[2001:db8::1]:443")],
    [refusing("[2001:db8::2]:443")],
  ];
  expect(await opened(scripts, all)).toEqual({ result: "proxy", unused: 1 });
  const login: Step = [refusing("192.0.2.1:443")[0], "HTTP/1.1 407 No\r\n\r\n"];
  expect(await opened([[login], [refusing("192.0.2.2:443")]], all)).toEqual({ result: "proxy-login", unused: 1 });
});

test.each(["http", "socks5"] as const)("a proxy of %s that accepts no connections", async (protocol) => {
  const port = await freePort();
  const route = { proxy: { protocol, host: "127.0.0.1", port, user, isTrusted: true }, addresses: ["127.0.0.1"] };
  expect(await openTunnel(route, { addresses: ["192.0.2.7", "192.0.2.8"], port: 443 })).toBe("proxy");
});

test("an attempt ends with its visit and not with its time, and nothing is tried after it", async () => {
  using timers = watchTimers((ms) => (ms === EGRESS_LIMITS.connectMs ? 3_600_000 : ms));
  const { port, left } = await scripted([[], []]);
  const proxy = { protocol: "socks5", host: "127.0.0.1", port, user: undefined, isTrusted: true } as const;
  const ended = new AbortController();
  const route = { proxy, addresses: ["127.0.0.1"] };
  const to = { addresses: ["192.0.2.7", "192.0.2.8"], port: 443 };
  const attempt = openTunnel(route, to, ended.signal);
  while (left.length === 2) await new Promise(setImmediate);
  expect(timers.pending(EGRESS_LIMITS.connectMs)).toBe(1);
  ended.abort();
  expect(await attempt).toBe("proxy");
  expect(timers.pending(EGRESS_LIMITS.connectMs)).toBe(0);
  expect(await openTunnel(route, to, ended.signal)).toBe("proxy");
  expect(await openTunnel({ ...route, addresses: [] }, to)).toBe("proxy");
  expect(left.length).toBe(1);
});

test("a tunnel that is open does not end with the signal of its attempt", async () => {
  const { port } = await scripted([[HELLO, [TO_IPV4, `05 00 00 ${BOUND} 68 69`]]]);
  const proxy = { protocol: "socks5", host: "127.0.0.1", port, user: undefined, isTrusted: true } as const;
  const ended = new AbortController();
  const to = { addresses: ["192.0.2.7"], port: 443 };
  const socket = await openTunnel({ proxy, addresses: ["127.0.0.1"] }, to, ended.signal);
  if (typeof socket === "string") throw new Error(socket);
  ended.abort();
  expect([socket.destroyed, await firstBytes(socket)]).toEqual([false, "hi"]);
});
