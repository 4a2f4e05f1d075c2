import { describe, expect, test } from "bun:test";
import { Upstream } from "../upstream/upstream.ts";
import { createTrafficSplit, type Splittable, type Sticky, type Weighted } from "./split.ts";

type WeightedUpstream = Weighted<Upstream>;

const REQUESTS = 10_000;

/** Upstreams named a, b, c, … with these weights. */
function upstreams(...weights: number[]): WeightedUpstream[] {
  return weights.map((weight, at) => {
    const key = String.fromCharCode(0x61 + at);
    return { key, choice: upstreamNamed(key), weight };
  });
}

function upstreamNamed(name: string): Upstream {
  return new Upstream({ name, balancing: "round_robin", scheme: "http" }, () => {
    throw new Error("it has no servers");
  });
}

function request(fields = "", scheme: "http" | "https" = "http"): Splittable {
  return { head: { fields, scheme }, addedFields: "" };
}

/** The names of the upstreams that the requests go to, in order. */
function names(
  list: readonly WeightedUpstream[],
  requests: readonly Splittable[],
  sticky?: Sticky,
  random = () => 0.3,
): string[] {
  const split = createTrafficSplit(list, sticky, random);
  return requests.map((asked) => split?.choose(asked).name ?? "");
}

function plain(count = REQUESTS): Splittable[] {
  return Array.from({ length: count }, () => request());
}

function countOf(list: readonly string[], name: string): number {
  return list.filter((item) => item === name).length;
}

/** The cookie value that a request without one receives. */
function given(asked: Splittable): string {
  return /^Set-Cookie: share=([^;]*);/.exec(asked.addedFields)?.[1] ?? "";
}

test("without upstreams there is no split", () => {
  expect(createTrafficSplit([], undefined)).toBeUndefined();
});

describe("requests without a sticky key", () => {
  test.each([[[1, 1]], [[9, 1]], [[99, 1]], [[999, 1]], [[1_000_000, 1, 1]], [[5, 3, 2]], [[1, 2, 3, 4, 5, 6]]])(
    "are shared to within six of what the weights %j say, wherever a worker begins",
    (weights) => {
      const total = weights.reduce((sum, weight) => sum + weight, 0);
      for (const start of [0, 0.25, 0.618, 0.999]) {
        const found = names(upstreams(...weights), plain(), undefined, () => start);
        for (const [at, weight] of weights.entries()) {
          const expected = (REQUESTS * weight) / total;
          expect(Math.abs(countOf(found, String.fromCharCode(0x61 + at)) - expected)).toBeLessThan(6);
        }
      }
    },
  );

  test("alternate evenly: any hundred in a row have their weights", () => {
    const found = names(upstreams(8, 2), plain());
    for (let from = 0; from + 100 <= REQUESTS; from += 7) {
      const rare = countOf(found.slice(from, from + 100), "b");
      expect(rare).toBeGreaterThanOrEqual(18);
      expect(rare).toBeLessThanOrEqual(22);
    }
    expect(found.join("")).not.toContain("bb");
  });

  test("never go to an upstream of weight 0", () => {
    expect(countOf(names(upstreams(0, 1, 0), plain()), "b")).toBe(REQUESTS);
  });

  test("start at different points in different workers", () => {
    const first = Array.from({ length: 1000 }, () => names(upstreams(1, 1), plain(1), undefined, Math.random)[0] ?? "");
    // Six standard deviations: it fails by chance once in about 500 million runs.
    expect(Math.abs(countOf(first, "a") - 500)).toBeLessThan(95);
  });
});

describe("requests with the sticky header", () => {
  const sticky = { header: "X-User" };
  const users = Array.from({ length: REQUESTS }, (_, at) => request(`Accept: */*\r\nx-user: user-${at}\r\n`));

  test("go to the same upstream in every worker, in whatever order the upstreams are listed", () => {
    const before = names(upstreams(3, 1), users, sticky);
    expect(names(upstreams(3, 1).toReversed(), users, sticky, () => 0.9)).toEqual(before);
    expect(before.slice(0, 40)).toContain("b");
  });

  test("are spread by weight", () => {
    const found = names(upstreams(7, 2, 1), users, sticky);
    for (const [name, expected] of [
      ["a", 7000],
      ["b", 2000],
      ["c", 1000],
    ] as const) {
      // Six standard deviations of the most even share.
      expect(Math.abs(countOf(found, name) - expected)).toBeLessThan(280);
    }
  });

  test("move only to the upstream whose weight grows, and only as many as it gains", () => {
    const before = names(upstreams(9, 1), users, sticky);
    const after = names(upstreams(8, 2), users, sticky);
    const moved = before.filter((name, at) => name !== after[at]);
    expect(new Set(moved)).toEqual(new Set(["a"]));
    expect(Math.abs(moved.length - 1000)).toBeLessThan(200);
  });

  test("treat an upstream that is listed twice as one", () => {
    const [a, b] = upstreams(1, 2) as [WeightedUpstream, WeightedUpstream];
    const twice = names([a, { ...b, weight: 1 }, { ...b, weight: 1 }], users, sticky);
    expect(twice).toEqual(names([a, b], users, sticky));
  });

  test("without a value are spread like requests without the header", () => {
    const empty = Array.from({ length: REQUESTS }, (_, at) => request(at % 2 === 0 ? "" : "X-User: \r\n"));
    expect(countOf(names(upstreams(1, 1), empty, sticky), "a")).toBe(REQUESTS / 2);
  });
});

describe("requests with the sticky cookie", () => {
  const sticky = { cookie: { name: "share", maxAgeS: 60, path: "/shop" } };

  test("receive it first, with the route's path, and stay with their upstream", () => {
    const list = upstreams(1, 1);
    for (const first of plain(100)) {
      const [name] = names(list, [first], sticky);
      expect(first.addedFields).toMatch(
        /^Set-Cookie: share=[\w-]{6}; Path=\/shop; Max-Age=60; HttpOnly; SameSite=Lax\r\n$/,
      );
      const again = request(`Cookie: share=${given(first)}\r\n`);
      expect(names(upstreams(1, 1), [again], sticky)).toEqual([name ?? ""]);
      expect(again.addedFields).toBe("");
    }
  });

  test("are spread by weight", () => {
    expect(Math.abs(countOf(names(upstreams(9, 1), plain(), sticky), "b") - 1000)).toBeLessThan(180);
  });

  test("receive a cookie without an age if it must end with the session", () => {
    const [asked = request()] = plain(1);
    names(upstreams(1), [asked], { cookie: { ...sticky.cookie, maxAgeS: 0 } });
    expect(asked.addedFields).toMatch(/^Set-Cookie: share=[\w-]{6}; Path=\/shop; HttpOnly; SameSite=Lax\r\n$/);
  });

  test("receive a Secure cookie over https, and the path / if the route's path would break the attribute", () => {
    const secure = request("", "https");
    names(upstreams(1), [secure], sticky);
    expect(secure.addedFields).toEndWith("; SameSite=Lax; Secure\r\n");
    const odd = request();
    names(upstreams(1), [odd], { cookie: { ...sticky.cookie, path: "/a;b" } });
    expect(odd.addedFields).toContain("; Path=/; ");
  });

  test.each(["", "x", "toolong", "a b c_", '"abcd"', "upstr=m"])("receive a new cookie in place of %j", (value) => {
    const asked = request(`Cookie: share=${value}\r\n`);
    names(upstreams(1), [asked], sticky);
    expect(given(asked)).toHaveLength(6);
    expect(asked.head.fields).not.toContain("share=");
  });
});
