/** Challenges that describe the request which they respond to. */
import { afterEach, expect, test } from "bun:test";
import { MAX_HEADER_LENGTH } from "../../../../payments/x402/header.ts";
import { paymentRequiredSchema } from "../../../../payments/x402/messages.ts";
import { closeShops, decoded, openShop as open, type Shop } from "../testing/shop.ts";

afterEach(closeShops);

const BROWSER = { accept: "text/html", "user-agent": "Mozilla/5.0" };

async function named(shop: Shop, path: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(shop.gateway.url + path, init);
  expect(response.status).toBe(402);
  const { resource } = paymentRequiredSchema.parse(decoded(response, "payment-required"));
  expect(await response.json()).toMatchObject({
    paymentRequired: { resource: { url: resource.url } },
    accepts: [{ resource: resource.url }],
  });
  return resource.url;
}

test("a challenge has the requested URL, whatever the route's prefix is, in header and body", async () => {
  const shop = open();
  for (const path of ["/goods", "/goods/1", "/goods/1?a=b&c=%20d", "/goods/ü?q='\"<>"]) {
    expect(await named(shop, path)).toBe(
      `http://shop.example${new URL(path, "http://a").pathname}${new URL(path, "http://a").search.replaceAll("'", "%27")}`,
    );
  }
});

test("without a public URL it has the requested host, and header fields cannot change the rest", async () => {
  const shop = open({ publicUrl: "" });
  const headers = { host: "shop.local:8080", "x-forwarded-host": "evil.example", "x-forwarded-proto": "https" };
  expect(await named(shop, "/goods/1", { headers })).toBe("http://shop.local:8080/goods/1");
});

test("URLs of every length give a readable header, up to the longest that clients accept", async () => {
  const note = { text: "n".repeat(4000) };
  const shop = open({ terms: { extensions: { note } } });
  for (let length = 0; length < 2000; length += length < 40 ? 1 : 97) {
    const response = await fetch(`${shop.gateway.url}/goods?${"q".repeat(length)}`);
    const header = response.headers.get("payment-required") ?? "";
    expect(header.length).toBeLessThanOrEqual(MAX_HEADER_LENGTH);
    const { resource } = paymentRequiredSchema.parse(decoded(response, "payment-required"));
    const whole = `http://shop.example/goods${length === 0 ? "" : `?${"q".repeat(length)}`}`;
    expect(["http://shop.example/goods", whole]).toContain(resource.url);
    if (length < 1000) expect(resource.url).toBe(whole);
  }
});

test("a payment for the requested URL is accepted, and so is one for the route's URL in the catalogue, but no other", async () => {
  const shop = open();
  for (const [url, status] of [
    ["http://shop.example/goods/1?a=1", 200],
    ["http://shop.example/goods", 200],
    ["http://shop.example/goods/2", 402],
    ["http://evil.example/goods/1?a=1", 402],
  ] as const) {
    const payment = { ...shop.payment(), resource: { url } };
    expect((await shop.send(payment, { path: "/goods/1?a=1" })).status).toBe(status);
  }
});

test("the page has the URL and the method, and no host or path escapes its place", async () => {
  const shop = open({ publicUrl: "" });
  const headers = { ...BROWSER, host: "a'$(id).example" };
  const html = await (
    await fetch(`${shop.gateway.url}/goods/1?q='"><script>$(id)`, { method: "DELETE", headers })
  ).text();
  expect(html).not.toContain("<script");
  expect(html).toContain("<code>DELETE http://a");
  expect(html).toContain("{ method: &#34;DELETE&#34; }");
  expect(html).toMatch(/await pay\(&#34;http:\/\/a[^<]*%22%3E%3Cscript%3E\$\(id\)&#34;, /);
});

test("if the bazaar extension describes the call of a route, the page shows that call", async () => {
  const input = { type: "http", method: "POST", bodyType: "json", body: { url: "https://example.com/" } };
  const shop = open({ terms: { extensions: { bazaar: { info: { input }, schema: {} } } } });
  const html = await (await fetch(`${shop.gateway.url}/goods`, { headers: BROWSER })).text();
  expect(html).toContain("body: JSON.stringify({&#34;url&#34;:&#34;https://example.com/&#34;}),");
  expect(html).toContain("<code>POST http://shop.example/goods</code>");
});

test("a page outside of test mode does not mention test mode", async () => {
  const shop = open({ testMode: false });
  const response = await fetch(`${shop.gateway.url}/goods`, { headers: BROWSER });
  expect(await response.text()).not.toContain("Test mode");
});

for (const [name, field] of [
  ["no base64", "%%%"],
  ["no payment", btoa("{}")],
] as const) {
  test(`a payment that is ${name} is refused with 400, and with the challenge`, async () => {
    const shop = open();
    for (const header of ["payment-signature", "x-payment"]) {
      const response = await fetch(`${shop.gateway.url}/goods/7`, { headers: { [header]: field } });
      expect(response.status).toBe(400);
      expect(decoded(response, "payment-required")).toMatchObject({
        error: "Payment required",
        resource: { url: "http://shop.example/goods/7" },
      });
      expect(await response.json()).toMatchObject({
        type: "urn:turnpike:error:invalid-payment",
        x402Version: 1,
        accepts: [{ resource: "http://shop.example/goods/7" }],
      });
    }
    expect(shop.runs).toBe(0);
  });
}
