import { describe, expect, test } from "bun:test";
import { type Client, ClientShares } from "./client-shares.ts";

const clientOf = (address: string, session?: object): Client => ({
  clientAddress: address,
  peerAddress: address,
  session,
});

/** Takes as many as the client may have. Returns how many it took. */
function takeAll(shares: ClientShares<string>, client: Client): number {
  const share = shares.of(client);
  let taken = 0;
  while (share.allowance > 0) {
    share.take();
    taken++;
  }
  return taken;
}

const sharesOf = (percent: number, capacity: number): ClientShares<string> =>
  new ClientShares(percent / 100, () => capacity);

describe("the most that one client may hold", () => {
  test.each([
    [80, 64, 52],
    [80, 5, 4],
    [80, 4, 4],
    [80, 1, 1],
    [50, 64, 32],
    [100, 64, 64],
    [1, 64, 1],
  ])("is %d percent of %d: %d", (percent, capacity, most) => {
    expect(takeAll(sharesOf(percent, capacity), clientOf("1.1.1.1"))).toBe(most);
  });

  test("leaves something for each of several others", () => {
    const shares = sharesOf(80, 64);
    const taken = ["1.1.1.1", "2.2.2.2", "3.3.3.3"].map((address) => takeAll(shares, clientOf(address)));
    expect(taken).toEqual([52, 10, 2]);
  });

  test("is half of that for one connection", () => {
    const shares = sharesOf(80, 64);
    expect(takeAll(shares, clientOf("1.1.1.1", {}))).toBe(32);
    expect(takeAll(shares, clientOf("1.1.1.1", {}))).toBe(16);
    expect(takeAll(shares, clientOf("1.1.1.1"))).toBe(4);
  });

  test("is counted by address if a proxy's connection carries several clients", () => {
    const shares = sharesOf(80, 64);
    const session = {};
    const one = { clientAddress: "1.1.1.1", peerAddress: "9.9.9.9", session };
    expect(shares.of(one)).toBe(shares.of({ ...one, session: {} }));
    expect(shares.of(one)).not.toBe(shares.of({ ...one, clientAddress: "2.2.2.2" }));
  });

  test("is that of a /64 for IPv6", () => {
    const shares = sharesOf(80, 64);
    expect(shares.of(clientOf("2001:db8::1"))).toBe(shares.of(clientOf("2001:db8::ffff:2")));
    expect(shares.of(clientOf("2001:db8::1"))).not.toBe(shares.of(clientOf("2001:db8:0:1::1")));
  });

  test("grows again when requests end", () => {
    const shares = sharesOf(80, 64);
    takeAll(shares, clientOf("1.1.1.1"));
    const share = shares.of(clientOf("1.1.1.1"));
    share.give();
    expect([share.allowance, shares.held]).toEqual([1, 51]);
  });
});

describe("a client that waits", () => {
  test("has its turn, however many requests of others wait", () => {
    const shares = sharesOf(80, 64);
    const [many, one] = [shares.of(clientOf("1.1.1.1")), shares.of(clientOf("2.2.2.2"))];
    for (const waiter of ["a", "b", "c"]) shares.enqueue(many, waiter, 100);
    shares.enqueue(one, "d", 100);
    expect([shares.next(), shares.next(), shares.next(), shares.next(), shares.next()]).toEqual([
      "a",
      "d",
      "b",
      "c",
      undefined,
    ]);
  });

  test("is passed over while it holds its part", () => {
    const shares = sharesOf(80, 5);
    const [full, other] = [shares.of(clientOf("1.1.1.1")), shares.of(clientOf("2.2.2.2"))];
    takeAll(shares, clientOf("1.1.1.1"));
    shares.enqueue(full, "a", 100);
    shares.enqueue(other, "b", 100);
    expect([shares.wanted(9), shares.next(), shares.next()]).toEqual([1, "b", undefined]);
    full.give();
    expect(shares.next()).toBe("a");
  });

  test("is refused if it has its part of the queue, while others are accepted", () => {
    const shares = sharesOf(80, 64);
    const many = shares.of(clientOf("1.1.1.1"));
    let count = 0;
    while (shares.enqueue(many, "a", 100)) count++;
    expect(count).toBe(80);
    expect(shares.enqueue(shares.of(clientOf("2.2.2.2")), "b", 100)).toBe(true);
  });

  test("can leave, once", () => {
    const shares = sharesOf(80, 64);
    const share = shares.of(clientOf("1.1.1.1"));
    shares.enqueue(share, "a", 100);
    expect([shares.remove(share, "a"), shares.remove(share, "a"), shares.waiting]).toEqual([true, false, 0]);
    expect(shares.next()).toBeUndefined();
  });
});

test("if there are many clients, those that hold nothing are forgotten, and the others are not", () => {
  const shares = sharesOf(80, 64);
  const busy = shares.of(clientOf("1.1.1.1"));
  busy.take();
  const idle = shares.of(clientOf("2.2.2.2"));
  const session = {};
  const early = shares.of(clientOf("2.2.2.2", session));
  for (let i = 0; i < 2000; i++) shares.of(clientOf(`10.0.${i >> 8}.${i & 255}`));
  expect(shares.of(clientOf("1.1.1.1"))).toBe(busy);
  expect(shares.of(clientOf("2.2.2.2"))).not.toBe(idle);
  expect(shares.of(clientOf("2.2.2.2", session))).not.toBe(early);
});
