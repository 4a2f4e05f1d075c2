import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import fc from "fast-check";
import { encodeHeader } from "../../payments/x402/header.ts";
import { PaymentDeclined } from "../../payments/client/choice.ts";
import { REQUIREMENTS } from "../../payments/testing/payment.ts";
import { callTool, type Gateway } from "./tool-call.ts";

/** A gateway that sends the test's response, and records the requests. */
let server: Bun.Server<undefined>;
let gateway: Gateway;
let respond: () => Response;
let asked: { readonly path: string; readonly headers: Headers; readonly body: unknown }[];

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      asked.push({ path: new URL(request.url).pathname, headers: request.headers, body: await request.json() });
      return respond();
    },
  });
  gateway = { url: server.url.href.replace(/\/$/, ""), send: fetch, prices: async () => undefined };
});

afterAll(() => server.stop(true));

beforeEach(() => {
  asked = [];
});

const NEVER = new AbortController().signal;

function call(meta?: unknown, own: Partial<Gateway> = {}) {
  const given = { url: "https://example.com/", format: "text" };
  return callTool({ name: "scrape", arguments: given, meta, signal: NEVER }, { ...gateway, ...own });
}

async function textOf(result: ReturnType<typeof call>): Promise<string> {
  const { isError, content } = await result;
  const [part] = content;
  return isError === true && part?.type === "text" ? part.text : "no error";
}

test("a call is a request to the operation's own route, with the agent's payment and no other", async () => {
  respond = () => Response.json({ content: "x" });
  let paid = 0;
  const pay: Gateway["send"] = (url, init) => {
    paid += 1;
    return fetch(url, init);
  };
  const payment = { x402Version: 2, any: "thing" };
  expect((await call({ "x402/payment": payment, other: 1 }, { pay })).structuredContent).toEqual({ content: "x" });
  expect(asked[0]).toMatchObject({ path: "/scrape", body: { url: "https://example.com/", format: "text" } });
  expect([asked[0]?.headers.get("payment-signature"), paid]).toEqual([encodeHeader(payment), 0]);
  await call(undefined, { pay });
  expect([asked[1]?.headers.get("payment-signature"), paid]).toEqual([null, 1]);
});

function failing(error: Error): Gateway["send"] {
  return async () => {
    throw error;
  };
}

test("a payment that the wallet refuses is reported in its own words, and other failures without an address", async () => {
  expect(
    await textOf(call(undefined, { pay: failing(new PaymentDeclined("Cannot pay $9.00: the limit is $1")) })),
  ).toBe("Cannot pay $9.00: the limit is $1");
  const text = await textOf(call(undefined, { pay: failing(new Error("https://key@rpc.example/ is away")) }));
  expect(text).toBe("Cannot get a response from the gateway: Error");
  respond = () => new Response("", { status: 302, headers: { location: "http://elsewhere.example/" } });
  expect(await textOf(call())).toBe("302\nNot charged.");
});

const RECEIPT = { success: true, transaction: "0xabc", network: "eip155:84532" };
const UNREADABLE: readonly (readonly [name: string, respond: () => Response, text: string])[] = [
  ["a 402 without a challenge", () => new Response("<p>", { status: 402 }), "402"],
  [
    "a 402 with too many prices",
    () => {
      const required = { x402Version: 2, resource: { url: "u" }, accepts: Array(40).fill(REQUIREMENTS) };
      return new Response("", { status: 402, headers: { "payment-required": encodeHeader(required) } });
    },
    "402",
  ],
  [
    "a response that is not JSON",
    () => new Response("{", { headers: { "content-type": "application/json" } }),
    "Cannot read the gateway's response: it ended early, or is invalid",
  ],
  [
    "a paid response that is not JSON",
    () => {
      const headers = { "content-type": "application/json", "payment-response": encodeHeader(RECEIPT) };
      return new Response("{", { headers });
    },
    "and it was paid for; the same payment gets it again",
  ],
  [
    "a response that is too long",
    () => {
      const piece = new Uint8Array(1024 * 1024);
      let left = 130;
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
        if (left-- > 0) controller.enqueue(piece);
        else controller.close();
      };
      return new Response(new ReadableStream({ pull }), { headers: { "content-type": "image/png" } });
    },
    "Cannot read the gateway's response",
  ],
  ["an error without a problem", () => new Response("oh", { status: 500 }), "500: oh\nNot charged."],
  [
    "a request without a member",
    () => Response.json({ title: "Bad", errors: [{ path: "", message: "requires a" }] }, { status: 400 }),
    "Bad\n  requires a\nNot charged.",
  ],
  [
    "a problem in another shape",
    () => Response.json({ title: 5, detail: ["x"], errors: [1, null, { path: 3 }] }, { status: 400 }),
    "400",
  ],
];

for (const [name, response, text] of UNREADABLE) {
  test(`${name} is an error`, async () => {
    respond = response;
    expect(await textOf(call())).toContain(text);
  });
}

test("an error is reported as free only if nothing says that it was charged", async () => {
  const receipt = { "payment-response": encodeHeader(RECEIPT) };
  for (const [init, type] of [
    [{ status: 409 }, "urn:turnpike:error:payment-conflict"],
    [{ status: 500, headers: receipt }, "urn:turnpike:error:internal"],
    [{ status: 503 }, "urn:turnpike:error:settlement-pending"],
  ] as const) {
    respond = () => Response.json({ type, title: "Failed" }, init);
    expect(await textOf(call())).toBe("Failed");
  }
});

test("the gateway's text is cut", async () => {
  const long = "x".repeat(100_000);
  const errors = Array.from({ length: 500 }, () => ({ path: long, message: long }));
  respond = () =>
    Response.json({ title: long, detail: long, errors }, { status: 400, headers: { "retry-after": "7" } });
  const text = await textOf(call());
  expect(text.length).toBeLessThan(100_000);
  expect(text).toEndWith("Try again in 7 s.");
});

test("for any arguments the response is a result, and only valid arguments are sent to the operation", async () => {
  respond = () => Response.json({});
  const keys = fc.constantFrom("url", "format", "timeout", "__proto__", "constructor", "x");
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.jsonValue(), fc.dictionary(keys, fc.jsonValue())),
      fc.oneof(fc.constant(undefined), fc.jsonValue()),
      async (given, meta) => {
        const before = asked.length;
        const result = await callTool({ name: "scrape", arguments: given, meta, signal: NEVER }, gateway);
        expect(Array.isArray(result.content)).toBe(true);
        if (result.isError === true) expect(asked.length).toBe(before);
      },
    ),
  );
});
