/** Runs the shop of docs/payments.md, and pays with the stock client by each of its payment methods. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ExactEvmScheme } from "@x402/evm/exact/client";
import { UptoEvmScheme } from "@x402/evm/upto/client";
import { wrapFetchWithPayment, x402Client } from "@x402/fetch";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { decodeHeader } from "../../src/payments/x402/header.ts";
import { blockWith, readDocument } from "../support/documents.ts";
import { Folder, Program } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";

// Processes start slowly on a busy machine.
setDefaultTimeout(patient(30_000));

const folder = new Folder();
const account = privateKeyToAccount(generatePrivateKey());
const origin = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () => new Response("report", { headers: { "settlement-overrides": '{"amount":"$0.04"}' } }),
});
const text = blockWith(readDocument("docs/payments.md"), "json", '"upto"')
  .replace('"port": 8090', '"port": 0')
  .replace('"port": 9000', `"port": ${origin.port}`);
const file = folder.write("shop.json", text);
const gateway = new Program(["--config", file]);
let url: string;

beforeAll(async () => {
  url = (await gateway.sees(/listening on (http:\/\/\S+)/))[1] ?? "";
});

afterAll(async () => {
  await gateway.stop();
  await origin.stop(true);
  folder.remove();
});

test("check finds no problem in it", async () => {
  const check = new Program(["check", file]);
  expect([await check.exit(), check.output]).toEqual([0, `${file}: ok (2 routes, 1 upstream)\n`]);
});

for (const [name, scheme, path, receipt] of [
  ["the first way, after the response", new ExactEvmScheme(account), "/reports", { network: "eip155:8453" }],
  ["up to a price, what the upstream says", new UptoEvmScheme(account), "/reports", { amount: "40000" }],
  ["in advance", new ExactEvmScheme(account), "/stream", { network: "eip155:8453" }],
] as const) {
  test(`the stock client pays ${name}`, async () => {
    const pay = wrapFetchWithPayment(fetch, new x402Client().register("eip155:*", scheme));
    const response = await pay(url + path);
    expect([response.status, await response.text()]).toEqual([200, "report"]);
    expect(decodeHeader(response.headers.get("payment-response") ?? "")).toMatchObject({ success: true, ...receipt });
  });
}

test("payment in advance is announced, and requirements of version 1 are those that it can pay", async () => {
  const announced = decodeHeader((await fetch(`${url}/stream`)).headers.get("payment-required") ?? "");
  expect(announced).toMatchObject({ accepts: [{ extra: { paymentFlow: "upfront" } }] });
  expect(await (await fetch(`${url}/reports`)).json()).toMatchObject({
    x402Version: 1,
    accepts: [{ network: "base" }, { network: "avalanche" }],
  });
});
