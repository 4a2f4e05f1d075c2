import { expect, test } from "bun:test";
import { type PaymentRequired } from "../../../payments/x402/messages.ts";
import { REQUIREMENTS } from "../../../payments/testing/payment.ts";
import { Catalogue } from "./catalogue.ts";
import { Challenge } from "./challenge/challenge.ts";
import { type PaymentPolicy } from "./payment.ts";

function required(url: string, extensions?: Record<string, unknown>): PaymentRequired {
  return {
    x402Version: 2,
    resource: { url, description: "Tolls" },
    accepts: [REQUIREMENTS],
    ...(extensions === undefined ? {} : { extensions }),
  };
}

const OPTIONS = { location: { fixed: "", publicUrl: "", baseUrl: "", hasHost: false }, testMode: false };

const NONE = {
  testMode: false,
  sold: () => undefined,
  methodsOf: () => [],
  discovery: { manifest: true, llms_txt: "auto" },
  clock: () => 1_800_000_000_500,
} as const;

/** A route whose challenge is set by the test. */
function route(current: { challenge: Challenge | undefined }): PaymentPolicy {
  return {
    name: "payment",
    challenge: () => current.challenge,
    listing: () => ({ rules: [] }),
    request: () => "continue",
  };
}

interface Listed {
  readonly x402Version: number;
  readonly total: number;
  readonly resources: readonly unknown[];
}

function read(catalogue: Catalogue): Listed {
  // The written bytes are tested.
  return JSON.parse(Buffer.from(catalogue.bytes()).toString("utf8")) as Listed;
}

test("paid routes are listed as in their challenges, with their methods", () => {
  const bazaar = { info: { input: { type: "http", method: "POST" } }, schema: {} };
  const catalogue = new Catalogue(
    [
      route({ challenge: new Challenge(required("http://a.example/goods"), OPTIONS) }),
      route({ challenge: new Challenge(required("http://a.example/post", { bazaar }), OPTIONS) }),
    ],
    NONE,
  );
  const common = { type: "http", description: "Tolls", accepts: [REQUIREMENTS] };
  expect(read(catalogue)).toEqual({
    x402Version: 2,
    total: 2,
    resources: [
      { ...common, url: "http://a.example/goods" },
      { ...common, url: "http://a.example/post", methods: ["POST"], extensions: { bazaar } },
    ],
  });
});

test("the list is composed once, and again when a challenge changes", () => {
  const current: { challenge: Challenge | undefined } = { challenge: undefined };
  const catalogue = new Catalogue([route(current)], NONE);
  expect(read(catalogue)).toMatchObject({ total: 0, resources: [] });
  expect(catalogue.bytes()).toBe(catalogue.bytes());
  current.challenge = new Challenge(required("http://a.example/goods"), OPTIONS);
  expect(read(catalogue)).toMatchObject({ total: 1, resources: [{ url: "http://a.example/goods" }] });
  expect(catalogue.bytes()).toBe(catalogue.bytes());
});

test("a list that would be too long has the number of all routes", () => {
  const policies = Array.from({ length: 400 }, (_, i) =>
    route({ challenge: new Challenge(required(`http://a.example/${i}/${"x".repeat(5000)}`), OPTIONS) }),
  );
  const catalogue = new Catalogue(policies, NONE);
  expect(catalogue.bytes().byteLength).toBeLessThan(1024 * 1024 + 100);
  const { total, resources } = read(catalogue);
  expect([total, resources.length > 100, resources.length < 400]).toEqual([400, true, true]);
});
