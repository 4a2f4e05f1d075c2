import { afterEach, expect, test } from "bun:test";
import { REQUIREMENTS, TERMS } from "../../../../payments/testing/payment.ts";
import { type PaymentRequired, type PaymentRequirements } from "../../../../payments/x402/messages.ts";
import { paymentPage } from "./payment-page.ts";
import { respondWith } from "../testing/test-gateway.ts";
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
  expect(html).toContain("\n      &#34;payTo&#34;");
  expect(html).toContain("Test mode.");
  expect(shop.runs).toBe(0);
});

function hash(text: string): string {
  return `'sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}'`;
}

test.each([
  [true, 2],
  [false, 2],
])("in test mode %p the page runs only the script that pays, in less than 40 kB", async (testMode, scripts) => {
  const shop = open({ testMode });
  const response = await fetch(`${shop.gateway.url}/goods`, { headers: BROWSER });
  const html = await response.text();
  const style = /<style>([\s\S]*?)<\/style>/.exec(html)?.[1] ?? "";
  const script = /<script>([\s\S]*?)<\/script>/.exec(html)?.[1] ?? "";
  expect(response.headers.get("content-security-policy")).toBe(
    `default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}; connect-src 'self'; img-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
  expect(Buffer.byteLength(html)).toBeLessThan(40_000);
  expect(html.split("<script")).toHaveLength(scripts + 1);
  const markup = html.replaceAll(/<script[\s\S]*?<\/script>/g, "");
  expect(markup).not.toMatch(/\sstyle=|\son[a-z]+=|\ssrc=|url\(|@import/i);
});

function pageOf(accepts: readonly PaymentRequirements[], method = "GET") {
  const required = { x402Version: 2 as const, resource: { url: "http://a.test/" }, accepts: [...accepts] };
  return paymentPage({ required, price: "1", testMode: false }, { method });
}

test("a page of a request with a body, or of a price that no browser's wallet can pay, runs no script", () => {
  const upto = { ...REQUIREMENTS, scheme: "upto" };
  for (const page of [
    pageOf([REQUIREMENTS], "POST"),
    // No facilitator may settle it.
    pageOf([upto]),
    pageOf([{ ...REQUIREMENTS, network: "sui:mainnet" }]),
    pageOf([{ ...REQUIREMENTS, payTo: "<b>" }]),
    pageOf([{ ...REQUIREMENTS, amount: "9".repeat(79) }]),
    pageOf([{ ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, paymentFlow: "later" } }]),
  ]) {
    expect(page.fields).not.toContain("script-src");
    expect(page.html).not.toContain("<script");
    expect(page.html).not.toContain("Pay here");
  }
  expect(pageOf([{ ...upto, extra: { facilitatorAddress: REQUIREMENTS.payTo } }]).html).toContain("<script>");
});

test("a page of every kind of price has less than 40 kB, and offers Solana if the gateway has a blockhash", () => {
  const permit2 = { ...REQUIREMENTS, extra: { ...REQUIREMENTS.extra, assetTransferMethod: "permit2" } };
  const upto = { ...permit2, scheme: "upto", extra: { ...permit2.extra, facilitatorAddress: REQUIREMENTS.payTo } };
  const solana = {
    ...REQUIREMENTS,
    network: "solana:EtWTRABZaYq6iMfeYKouRu166VU2xqa1",
    asset: "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU",
    payTo: "So11111111111111111111111111111111111111112",
    extra: { feePayer: "SysvarS1otHashes111111111111111111111111111" },
  };
  const accepts = [REQUIREMENTS, permit2, upto, solana];
  const required = { x402Version: 2 as const, resource: { url: "http://a.test/" }, accepts };
  const blockhashUrl = (network: string) => (network === solana.network ? "/blockhash" : undefined);
  const { html } = paymentPage({ required, price: "1", testMode: false, blockhashUrl }, { method: "GET" });
  expect(Buffer.byteLength(html)).toBeLessThan(40_000);
  expect(html).toContain('"blockhash":"/blockhash"');
  const only = { ...required, accepts: [solana] };
  const page = paymentPage({ required: only, price: "1", testMode: false, blockhashUrl }, { method: "GET" });
  expect(page.html).toContain("Pay here");
  expect(pageOf([solana]).html).not.toContain("Pay here");
  const unknown = { ...only, accepts: [{ ...solana, asset: solana.payTo }] };
  expect(
    paymentPage({ required: unknown, price: "1", testMode: false, blockhashUrl }, { method: "GET" }).html,
  ).not.toContain("Pay here");
});

test("a price that only a channel pays is explained", () => {
  const channel = { ...REQUIREMENTS, scheme: "batch-settlement" };
  const page = pageOf([channel]);
  expect(page.html).toContain("Only a program can pay it.");
  expect(page.html).not.toContain("<script");
  const both = pageOf([channel, REQUIREMENTS]).html;
  expect(both).not.toContain("Only a program");
  expect(both).toContain("a request, from a payment channel, on Base Sepolia");
});

test("a 402 of the upstream gets nothing of the page", async () => {
  const shop = open({
    upstream: (exchange) => respondWith(exchange, 402, "<h1>Pay me</h1>"),
  });
  const response = await shop.send(shop.payment(), { headers: BROWSER });
  expect([response.status, await response.text()]).toEqual([402, "<h1>Pay me</h1>"]);
  expect([response.headers.get("payment-required"), response.headers.get("content-security-policy")]).toEqual([
    null,
    null,
  ]);
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

test("a mark that reverses text is shown, and changes no address beside it", () => {
  const turned = "\u202egnp";
  const page = pageOf([{ ...REQUIREMENTS, network: turned, asset: turned, payTo: `${turned} ${REQUIREMENTS.payTo}` }]);
  expect(page.html).not.toContain("\u202e");
  expect(page.html).toContain(`units of \\u{202e}gnp`);
  expect(page.html).toContain(`to \\u{202e}gnp ${REQUIREMENTS.payTo}`);
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
  const { html } = paymentPage({ required, price: evil, testMode: false }, { method: evil });
  expect(html).not.toContain("<script>");
  const [first] = required.accepts;
  const paid = { ...REQUIREMENTS, extra: { ...first?.extra, version: evil } };
  const page = paymentPage(
    { required: { ...required, accepts: [paid] }, price: evil, testMode: false },
    { method: "GET" },
  );
  expect(page.html).not.toContain("<script>alert");
  expect(page.html.split("</script>")).toHaveLength(3);
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
  expect(paymentPage({ required, price: "1", testMode: false }, { method: "GET" })).toMatchObject({
    html: expect.stringContaining(`<h1>${heading}</h1>`),
  });
});
