/**
 * The pages for people in a real browser: operable, readable in light and dark, wide and narrow, and accessible by axe.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { type Page } from "puppeteer-core";
import { dress, errors, startBrowser, type TestBrowser } from "../support/browser.ts";
import { type Documentation, startDocumentation } from "../support/documentation.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(120_000));

/** Folder for screenshots of the pages; unset: no screenshots. */
const PICTURES = process.env["TURNPIKE_PAGE_PICTURES"] ?? "";

let documentation: Documentation;
let browser: TestBrowser;

beforeAll(async () => {
  documentation = await startDocumentation();
  browser = await startBrowser();
});

afterAll(async () => {
  await browser.close();
  await documentation.stop();
});

/** The errors of the page: failed scripts, and resources that its policy blocked. */
async function open(
  path: string,
  width: number,
  scheme: "light" | "dark",
): Promise<{ page: Page; complaints: string[] }> {
  const page = await browser.browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error" && !message.text().includes("402")) complaints.push(message.text());
  });
  await dress(page, width, scheme);
  await page.goto(documentation.url + path, { waitUntil: "load" });
  return { page, complaints };
}

const PAGES = ["/", "/docs", "/docs#read", "/docs#batch", "/docs#paying", "/read", "/qr?a=<b>"];

for (const path of PAGES) {
  for (const width of [1280, 390]) {
    for (const scheme of ["light", "dark"] as const) {
      test(`${path} at ${width} px, ${scheme}: axe reports nothing, nothing is wider than the window, and no resource is blocked`, async () => {
        const { page, complaints } = await open(path, width, scheme);
        for (const details of await page.$$("details"))
          await details.evaluate((element) => element.setAttribute("open", ""));
        expect(await errors(page)).toEqual([]);
        expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
        expect(complaints).toEqual([]);
        if (PICTURES !== "") {
          mkdirSync(PICTURES, { recursive: true });
          const name = `${path.replaceAll(/\W/g, "_")}-${width}-${scheme}.png` as const;
          await page.screenshot({ path: `${PICTURES}/${name}` });
        }
        await page.close();
      });
    }
  }
}

test("search finds fields and errors, and leads to their operation", async () => {
  const { page } = await open("/docs", 1280, "light");
  await page.keyboard.press("/");
  await page.keyboard.type("landscape");
  const found = await page.$$eval("#results a", (links) => links.map((link) => link.getAttribute("href")));
  expect(found).toEqual(["#pdf"]);
  await page.keyboard.press("Enter");
  expect(new URL(page.url()).hash).toBe("#pdf");
  await page.close();
});

test("the menu marks the visible section", async () => {
  const { page } = await open("/docs", 1280, "light");
  await page.evaluate(`document.getElementById("extract").scrollIntoView()`);
  await page.waitForSelector(`nav a[aria-current][href="#extract"]`);
  await page.close();
});

test("on a phone one operation is shown at a time, with a link back", async () => {
  const { page } = await open("/docs", 390, "light");
  const shown = () =>
    page.$$eval("section", (sections) =>
      sections.filter((section) => section.getClientRects().length > 0).map(({ id }) => id),
    );
  expect(await shown()).toEqual([]);
  await page.click(`nav a[href="#qr"]`);
  await page.waitForFunction(`location.hash === "#qr"`);
  expect(await shown()).toEqual(["qr"]);
  await page.click(".back a");
  await page.waitForFunction(`location.hash === "#content"`);
  expect(await shown()).toEqual([]);
  await page.close();
});

function form(path: string): string {
  return `form[data-path="${path}"]`;
}

test("a form tries an operation with the payment of a wallet in the page, and shows the response", async () => {
  const { page, complaints } = await open("/docs#read", 1280, "light");
  await page.click(`${form("/read")} button`);
  await page.waitForSelector(`${form("/read")} .result pre`);
  expect(await page.$eval(`${form("/read")} .told`, (told) => told.textContent)).toBe(
    "Paid 0.005 USDC of test money. ",
  );
  expect(documentation.runs.at(-1)).toMatchObject({ name: "read" });
  await page.click(`${form("/qr")} button`);
  await page.waitForSelector(`${form("/qr")} .result img`);
  expect(await errors(page)).toEqual([]);
  expect(complaints).toEqual([]);
  await page.close();
});

test("the page of a price can be operated by keyboard: its wallet, its link, its challenge", async () => {
  const { page } = await open("/read", 1280, "light");
  const reached: unknown[] = [];
  for (let i = 0; i < 3; i += 1) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate("document.activeElement.tagName"));
  }
  expect(reached).toEqual(["BUTTON", "A", "SUMMARY"]);
  await page.keyboard.press("Enter");
  expect(await page.$eval("details", (details) => details.hasAttribute("open"))).toBe(true);
  await page.close();
});

test("in test mode the wallet of a price's page pays, and shows the response", async () => {
  const { page, complaints } = await open("/qr?data=x", 390, "dark");
  await page.click("#pay button");
  await page.waitForSelector("#pay .result");
  await page.waitForFunction(
    `document.querySelector("#pay .told").textContent !== "Paying and waiting for the response."`,
  );
  expect(await page.$eval("#pay .told", (told) => told.textContent)).toContain("It was not charged");
  expect(complaints).toEqual([expect.stringContaining("405")]);
  await page.close();
});

test("programs find the URLs", async () => {
  const root = await fetch(documentation.url);
  expect(await root.json()).toMatchObject({ docs: "/docs", openapi: "/openapi.json", mcp: "/mcp" });
});
