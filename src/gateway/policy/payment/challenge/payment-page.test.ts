import { afterEach, expect, test } from "bun:test";
import { REQUIREMENTS, TERMS } from "../../../../payments/testing/payment.ts";
import { type PaymentRequired } from "../../../../payments/x402/messages.ts";
import { paymentPage } from "./payment-page.ts";
import { closeShops, decoded, openShop as open } from "../testing/shop.ts";

afterEach(closeShops);

const BROWSER = {
  accept: "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8",
  "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36",
};

test("a browser gets a page with the price, and the challenge in the header", async () => {
  const shop = open({ terms: { accepts: [{ ...TERMS, network: "base", price: "$0.02" }] } });
  const response = await fetch(`${shop.gateway.url}/goods`, { headers: BROWSER });
  expect(response.status).toBe(402);
  expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
  expect(response.headers.get("vary")).toContain("Accept");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(decoded(response, "payment-required")).toMatchObject({ x402Version: 2, error: "Payment required" });
  const html = await response.text();
  expect(html).toContain("0.01 USDC");
  expect(html).toContain("0.02 USDC");
  expect(html).toContain("Base Sepolia (eip155:84532)");
  expect(html).toContain("await pay(&#34;http://shop.example/goods&#34;)");
  expect(html).toContain("<code>npm install @x402/fetch @x402/evm viem</code>");
  expect(html).toContain("&#34;payTo&#34;");
  expect(html).toContain("Test mode.");
  expect(shop.runs).toBe(0);
});

test("the page has no scripts, and its policy allows only its own style", async () => {
  const shop = open();
  const response = await fetch(`${shop.gateway.url}/goods`, { headers: BROWSER });
  const html = await response.text();
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? "";
  const hash = new Bun.CryptoHasher("sha256").update(style).digest("base64");
  const policy = response.headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain(`style-src 'sha256-${hash}'`);
  expect(html).not.toMatch(/<script|\sstyle=|\son[a-z]+=|\ssrc=|url\(|@import/i);
});

test("a client that only accepts HTML, or only has a browser's User-Agent, gets JSON", async () => {
  const shop = open();
  for (const headers of [
    { ...BROWSER, accept: "application/json" },
    { ...BROWSER, "user-agent": "curl/8.0 (Mozilla/5.0)" },
  ]) {
    const response = await fetch(`${shop.gateway.url}/goods`, { headers });
    expect(response.headers.get("content-type")).toBe("application/problem+json");
    expect(response.headers.get("vary")).toContain("Accept");
  }
});

test("a refused payment gets JSON, in a browser too", async () => {
  const shop = open();
  const response = await fetch(`${shop.gateway.url}/goods`, {
    headers: { ...BROWSER, "payment-signature": btoa(JSON.stringify(shop.payment({ value: "1" }))) },
  });
  expect(response.headers.get("content-type")).toBe("application/problem+json");
});

test("no text escapes its place in the page", () => {
  const evil = "</code></pre><script>alert(1)</script>'\"&";
  const required = {
    x402Version: 2 as const,
    resource: { url: `http://a.example/${evil}`, description: evil },
    accepts: [
      {
        scheme: "upto",
        network: "eip155:31337",
        amount: "5",
        asset: evil,
        payTo: evil,
        maxTimeoutSeconds: 1,
        extra: { name: evil },
      },
    ],
  };
  const html = paymentPage({ required, price: evil, testMode: false }, { method: evil });
  expect(html).not.toContain("<script>");
  expect(html.split("</pre>")).toHaveLength(3);
  expect(html).not.toContain("Test mode");
  expect(html).toContain("up to 5 units of");
});

test.each([
  ["", "This page is sold by the request"],
  ["A <report>", "A &#60;report&#62;"],
])("the page for the description %j has the heading %s", (description, heading) => {
  const resource = { url: "http://a.test/", description };
  const required: PaymentRequired = { x402Version: 2, error: "", resource, accepts: [REQUIREMENTS] };
  expect(paymentPage({ required, price: "1", testMode: false }, { method: "GET" })).toContain(`<h1>${heading}</h1>`);
});
