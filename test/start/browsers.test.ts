/** Browsers by the minute of the shipped program: paid, controlled over TLS by programs on Node, and watched by a person. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test as anyTest } from "bun:test";
import { mkdirSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { connect, type Page } from "puppeteer-core";
import shipped from "../../config/turnpike.json";
import { Turnpike, type TurnpikeProblem } from "../../src/client/client.ts";
import { type Sold, soldOf } from "../../src/content/live/testing/live-service.ts";
import { hasNamespaces } from "../../src/content/testing/namespaces.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";
import { freePort } from "../../src/lib/testing/listen.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { PRIVATE_KEY } from "../../src/payments/testing/payment.ts";
import { dress, errors, startBrowser, type TestBrowser } from "../support/browser.ts";
import { LOCALHOST, TEST_CA } from "../support/certificates.ts";
import { Folder, Program } from "../support/program.ts";

setDefaultTimeout(patient(120_000));

const test = anyTest.skipIf(!hasNamespaces);
/** Folder for screenshots of the page for viewers; unset: no screenshots. */
const PICTURES = process.env["TURNPIKE_PAGE_PICTURES"] ?? "";
const MODULES = join(import.meta.dir, "../../node_modules");
const TITLE = '<img src=x onerror="document.title=1"> \u202Etxt.exe';
const HOSTILE = `data:text/html;charset=utf-8,<body style="background:rgb(255,0,0)">${encodeURIComponent("<script>document.title = " + JSON.stringify(TITLE).replaceAll("<", "\\u003c") + "</script>")}`;

const folder = new Folder();
let program: Program;
let plain: string;
let turnpike: Turnpike;
let secure: string;
let browser: TestBrowser;

beforeAll(async () => {
  if (!hasNamespaces) return;
  const address = "127.0.0.1";
  const [port, tlsPort] = [await freePort(), await freePort()];
  [plain, secure] = [`http://127.0.0.1:${port}`, `https://127.0.0.1:${tlsPort}`];
  const config = folder.write("turnpike.json", {
    ...shipped,
    server: {
      ...shipped.server,
      listeners: [
        { address, port },
        { address, port: tlsPort, use_tls: true },
      ],
    },
    tls: { cert_path: folder.write("cert.pem", LOCALHOST.cert), key_path: folder.write("key.pem", LOCALHOST.key) },
    content: { browsers: { enabled: true } },
  });
  const state = withBrowser(folder.file("state"));
  program = new Program(["start", "--config", config, "--state-dir", state, "--allow-private"]);
  await program.sees(/^try /m);
  turnpike = new Turnpike({ url: plain, privateKey: PRIVATE_KEY });
  browser = await startBrowser();
});

afterAll(async () => {
  if (hasNamespaces) await Promise.all([program.stop(), browser.close()]);
  folder.remove();
});

async function buy(): Promise<Sold> {
  return soldOf(plain, { ...(await turnpike.browser({ minutes: 5 })) });
}

const SCRIPT = `import { chromium } from "playwright-core";
import { connect } from "puppeteer-core";
const [address] = process.argv.slice(2);
const titles = [];
const puppeteer = await connect({ browserWSEndpoint: address });
const page = await puppeteer.newPage();
await page.goto("data:text/html,<title>by Puppeteer</title>");
titles.push(await page.title());
await puppeteer.disconnect();
const playwright = await chromium.connectOverCDP(address);
const other = await playwright.newPage();
await other.goto("data:text/html,<title>by Playwright</title>");
titles.push(await other.title());
await playwright.close();
console.log(titles.join(", "));
`;

test("Puppeteer and Playwright on Node control a browser through the gateway over TLS", async () => {
  const sold = await buy();
  mkdirSync(folder.file("node_modules"));
  for (const name of ["playwright-core", "puppeteer-core"])
    symlinkSync(join(MODULES, name), folder.file(`node_modules/${name}`));
  const script = folder.write("control.mjs", SCRIPT);
  const address = sold.url.replace(plain.replace("http", "ws"), secure.replace("http", "ws"));
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: folder.write("ca.pem", TEST_CA.cert) };
  const child = Bun.spawn(["node", script, address], { env, stdio: ["ignore", "pipe", "pipe"] });
  const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  expect([code, err, out]).toEqual([0, "", "by Puppeteer, by Playwright\n"]);
  await turnpike.browser_end(sold);
});

/** The colour in the middle of the picture, or the beginning. */
async function waitForColour(page: Page, colour: string): Promise<void> {
  const pixel = `picture.getContext("2d").getImageData(picture.width / 2, picture.height / 2, 1, 1).data`;
  await page.waitForFunction(`[...${pixel}].slice(0, 3).map((one) => Math.round(one / 255)).join() === "${colour}"`);
}

const textOf = async (page: Page, id: string) => await page.$eval(`#${id}`, ({ textContent }) => textContent);

test("a person watches a browser on a page of the gateway, which has its token only in its script", async () => {
  const sold = await buy();
  const client = await connect({ browserWSEndpoint: sold.url, defaultViewport: null });
  const controlled = await client.newPage();
  await controlled.goto(HOSTILE);
  const page = await browser.browser.newPage();
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  page.on("request", (request) => requests.push(request.url().split("#", 1)[0] ?? ""));
  const cdp = await page.createCDPSession();
  await cdp.send("Security.setIgnoreCertificateErrors", { ignore: true });
  await page.goto(`${secure}/browser/view#${sold.viewToken}`);
  await waitForColour(page, "1,0,0");
  await page.waitForFunction(`document.getElementById("title").textContent === ${JSON.stringify(TITLE)}`);
  expect(await textOf(page, "address")).toBe(controlled.url());
  await controlled.evaluate(`document.body.style.background = "rgb(0,255,0)"`);
  await waitForColour(page, "0,1,0");
  await page.reload();
  await waitForColour(page, "0,1,0");
  expect(new Set([page.url(), ...requests])).toEqual(new Set([`${secure}/browser/view`]));
  for (const width of [1280, 390]) {
    for (const scheme of ["light", "dark"] as const) {
      await dress(page, width, scheme);
      expect(await errors(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      if (PICTURES !== "") await page.screenshot({ path: `${PICTURES}/view-${width}-${scheme}.png` });
    }
  }
  await client.disconnect();
  await turnpike.browser_end(sold);
  await page.waitForFunction(`document.getElementById("status").textContent === "The browser has ended."`);
  expect(complaints).toEqual([]);
  await program.sees(/GET \/browser\?token=REDACTED /);
  await program.sees(/GET \/browser\/view /);
  for (const secret of [sold.token, sold.viewToken]) expect(program.output).not.toContain(secret);
  await page.close();
});

const FORM = `data:text/html,${encodeURIComponent(`<title>none</title><style>* { margin: 0; box-sizing: border-box }</style>
  <input autofocus style="width: 100vw; height: 50vh" oninput="document.title = this.value">
  <button style="width: 100vw; height: 50vh" onclick="document.title += ' pressed'">press</button>`)}`;

test("a person with the address for control clicks and types in the browser, by mouse, keyboard and field", async () => {
  const sold = await buy();
  const client = await connect({ browserWSEndpoint: sold.url, defaultViewport: null });
  const controlled = await client.newPage();
  await controlled.goto(FORM);
  const page = await browser.browser.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => void (message.type() === "error" && complaints.push(message.text())));
  await page.setViewport({ width: 1280, height: 900 });
  await page.goto(`${plain}/browser/view#${sold.controlToken}`);
  // Inputs have an effect once there is a picture.
  const isDrawn = `document.getElementById("picture").getContext("2d").getImageData(5, 5, 1, 1).data[3] === 255`;
  await page.waitForFunction(`!document.getElementById("control").hidden && ${isDrawn}`);
  const picture = await page.$("#picture");
  const box = await picture?.boundingBox();
  const press = (share: number) =>
    page.mouse.click((box?.x ?? 0) + (box?.width ?? 0) / 2, (box?.y ?? 0) + (box?.height ?? 0) * share);
  const says = (title: string) => controlled.waitForFunction(`document.title === ${JSON.stringify(title)}`);
  await press(0.25);
  await page.keyboard.type("hi");
  await says("hi");
  await page.keyboard.press("Tab");
  expect(await page.evaluate("document.activeElement.id")).not.toBe("picture");
  await page.type("#text", "é!");
  await page.click("#type");
  await says("hié!");
  await page.click("[data-key=Backspace]");
  await says("hié");
  await press(0.75);
  await says("hié pressed");
  for (const width of [1280, 390]) {
    for (const scheme of ["light", "dark"] as const) {
      await dress(page, width, scheme);
      expect(await errors(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
      if (PICTURES !== "") await page.screenshot({ path: `${PICTURES}/control-${width}-${scheme}.png` });
    }
  }
  expect(complaints).toEqual([]);
  expect(program.output).not.toContain(sold.controlToken);
  await client.disconnect();
  await turnpike.browser_end(sold);
  await page.close();
});

test("the page for viewers says that its address is wrong", async () => {
  const page = await browser.browser.newPage();
  await page.goto(`${plain}/browser/view`);
  expect(await textOf(page, "status")).toContain("The address is incomplete");
  await page.goto(`${plain}/browser/view#wrong`);
  await page.waitForFunction(
    `document.getElementById("status").textContent.startsWith("The browser cannot be reached")`,
  );
  await page.close();
});

const codeOf = (failed: Promise<unknown>) => failed.catch((error: TurnpikeProblem) => error.code);

test("the typed client returns the state of a browser and of a session, and ends them", async () => {
  const [sold, session] = [await buy(), await turnpike.session({ ttl: 60 })];
  expect(await turnpike.browser_status(sold)).toMatchObject({ id: sold.id, connected: false });
  expect(await turnpike.browser_end(sold)).toMatchObject({ id: sold.id });
  expect(await turnpike.session_status(session)).toMatchObject({ id: session.id, uses: 0 });
  expect((await turnpike.session_list(session)).sessions.map(({ id }) => id)).toEqual([session.id]);
  expect(await turnpike.session_end(session)).toMatchObject({ id: session.id });
  expect(await codeOf(turnpike.browser_status(sold))).toBe("not-found");
  expect(await codeOf(turnpike.session_status(session))).toBe("not-found");
});
