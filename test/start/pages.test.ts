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

test("a form tries an operation with a test wallet's payment, and shows the response", async () => {
  const { page, complaints } = await open("/docs#read", 1280, "light");
  await page.click(`form[data-operation="read"] button`);
  await page.waitForSelector(`form[data-operation="read"] output pre`);
  const said = await page.$eval(`form[data-operation="read"] output`, (output) => output.textContent);
  expect(said).toStartWith("200, paid $0.005 of test money");
  expect(documentation.runs.at(-1)).toMatchObject({ name: "read" });
  await page.click(`form[data-operation="qr"] button`);
  await page.waitForSelector(`form[data-operation="qr"] output img`);
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

test("operations can be tried only from the page, and programs find the URLs", async () => {
  const { url } = documentation;
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ data: "x" });
  for (const origin of ["http://evil.example", ""]) {
    const sent = { ...headers, ...(origin === "" ? {} : { origin }) };
    const refused = await fetch(`${url}/docs/try?operation=qr`, { method: "POST", headers: sent, body });
    expect(refused.status).toBe(403);
  }
  const unknown = await fetch(`${url}/docs/try?operation=fly`, {
    method: "POST",
    headers: { ...headers, origin: url },
    body,
  });
  expect(unknown.status).toBe(404);
  const root = await fetch(url);
  expect(await root.json()).toMatchObject({ docs: "/docs", openapi: "/openapi.json", mcp: "/mcp" });
});
