/**
 * Every view of the admin console, wide and narrow, light and dark: accessible by axe, within its content security
 * policy, with hostile names as plain text.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { type Sandbox, startSandbox } from "../../src/gateway/filters/control/testing/sandbox.ts";
import { op } from "../../src/gateway/filters/module/testing/assembler.ts";
import { ownModule } from "../../src/gateway/filters/own-abi/testing/own-module.ts";
import { signedPayment, TERMS } from "../../src/payments/testing/payment.ts";
import { encodeHeader } from "../../src/payments/x402/header.ts";
import {
  LONG,
  LONG_TEXTS,
  longBodies,
  PAYMENT,
  RECENTLY,
  respondWith,
  RUNNING_JOB,
  SOLD,
  TODAY,
  UNKNOWN_TOKEN,
} from "./testing/long-bodies.ts";
import { ConsoleRig, type Operator, READ_KEY } from "../support/console.ts";
import { COLOUR_RULES, dress, errors, startBrowser, type TestBrowser } from "../support/browser.ts";
import { serverAt } from "../support/gateway.ts";
import { until } from "../../src/lib/testing/until.ts";
import { Folder } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(180_000));

/** Folder for screenshots of the views; unset: no screenshots. */
const PICTURES = process.env["TURNPIKE_PAGE_PICTURES"] ?? "";

/** The path at which the job of `LONG` that runs is cancelled. */
const CANCELLED = `/v1/jobs/${encodeURIComponent(RUNNING_JOB)}`;

const HOSTILE = "<img src=x onerror=document.title='owned'>";

const VIEWS: readonly (readonly [view: string, head: string])[] = [
  ["overview", "Overview"],
  ["overview?range=month", "Overview"],
  ["requests", "Live requests"],
  ["routes", "Routes"],
  ["routes/sell", "Sell a path"],
  ["config/settings", "Edit settings"],
  ["routes/new", "Add route"],
  ["routes/edit?prefix=%2Fkeys", "Edit route"],
  ["upstreams", "Upstreams"],
  ["upstreams/new", "Add upstream"],
  ["upstreams/edit?name=origin", "Edit upstream"],
  ["payments", "Payments"],
  ["payments/all", "Payments"],
  ["payments/payers", "Payments"],
  ["payments/one?id=0x1", "Payment"],
  ["funnel", "Funnel"],
  ["funnel?range=days", "Funnel"],
  ["usage", "Usage"],
  ["usage?by=routes", "Usage"],
  ["keys", "Keys and credit"],
  ["keys/credits", "Keys and credit"],
  ["keys/credit?id=0x1", "Credit"],
  ["config", "Configuration"],
  ["filters", "Filters and tenants"],
  ["content", "Content service"],
  ["jobs", "Jobs"],
  ["activity", "Activity"],
  ["activity?show=log", "Activity"],
  ["nowhere", "No such page"],
];

/** One filter allows requests, the other never ends. */
const FILTERS: Readonly<Record<string, Uint8Array>> = {
  "guard.wasm": ownModule([], { on_request: op.i32(0) }),
  "endless.wasm": ownModule([], { on_request: [...op.loop, ...op.br(0), ...op.end, ...op.i32(0)] }),
};

/** The texts in tables, tiles and lists that reach beyond their box, and the figures that stand alone in a row. */
const MISPLACED = `(() => {
  const found = [];
  const shown = (one) => one.checkVisibility() && one.closest(".visually-hidden") === null;
  for (const box of document.querySelectorAll("main td, main tbody th, main .tile, main .lines > li, main .panel-head, main .head")) {
    const { left, right } = box.getBoundingClientRect();
    for (const one of box.querySelectorAll("*")) {
      const own = one.getBoundingClientRect();
      if (shown(one) && one.closest(".clip") === null && (own.right > right + 1 || own.left < left - 1)) {
        found.push(one.outerHTML.slice(0, 120));
      }
    }
  }
  for (const tiles of document.querySelectorAll(".tiles")) {
    const rows = Map.groupBy(tiles.children, (one) => one.getBoundingClientRect().top);
    if (innerWidth >= 1280 && tiles.children.length > 1 && [...rows.values()].some(({ length }) => length === 1)) {
      found.push("alone: " + tiles.lastChild.innerText);
    }
  }
  return found;
})()`;

let folder: Folder;
let sandbox: Sandbox;
let browser: TestBrowser;
let origin: Bun.Server<undefined>;
let rig: ConsoleRig;
let empty: ConsoleRig;

beforeAll(async () => {
  browser = await startBrowser();
  origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") });
  const server = serverAt(origin.port ?? 0);
  folder = new Folder();
  for (const [name, bytes] of Object.entries(FILTERS)) writeFileSync(folder.file(name), bytes);
  sandbox = await startSandbox();
  rig = await ConsoleRig.start(
    {
      upstreams: [
        { name: "origin", servers: [server, { address: "127.0.0.1", port: 9 }] },
        { name: HOSTILE, servers: [server] },
      ],
      routes: [
        { path_prefix: "/", upstream: "origin", cache: {} },
        {
          path_prefix: "/keys",
          upstream: HOSTILE,
          auth: { type: "api_key", keys: [{ key: "k-1", name: HOSTILE }] },
          rate_limit: {},
        },
        { path_prefix: "/endless", upstream: "origin" },
        { path_prefix: "/paid", upstream: "origin", x402: TERMS },
      ],
      x402: { enabled: true, test_mode: true },
      wasm_filters: [
        { match: "/", module: folder.file("guard.wasm"), instances: 2 },
        { match: "/endless", module: folder.file("endless.wasm"), fuel: 10_000 },
      ],
      wasm_control_socket: sandbox.path,
    },
    browser,
  );
  empty = await ConsoleRig.start({}, browser);
  for (let i = 0; i < 10; i += 1) {
    await fetch(`http://127.0.0.1:${rig.gateway.port}/${encodeURIComponent(HOSTILE)}`);
    await fetch(`http://127.0.0.1:${rig.gateway.port}/endless`);
    await fetch(`http://127.0.0.1:${rig.gateway.port}/keys`, { headers: { "x-api-key": "k-1" } });
  }
  await fetch(`http://127.0.0.1:${rig.gateway.port}/paid`, {
    headers: { "payment-signature": encodeHeader(signedPayment(Date.now() / 1000)) },
  });
  // A change that is not in the file, and a name that must not be executed on the page.
  await rig.ask("/v1/routes/%2Fkeys", { method: "PATCH", body: { x402: null, mirror: HOSTILE } });
  const hostile = `/v1/upstreams/${encodeURIComponent(HOSTILE)}/servers/${encodeURIComponent(`127.0.0.1:${origin.port}`)}`;
  for (const way of ["drain", "undrain"]) {
    expect((await rig.ask(`${hostile}/${way}`, { method: "POST" })).status).toBe(200);
  }
});

afterAll(async () => {
  await rig.stop();
  await empty.stop();
  await origin.stop(true);
  await sandbox.close();
  folder.remove();
  await browser.close();
});

async function picture(operator: Operator, name: string): Promise<void> {
  if (PICTURES === "") return;
  mkdirSync(PICTURES, { recursive: true });
  await operator.page.screenshot({ path: `${PICTURES}/${name.replaceAll(/[^\w-]/g, "_")}.png`, fullPage: true });
}

/** Looks at the page with light and with dark colours, of which only the first checks what does not depend on colours. */
async function inspect(operator: Operator, width: number, name?: string): Promise<void> {
  for (const scheme of ["light", "dark"] as const) {
    await dress(operator.page, width, scheme);
    const found = await (scheme === "light" ? errors(operator.page) : errors(operator.page, COLOUR_RULES));
    expect([scheme, found]).toEqual([scheme, []]);
    expect(await operator.page.evaluate("document.documentElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    if (name !== undefined) await picture(operator, `${name}-${width}-${scheme}`);
  }
}

/** The view shows its content, and nothing loads any more. */
async function isSettled(operator: Operator): Promise<void> {
  await operator.page.waitForFunction(`document.querySelector("main [aria-busy]") === null`);
}

for (const width of [1440, 390]) {
  test(`at ${width} px, light and dark: axe reports nothing in any view, no view is too wide, and no resource is blocked or loaded from elsewhere`, async () => {
    const operator = await rig.operator({ width });
    await operator.at("Turnpike console");
    await inspect(operator, width);
    await operator.logIn();
    for (const [view, head] of VIEWS) {
      await operator.goTo(view, head);
      await isSettled(operator);
      await operator.page.evaluate(`for (const fold of document.querySelectorAll("details")) fold.open = true`);
      await inspect(operator, width, view);
    }
    await operator.goTo("usage", "Usage");
    await operator.press("Reset");
    await operator.see("dialog[open]");
    await inspect(operator, width);
    expect(operator.complaints).toEqual([]);
    expect(operator.strays).toEqual([]);
    await operator.leave();
  });

  test(`at ${width} px, light and dark: the console of an empty gateway shows the next steps`, async () => {
    const operator = await empty.operator({ width });
    await operator.logIn();
    for (const [view, text] of [
      ["routes", "Add the first route"],
      ["upstreams", "Add the first upstream"],
      ["payments", "to take payments for it"],
      ["usage", "Nothing was counted yet"],
      ["content", "No content service responds"],
      ["jobs", "This gateway has no content service of its own"],
      ["config", "Memory and file are the same"],
      ["filters", "No filters yet"],
    ] as const) {
      await operator.page.evaluate(`location.hash = "#/${view}"`);
      await operator.reads(text);
      await inspect(operator, width);
    }
    expect(operator.complaints).toEqual([]);
    await operator.leave();
  });
}

for (const width of [1280, 390]) {
  test(`at ${width} px: long names and large figures stay within their boxes, and no figure stands alone`, async () => {
    const operator = await rig.operator({ width });
    await respondWith(operator.page, await longBodies(async (path) => await rig.ask(path)));
    await operator.logIn();
    for (const [view, head] of VIEWS) {
      await operator.goTo(view, head);
      await isSettled(operator);
      for (const text of LONG_TEXTS[view] ?? []) await operator.reads(text);
      await picture(operator, `long_${view}-${width}`);
      expect([view, await operator.page.evaluate(MISPLACED)]).toEqual([view, []]);
    }
    await operator.leave();
  });
}

test("names that clients choose are shown as text in every view", async () => {
  const operator = await rig.operator();
  await operator.logIn();
  const shownIn: string[] = [];
  for (const [view, head] of VIEWS) {
    await operator.goTo(view, head);
    await isSettled(operator);
    if ((await operator.text()).includes(HOSTILE)) shownIn.push(view);
    expect(await operator.page.title()).not.toBe("owned");
    expect(await operator.page.$(`main img`)).toBeNull();
  }
  expect(shownIn).toEqual(expect.arrayContaining(["routes", "upstreams", "usage", "config", "activity"]) as string[]);
  expect(operator.complaints).toEqual([]);
  await operator.leave();
});

test("names and messages show their invisible characters", async () => {
  const name = "\u202eecila\u200b";
  const usage = LONG["/v1/usage"] as object;
  const bodies: Readonly<Record<string, unknown>> = {
    "/v1/usage": { ...usage, consumers: [{ name, ...SOLD }] },
    "/v1/tenants": { tenants: [{ key: name, path: "/run/a.sock", last_used_ms: RECENTLY, workers: 1 }] },
    "/v1/payments": {
      ...(LONG["/v1/payments"] as object),
      days: [{ day: TODAY, route: name, payments: 3, ...UNKNOWN_TOKEN }],
    },
    "/v1/payments/search": {
      payments: [{ ...PAYMENT, route: name, payer: name, id: "1", time_ms: RECENTLY, ...UNKNOWN_TOKEN }],
    },
  };
  const operator = await rig.operator();
  await respondWith(operator.page, bodies);
  await operator.logIn();
  for (const [view, head] of [
    ["usage", "Usage"],
    ["filters", "Filters and tenants"],
    ["payments", "Payments"],
    ["payments/all", "Payments"],
  ] as const) {
    await operator.goTo(view, head);
    await operator.reads("\\u{202e}ecila\\u{200b}");
    expect(await operator.page.content()).not.toMatch(/[\u202e\u200b]/);
  }
  await operator.leave();
});

test("the console is operable by keyboard: past the menu, into a dialog, out of it", async () => {
  const operator = await rig.operator();
  await operator.logIn();
  await operator.goTo("upstreams", "Upstreams");
  const { page } = operator;
  await page.reload();
  await operator.at("Upstreams");
  await operator.see("main table");
  const focused = async (): Promise<unknown> => await page.evaluate("document.activeElement.textContent.trim()");
  await page.keyboard.press("Tab");
  expect(await focused()).toBe("Skip to the content");
  await page.keyboard.press("Enter");
  expect(await page.evaluate("document.activeElement.id")).toBe("main");
  const reached: unknown[] = [];
  for (let i = 0; i < 4; i += 1) {
    await page.keyboard.press("Tab");
    reached.push(await focused());
  }
  expect(reached).toEqual(["Add upstream", "Edit origin", "Remove origin", expect.stringMatching(/^Drain 127/)]);
  await page.keyboard.press("Enter");
  await operator.see("dialog[open]");
  await page.keyboard.press("Tab");
  expect(["Cancel", "Drain server"]).toContain(String(await focused()));
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { hidden: true });
  expect(await focused()).toStartWith("Drain 127");
  await operator.leave();
});

test("a job is cancelled after a confirmation, by keyboard, and not with a key that may only read", async () => {
  const { "/v1/jobs": jobs } = LONG;
  const operator = await rig.operator();
  await respondWith(operator.page, { "/v1/jobs": jobs, [CANCELLED]: { ok: true } });
  await operator.logIn();
  await operator.goTo("jobs", "Jobs");
  await operator.reads("9,999 of 10,000");
  const { page } = operator;
  const asked: string[] = [];
  page.on("request", (request) => void (request.method() === "DELETE" && asked.push(new URL(request.url()).pathname)));
  await page.focus("main .danger");
  await page.keyboard.press("Enter");
  await operator.see("dialog[open]");
  await page.keyboard.press("Escape");
  await page.waitForSelector("dialog", { hidden: true });
  expect(asked).toEqual([]);
  await page.keyboard.press("Enter");
  await operator.see("dialog[open] .primary");
  await page.focus("dialog .primary");
  await page.keyboard.press("Enter");
  await operator.reads("The job is cancelled.");
  expect(asked).toEqual([CANCELLED]);
  await operator.leave();
  const reader = await rig.operator();
  await respondWith(reader.page, { "/v1/jobs": jobs });
  await reader.logIn(READ_KEY);
  await reader.goTo("jobs", "Jobs");
  await reader.reads("9,999 of 10,000");
  expect(await reader.page.$("main .danger")).toBeNull();
  await reader.leave();
});

test("on a narrow page the menu opens, navigates and closes", async () => {
  const operator = await rig.operator({ width: 390 });
  await operator.logIn();
  const isShown = async (): Promise<unknown> =>
    await operator.page.evaluate(`document.querySelector("nav").checkVisibility()`);
  expect(await isShown()).toBe(false);
  await operator.press("Menu");
  expect(await isShown()).toBe(true);
  await operator.press("Payments");
  await operator.at("Payments");
  await until(async () => (await isShown()) === false);
  await operator.leave();
});
