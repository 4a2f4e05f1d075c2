import { afterEach, describe, expect, jest, test } from "bun:test";
import { TurnpikeError } from "../../lib/errors.ts";
import { PageExcess } from "./page-excess.ts";
import { ANYWHERE, egressError, type EgressOptions, EgressSession, PUBLIC_WEB } from "./guard.ts";
import { EGRESS_LIMITS } from "./limits.ts";
import { portOf } from "../../lib/http/url-host.ts";

const ADDRESS = ["192.0.2.1"];

/** A session in which all names have one address, and the names that were looked up. */
function sessionOf(options: Partial<EgressOptions> = {}): { session: EgressSession; looked: string[] } {
  const looked: string[] = [];
  const resolve = async (host: string) => {
    looked.push(host);
    return ADDRESS;
  };
  return { session: new EgressSession({ policy: ANYWHERE, resolve, ...options }), looked };
}

afterEach(() => {
  jest.useRealTimers();
});

/** Lets the handlers of settled promises run. */
async function settle(): Promise<void> {
  for (let n = 0; n < 20; n += 1) await Promise.resolve();
}

describe("limits of a visit are exact", () => {
  test("as they are documented", () => {
    expect(EGRESS_LIMITS).toEqual({
      receivedBytes: 67_108_864,
      hosts: 500,
      failures: 1_000,
      requests: 2_000,
      connections: 128,
      resolveMs: 10_000,
      connectMs: 10_000,
    });
  });

  test("requests, and the excess at twice as many", () => {
    const excess: Error[] = [];
    const { session } = sessionOf({ onExcess: (error) => excess.push(error) });
    for (let n = 0; n < EGRESS_LIMITS.requests; n += 1) expect(session.request()).toBe(true);
    expect(session.tooMuch).toBe(false);
    for (let n = 0; n < EGRESS_LIMITS.requests; n += 1) expect(session.request()).toBe(false);
    expect([session.tooMuch, excess.length]).toEqual([true, 0]);
    expect(session.request()).toBe(false);
    expect(excess).toEqual([expect.any(PageExcess)]);
  });

  test("received bytes", async () => {
    const { session, looked } = sessionOf();
    expect(session.receive(EGRESS_LIMITS.receivedBytes - 1)).toBe(true);
    expect(session.receive(1)).toBe(true);
    expect(await session.addressesOf("a.test", 80)).toEqual(ADDRESS);
    expect(session.receive(1)).toBe(false);
    expect(await session.addressesOf("a.test", 80)).toBe("too-much");
    expect(await session.addressesOf("b.test", 80)).toBe("too-much");
    expect(looked).toEqual(["a.test"]);
  });

  test("host names, of which each is looked up once", async () => {
    const { session, looked } = sessionOf();
    for (let n = 0; n < EGRESS_LIMITS.hosts; n += 1) {
      expect(await session.addressesOf(`h${n}.test`, 80)).toEqual(ADDRESS);
    }
    expect(await session.addressesOf("one-more.test", 80)).toBe("too-much");
    expect(await session.addressesOf("h0.test", 443)).toEqual(ADDRESS);
    expect(looked).toHaveLength(EGRESS_LIMITS.hosts);
  });

  test("the length of a name", async () => {
    const { session, looked } = sessionOf();
    const longest = `${"a".repeat(253)}.`;
    expect(await session.addressesOf(longest, 80)).toEqual(ADDRESS);
    expect(await session.addressesOf(`a${longest}`, 80)).toBe("unresolved");
    expect(looked).toEqual([longest]);
  });

  test("failures that are remembered", () => {
    const { session } = sessionOf();
    for (let n = 0; n < EGRESS_LIMITS.failures; n += 1) session.fail(`h${n}.test`, 80, "refused");
    expect(session.failureOf("h0.test", 80)).toBe("refused");
    session.fail("one-more.test", 80, "blocked");
    expect(session.failureOf("h0.test", 80)).toBeUndefined();
    expect(session.failureOf("h1.test", 80)).toBe("refused");
    expect(session.lastFailure).toBe("blocked");
  });

  test("the time of a look-up", async () => {
    jest.useFakeTimers();
    const { session } = sessionOf({ resolve: () => Promise.withResolvers<readonly string[]>().promise });
    let found: unknown = "waiting";
    void session.addressesOf("slow.test", 80).then((it) => (found = it));
    await settle();
    jest.advanceTimersByTime(EGRESS_LIMITS.resolveMs - 1);
    await settle();
    expect(found).toBe("waiting");
    jest.advanceTimersByTime(1);
    await settle();
    expect(found).toBe("unresolved");
  });
});

describe("a host", () => {
  test("is known by its name in any case and with brackets, and by its port", () => {
    const { session } = sessionOf();
    expect(session.lastFailure).toBeUndefined();
    session.fail("A.test", 80, "refused");
    session.fail("[::1]", 80, "blocked");
    expect(session.failureOf("a.TEST", 80)).toBe("refused");
    expect([session.failureOf("a.test", 81), session.failureOf("b.test", 80)]).toEqual([undefined, undefined]);
    expect(session.failureOf("::1", 80)).toBe("blocked");
  });

  test.each([
    ["localhost", ["127.0.0.1", "::1"]],
    ["LocalHost.", ["127.0.0.1", "::1"]],
    ["a.localhost", ["127.0.0.1", "::1"]],
    ["192.0.2.7", ["192.0.2.7"]],
    ["[2001:db8::1]", ["2001:db8::1"]],
  ])("%s is looked up nowhere", async (host, addresses) => {
    const { session, looked } = sessionOf();
    expect(await session.addressesOf(host, 80)).toEqual(addresses);
    expect(looked).toEqual([]);
  });

  test.each(["notlocalhost", "localhost.test", "[a.test", "a.test]"])("%s is looked up", async (host) => {
    const { session, looked } = sessionOf();
    expect(await session.addressesOf(host, 80)).toEqual(ADDRESS);
    expect(looked).toEqual([host]);
  });

  test("whose look-up fails has no address, and is not looked up again", async () => {
    const { session } = sessionOf({ resolve: () => Promise.reject(new Error("no DNS")) });
    expect(await session.addressesOf("a.test", 80)).toBe("unresolved");
    expect(session.failureOf("a.test", 80)).toBe("unresolved");
  });

  test("that can be reached leaves no failure", async () => {
    const { session } = sessionOf();
    await session.assertReachable(new URL("http://a.test/"));
    expect(session.lastFailure).toBeUndefined();
  });

  test("is refused as soon as one of its addresses is", async () => {
    const refused = new Set<string>();
    const policy = { allowsAddress: (address: string) => !refused.has(address), allowsPort: () => true };
    const { session } = sessionOf({ policy, resolve: async () => ["192.0.2.1", "192.0.2.2"] });
    expect(await session.addressesOf("a.test", 80)).toEqual(["192.0.2.1", "192.0.2.2"]);
    refused.add("192.0.2.2");
    expect(await session.addressesOf("a.test", 80)).toBe("refused");
  });

  test("of a port that is not allowed is not looked up", async () => {
    const { session, looked } = sessionOf({ policy: { ...ANYWHERE, allowsPort: (port) => port === 81 } });
    expect(await session.addressesOf("a.test", 80)).toBe("refused");
    expect(await session.addressesOf("a.test", 81)).toEqual(ADDRESS);
    expect(looked).toEqual(["a.test"]);
  });

  test("is looked up by the system, unless the visit has its own resolver", async () => {
    const session = new EgressSession({ policy: ANYWHERE });
    expect(await session.addressesOf("name.invalid", 80)).toBe("unresolved");
    // Only the system's resolver knows this form of an address.
    expect(await session.addressesOf("127.1", 80)).toEqual(["127.0.0.1"]);
  });
});

test.each([
  ["http://a.test/", 80],
  ["https://a.test/", 443],
  ["http://a.test:81/", 81],
  ["https://a.test:80/", 80],
])("the port of %s is %d, and its policy decides", async (url, port) => {
  expect(portOf(new URL(url))).toBe(port);
  const asked: number[] = [];
  const allowsPort = (it: number) => asked.push(it) > 0;
  await sessionOf({ policy: { ...ANYWHERE, allowsPort } }).session.assertReachable(new URL(url));
  expect(asked).toEqual([port]);
});

test("the public web is at two ports of public addresses", () => {
  const ports = [79, 80, 81, 442, 443, 444, 8080];
  expect(ports.filter((port) => PUBLIC_WEB.allowsPort(port))).toEqual([80, 443]);
  expect(["127.0.0.1", "10.0.0.1", "1.1.1.1"].map((address) => PUBLIC_WEB.allowsAddress(address))).toEqual([
    false,
    false,
    true,
  ]);
});

test.each([
  ["refused", "address-refused"],
  ["blocked", "page-failed"],
  ["unresolved", "page-failed"],
  ["unreachable", "page-failed"],
  ["too-much", "page-failed"],
] as const)("an error of a visit whose host is %s is %s", async (failure, code) => {
  const error = egressError(failure);
  expect([error.code, error instanceof TurnpikeError, error instanceof PageExcess]).toEqual([
    code,
    true,
    failure === "too-much",
  ]);
});

test("a page that cannot be reached fails with the reason", async () => {
  const { session } = sessionOf({ policy: { ...ANYWHERE, allowsAddress: () => false } });
  expect(session.assertReachable(new URL("http://a.test/"))).rejects.toMatchObject({ code: "address-refused" });
});

test("a page whose proxy cannot be used fails with the reason, and is not looked up", async () => {
  const proxy = { protocol: "http", host: "192.0.2.9", port: 22, user: undefined, isTrusted: false } as const;
  const policy = { ...ANYWHERE, allowsPort: (port: number) => port === 80 };
  const { session, looked } = sessionOf({ policy, proxy });
  expect(session.assertReachable(new URL("http://a.test/"))).rejects.toMatchObject({
    message: egressError("proxy-refused").message,
  });
  expect(looked).toEqual([]);
});

test("a proxy is bound to a visit, and closed with it or at once after it", () => {
  const did: string[] = [];
  const proxyOf = (name: string) => ({
    port: 1,
    bind: (rules: unknown) => did.push(`${name} bound ${rules === session}`),
    close: () => did.push(`${name} closed`),
  });
  const { session } = sessionOf();
  session.adopt(proxyOf("first"));
  expect(did).toEqual(["first bound true"]);
  session.close();
  expect(did).toEqual(["first bound true", "first closed"]);
  session.adopt(proxyOf("late"));
  expect(did).toEqual(["first bound true", "first closed", "late closed"]);
});

/** Ports from 1024 on of "bad ports" in the Fetch standard (§2.9), as ranges. */
const BAD_PORTS = "1719-1720 1723 2049 3659 4045 4190 5060-5061 6000 6566 6665-6669 6679 6697 10080".split(" ");

test("a caller's proxy is at a port that is not one of the system, or of another protocol", async () => {
  const bad = BAD_PORTS.flatMap((range) => {
    const [first = 0, last = first] = range.split("-").map(Number);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  });
  const policy = { ...ANYWHERE, allowsPort: (port: number) => port === 443 };
  const routed = async (port: number, isTrusted = false) => {
    const proxy = { protocol: "http", host: "proxy.test", port, user: undefined, isTrusted } as const;
    return await sessionOf({ policy, proxy }).session.route();
  };
  const near = new Set(bad.flatMap((port) => [port - 1, port, port + 1]));
  for (const port of [...near, 22, 443, 1023, 1024, 65_535]) {
    const isRefused = bad.includes(port) || (port < 1024 && port !== 443);
    expect([port, typeof (await routed(port))]).toEqual([port, isRefused ? "string" : "object"]);
    expect(await routed(port, true)).toMatchObject({ addresses: ADDRESS });
  }
  expect(await routed(22)).toBe("proxy-refused");
});

/** The route of a visit by a proxy whose name has these addresses, asked for twice. */
const routedTo = async (addresses: readonly string[], isTrusted: boolean) => {
  const proxy = { protocol: "http", host: "[proxy.test]", port: 3128, user: undefined, isTrusted } as const;
  const policy = { ...ANYWHERE, allowsAddress: (address: string) => address !== "10.0.0.1" };
  const session = new EgressSession({ policy, proxy, resolve: async () => addresses });
  return [await session.route(), await session.route()];
};

test("a caller's proxy has a name with addresses, all of which pages may have; an operator's may be private", async () => {
  expect(await routedTo([], true)).toEqual(["proxy-unresolved", "proxy-unresolved"]);
  expect(await routedTo(["192.0.2.1", "10.0.0.1"], false)).toEqual(["proxy-refused", "proxy-refused"]);
  expect((await routedTo(["10.0.0.1"], true))[1]).toMatchObject({ addresses: ["10.0.0.1"] });
  expect((await routedTo(ADDRESS, false))[1]).toMatchObject({ addresses: ADDRESS });
  expect(await sessionOf().session.route()).toBeUndefined();
});
