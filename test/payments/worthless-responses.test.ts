/** Paid responses that are worth nothing to their client: more fields than HTTP/3 carries, and an unasked 304. None is charged. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import { type PaymentPayload } from "../../src/payments/x402/messages.ts";
import { ask, newPayment, nonceOf, type Protocol, PROTOCOLS, type Reply, type Shop, Shops } from "./shops.ts";

setDefaultTimeout(patient(30_000));

const shops = new Shops();
let shop: Shop;

beforeAll(async () => {
  shops.sell = ({ url }) => {
    if (url.includes("fields=none") && shops.runs(new URL(url).pathname + new URL(url).search) === 1)
      return new Response(null, { status: 304 });
    const headers = new Headers();
    for (let i = 0; i < Number(new URL(url).searchParams.get("fields")); i++) headers.append(`x-${i}`, "1");
    return new Response("goods", { headers });
  };
  shop = await shops.open({});
});

afterAll(() => shops.close());

/** One payment, and the requests that carry it. */
class Purchase {
  readonly #payment: PaymentPayload;
  readonly #path: string;

  constructor(settle: "before" | "after", fields: number | "none") {
    this.#payment = newPayment(settle);
    this.#path = `/${settle}?fields=${fields}&of=${nonceOf(this.#payment)}`;
  }

  /** Sends the request again while another one holds the payment. */
  async ask(protocol: Protocol): Promise<Reply> {
    for (;;) {
      const headers = { "payment-signature": encodeHeader(this.#payment) };
      const reply = await ask(protocol, shop, { path: this.#path, headers });
      if (reply.status !== 409 && reply.status !== 503) return reply;
      await Bun.sleep(20);
    }
  }

  get settlements(): number {
    return shops.facilitator.settles.get(nonceOf(this.#payment).toLowerCase()) ?? 0;
  }
}

test.each([90, 104, 127, 128, 200])("%d fields are delivered over HTTP/3, or not charged", async (fields) => {
  const purchase = new Purchase("after", fields);
  const { status, body } = await purchase.ask("HTTP/3");
  if (fields <= 90) expect(status).toBe(200);
  if (status === 200) expect([body, purchase.settlements]).toEqual(["goods", 1]);
  else {
    expect([status, purchase.settlements]).toEqual([502, 0]);
    expect(body).toContain("Send the same request over HTTP/2 or HTTP/1.1");
  }
});

describe.each(["before", "after"] as const)("settled %s", (settle) => {
  test.each(["HTTP/1.1", "HTTP/2"] as const)("the same payment buys the response over %s", async (protocol) => {
    const purchase = new Purchase(settle, 200);
    expect((await purchase.ask("HTTP/3")).status).toBe(502);
    expect(purchase.settlements).toBe(settle === "before" ? 1 : 0);
    const reply = await purchase.ask(protocol);
    expect([reply.status, reply.body, reply.headers["x-199"]]).toEqual([200, "goods", "1"]);
    expect(purchase.settlements).toBe(1);
  });
});

test("a stored response stays available over other protocols after a request over HTTP/3", async () => {
  const purchase = new Purchase("after", 200);
  expect((await purchase.ask("HTTP/2")).status).toBe(200);
  expect((await purchase.ask("HTTP/3")).status).toBe(502);
  expect(await purchase.ask("HTTP/2")).toMatchObject({ status: 200, body: "goods" });
  expect(purchase.settlements).toBe(1);
});

describe.each(["before", "after"] as const)("an unasked 304, settled %s", (settle) => {
  test.each(PROTOCOLS)("is not sold over %s, and the same payment buys the next response", async (protocol) => {
    const purchase = new Purchase(settle, "none");
    expect((await purchase.ask(protocol)).status).toBe(502);
    expect(purchase.settlements).toBe(settle === "before" ? 1 : 0);
    expect(await purchase.ask(protocol)).toMatchObject({ status: 200, body: "goods" });
    expect(purchase.settlements).toBe(1);
  });
});
