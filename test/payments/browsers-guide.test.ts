/** Runs the gateway of docs/guides/sell-to-browsers.md: in test mode the wallet of the page pays each of its prices. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { patient } from "../../src/lib/testing/patience.ts";
import { errors, startBrowser, type TestBrowser } from "../support/browser.ts";
import { blockWith, readDocument } from "../support/documents.ts";
import { untilOffered } from "./wallet-browser.ts";
import { Folder, Program } from "../support/program.ts";

setDefaultTimeout(patient(30_000));

const folder = new Folder();
const origin = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: () =>
    new Response("the report", {
      headers: { "content-type": "text/plain", "settlement-overrides": '{"amount":"$0.04"}' },
    }),
});
const configuration = blockWith(readDocument("docs/guides/sell-to-browsers.md"), "json", '"upto"')
  .replace('"port": 8090', '"port": 0')
  .replace('"port": 9000', `"port": ${origin.port}`);
const gateway = new Program(["--config", folder.write("shop.json", configuration)]);
let url: string;
let browser: TestBrowser;

beforeAll(async () => {
  url = (await gateway.sees(/listening on (http:\/\/\S+)/))[1] ?? "";
  await untilOffered(`${url}/report.txt`, 2);
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await gateway.stop();
  await origin.stop(true);
  folder.remove();
});

test.each([
  ["0.02 USDC", "Paid 0.02 USDC of test money."],
  ["up to 0.10 USDC", "Paid 0.04 USDC of at most 0.10 USDC of test money."],
])("the wallet of the page pays %s", async (price, paid) => {
  const page = await browser.browser.newPage();
  page.setDefaultTimeout(patient(10_000));
  await page.goto(`${url}/report.txt`, { waitUntil: "load" });
  const press = async (selector: string, text: string) => {
    const found = `[...document.querySelectorAll("#pay ${selector}")].find((one) => one.textContent === "${text}")`;
    await page.waitForFunction(`(() => { const found = ${found}; found?.click(); return found !== undefined })()`);
  };
  await press("label", `${price} on Base (eip155:8453)`);
  await press("button", `Pay ${price} with a test wallet`);
  await page.waitForFunction(`document.querySelector('[role="status"]').textContent.includes("${paid}")`);
  expect(await page.$eval(".result pre", (shown) => shown.textContent)).toBe("the report");
  expect(await errors(page)).toEqual([]);
  await page.close();
});
