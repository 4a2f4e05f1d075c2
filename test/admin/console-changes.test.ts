/** Changes in the admin console, and their effect on traffic. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { type HTTPRequest } from "puppeteer-core";
import { readFileSync, writeFileSync } from "node:fs";
import { until } from "../../src/lib/testing/until.ts";
import { ConsoleRig, type Operator } from "../support/console.ts";
import { serverAt } from "../support/gateway.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(120_000));

let origins: Bun.Server<undefined>[];
let rig: ConsoleRig;
let operator: Operator;

beforeAll(async () => {
  origins = ["one", "two"].map((name) =>
    Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(`from ${name}`) }),
  );
  rig = await ConsoleRig.start({
    upstreams: [{ name: "pair", servers: origins.map(({ port }) => serverAt(port ?? 0)) }],
    routes: [
      { path_prefix: "/first", upstream: "pair", auth: { type: "api_key", keys: [{ key: "k-1", name: "acme" }] } },
    ],
  });
  operator = await rig.operator();
  await operator.logIn();
});

afterAll(async () => {
  expect(operator.complaints).toEqual([]);
  await rig.stop();
  for (const origin of origins) await origin.stop(true);
});

async function get(path: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
  const response = await fetch(`http://127.0.0.1:${rig.gateway.port}${path}`, { headers });
  return { status: response.status, text: await response.text() };
}

/** The response to a submission moves the focus. The check of what was typed shows the same problems before. */
async function summaryGetsFocus(): Promise<void> {
  await operator.page.waitForFunction(`document.activeElement?.className === "editor-summary"`);
}

/** The selector of a field's messages. */
function beside(path: string): string {
  return `[id="field-${path}-messages"] .field-error`;
}

async function filePath(): Promise<string> {
  const { config } = (await (await rig.ask("/v1/status")).json()) as { config: { path: string } };
  return config.path;
}

test("a route that is added in the form serves traffic", async () => {
  expect((await get("/added")).status).toBe(404);
  await operator.goTo("routes", "Routes");
  await operator.press("Add route");
  await operator.at("Add route");
  await operator.fill("path_prefix", "/added");
  await operator.fill("upstream", "pair");
  await operator.reads("The configuration is valid.");
  await operator.press("Add route");
  await operator.at("Routes");
  await operator.reads("It is in memory until you persist it.");
  await operator.row("/added", "pair");
  expect(await get("/added")).toMatchObject({ status: 200, text: expect.stringContaining("from") as string });
});

test("problems are shown beside their fields, and the summary links to them", async () => {
  await operator.goTo("routes/new", "Add route");
  await operator.fill("path_prefix", "no-slash");
  await operator.fill("upstream", "nowhere");
  await operator.see(beside("path_prefix"));
  await operator.see(beside("upstream"));
  expect(await operator.page.$eval(`[id="field-upstream"]`, (field) => field.getAttribute("aria-invalid"))).toBe(
    "true",
  );
  // A key in a collapsed section.
  await operator.fill("read_timeout_ms", "soon");
  await operator.see(beside("read_timeout_ms"));
  await operator.press("Add route");
  await summaryGetsFocus();
  await operator.see(".editor-summary .notice.bad");
  await operator.page.evaluate(`for (const fold of document.querySelectorAll("details")) fold.open = false`);
  await operator.press("read_timeout_ms");
  expect(await operator.page.evaluate("document.activeElement.id")).toBe("field-read_timeout_ms");
  expect((await get("/no-slash")).status).toBe(404);
  await operator.fill("path_prefix", "/mended");
  await operator.page.waitForSelector(beside("path_prefix"), { hidden: true });
});

test("nothing can be typed while a submission waits for its response", async () => {
  const { page } = operator;
  const held: HTTPRequest[] = [];
  const hold = (request: HTTPRequest): void => {
    if (request.method() === "POST" && request.url().endsWith("/v1/routes")) held.push(request);
    else void request.continue();
  };
  await page.setRequestInterception(true);
  page.on("request", hold);
  try {
    await operator.goTo("routes/new", "Add route");
    await operator.fill("path_prefix", "slash");
    await operator.press("Add route");
    await until(() => held.length > 0);
    await page.keyboard.type("er");
    await (await operator.see(`[id="field-path_prefix"]`)).click();
    await page.keyboard.type("est");
    await Promise.all(held.map((request) => request.continue()));
    await summaryGetsFocus();
    await operator.see(".editor-summary .notice.bad");
    expect(await page.evaluate(`document.getElementById("field-path_prefix").value`)).toBe("slash");
    await operator.fill("path_prefix", "/mended");
    await page.waitForSelector(beside("path_prefix"), { hidden: true });
  } finally {
    page.off("request", hold);
    await page.setRequestInterception(false);
  }
});

test("a failed check is repeated", async () => {
  const { page } = operator;
  let failed = 0;
  const failOnce = (request: HTTPRequest): void => {
    const fails = failed === 0 && request.url().endsWith("/v1/config/check");
    if (fails) failed++;
    void (fails ? request.abort() : request.continue());
  };
  await page.setRequestInterception(true);
  page.on("request", failOnce);
  try {
    await operator.goTo("routes/new", "Add route");
    await operator.fill("path_prefix", "no-slash");
    await operator.see(beside("path_prefix"));
    expect(failed).toBe(1);
  } finally {
    page.off("request", failOnce);
    await page.setRequestInterception(false);
  }
});

test("a secret is kept while its route is changed, and replaced when another one is typed", async () => {
  await operator.goTo("routes/edit?prefix=%2Ffirst", "Edit route");
  const key = await operator.see(`[id="field-auth.keys[0].key"]`);
  expect(await key.evaluate((input) => [input.getAttribute("placeholder"), Reflect.get(input, "value")])).toEqual([
    "unchanged",
    "",
  ]);
  await operator.fill("auth.header_name", "X-Other");
  await operator.press("Save changes");
  await operator.at("Routes");
  expect((await get("/first", { "x-other": "k-1" })).status).toBe(200);
  await operator.goTo("routes/edit?prefix=%2Ffirst", "Edit route");
  await operator.fill("auth.keys[0].key", "k-2");
  await operator.press("Save changes");
  await operator.at("Routes");
  expect((await get("/first", { "x-other": "k-1" })).status).toBe(401);
  expect((await get("/first", { "x-other": "k-2" })).status).toBe(200);
});

test("a change by another operator is shown with its author, and the typed values are applied to it", async () => {
  await operator.goTo("routes/edit?prefix=%2Fadded", "Edit route");
  await operator.fill("read_timeout_ms", "1234");
  const theirs = await rig.ask("/v1/routes/%2Fadded", { method: "PATCH", body: { total_timeout_ms: 4321 } });
  expect(theirs.status).toBe(200);
  await operator.press("Save changes");
  await operator.reads("The configuration was changed while you edited");
  await operator.reads("operator from 127.0.0.1");
  await operator.reads("They changed these keys of this route: total_timeout_ms.");
  await operator.press("Load the new state, keep what I typed");
  await operator.press("Save changes");
  await operator.at("Routes");
  const config = (await (await rig.ask("/v1/config")).json()) as { routes: object[] };
  expect(config.routes).toContainEqual(expect.objectContaining({ read_timeout_ms: 1234, total_timeout_ms: 4321 }));
});

test("typed input is still there after a visit to another view, and can be discarded", async () => {
  await operator.goTo("routes/edit?prefix=%2Fadded", "Edit route");
  await operator.fill("mirror", "pair");
  await operator.goTo("overview", "Overview");
  await operator.goTo("routes/edit?prefix=%2Fadded", "Edit route");
  await operator.reads("Your earlier input is still here.");
  await operator.press("Discard it");
  const value = await operator.page.$eval(`[id="field-mirror"]`, (input) => Reflect.get(input, "value") as unknown);
  expect(value).toBe("");
});

test("persist shows the difference before it writes the file, and warns if another program changed it", async () => {
  const path = await filePath();
  expect(readFileSync(path, "utf8")).not.toContain("/added");
  await operator.goTo("config", "Configuration");
  await operator.reads("routes[1]");
  await operator.press("Persist");
  await operator.see("dialog[open] .patch");
  await operator.press("Cancel");
  expect(readFileSync(path, "utf8")).not.toContain("/added");
  await operator.press("Persist");
  await operator.see("dialog[open]");
  await operator.press("Persist");
  await operator.reads("Memory and file are the same");
  expect(readFileSync(path, "utf8")).toContain("/added");

  await rig.ask("/v1/routes/%2Fadded", { method: "PATCH", body: { read_timeout_ms: 99 } });
  writeFileSync(path, `${readFileSync(path, "utf8")}\n`);
  await operator.reads("read_timeout_ms = 99");
  await operator.press("Persist");
  await operator.see("dialog[open]");
  await operator.press("Persist");
  await operator.reads("Overwrite the other changes?");
  await operator.press("Write over them");
  await operator.reads("Memory and file are the same");
  expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ routes: [{}, { read_timeout_ms: 99 }] });
});

test("reload names what it discards before it does", async () => {
  await rig.ask("/v1/routes", { method: "POST", body: { path_prefix: "/lost", upstream: "pair" } });
  await operator.reads('"path_prefix": "/lost"');
  await operator.press("Reload");
  await operator.reads("These changes are in memory only and are lost:");
  await operator.see("dialog[open] .patch");
  expect((await get("/lost")).status).toBe(200);
  await operator.page.locator("dialog[open] .primary").click();
  await operator.reads("The file is read, and all workers serve by it.");
  expect((await get("/lost")).status).toBe(404);
});

test("a server is drained under load without a failed request, and returns to the rotation", async () => {
  const seen = { one: 0, two: 0 };
  const failed: string[] = [];
  const over = new AbortController();
  const client = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const { status, text } = await get("/added");
      if (status !== 200) failed.push(`${status} ${text}`);
      else seen[text === "from one" ? "one" : "two"] += 1;
    }
  };
  const load = Promise.all(Array.from({ length: 8 }, client));
  const name = `127.0.0.1:${origins[0]?.port}`;
  try {
    await until(() => seen.one > 20 && seen.two > 20);
    await operator.goTo("upstreams", "Upstreams");
    await operator.press(`Drain ${name}`);
    await operator.press("Drain server");
    await operator.reads(`${name} takes no new requests.`);
    await operator.row(name, "drained");
    const before = { ...seen };
    await until(() => seen.two > before.two + 100);
    // Requests that were in flight, at most one for each client.
    expect(seen.one - before.one).toBeLessThanOrEqual(8);
    await operator.press(`Undrain ${name}`);
    await operator.press("Undrain server");
    const drained = seen.one;
    await until(() => seen.one > drained + 20);
  } finally {
    over.abort();
    await load;
  }
  expect(failed).toEqual([]);
});

test("an upstream that routes name is removed and added again, and the routes that wait are shown meanwhile", async () => {
  await operator.goTo("upstreams", "Upstreams");
  await operator.press("Remove pair");
  await operator.press("Remove upstream");
  await operator.reads("Until it is added again, requests get 503: /first, /added");
  await operator.page.waitForFunction(`!document.querySelector("main").innerText.includes("Remove")`);
  expect((await get("/added")).status).toBe(503);
  const body = { name: "pair", servers: origins.map(({ port }) => serverAt(port ?? 0)) };
  expect((await rig.ask("/v1/upstreams", { method: "POST", body })).status).toBe(201);
  await operator.reads("2 of 2 in rotation");
  expect((await get("/added")).status).toBe(200);
});

test("usage is reset after a confirmation", async () => {
  await operator.goTo("usage", "Usage");
  await operator.reads("acme");
  await operator.press("Reset");
  await operator.see("dialog[open]");
  await operator.press("Reset usage");
  await operator.reads("Usage is reset.");
  await operator.page.waitForFunction(`!document.querySelector("main").innerText.includes("acme")`);
});

test("a change that takes a guard from paths is asked about, and its warnings stay until they are dismissed", async () => {
  await operator.goTo("routes", "Routes");
  await operator.press("Add route");
  await operator.at("Add route");
  await operator.press("Discard it");
  await operator.fill("path_prefix", "/first/open");
  await operator.fill("upstream", "pair");
  await operator.reads("The configuration is valid.");
  await operator.press("Add route");
  await operator.reads('would serve requests without the authentication of the route "/first"');
  expect((await get("/first/open")).status).toBe(401);
  await operator.press("Cancel");
  await operator.press("Add route");
  await operator.reads("Take guards from paths?");
  await operator.press("Change anyway");
  await operator.at("Routes");
  await operator.reads('add "without": ["auth"]');
  expect((await get("/first/open")).status).toBe(200);
  await operator.press("Dismiss");
  await rig.ask("/v1/routes/%2Ffirst%2Fopen", { method: "DELETE" });
});

test("a route is removed after a confirmation, and the focus returns to its earlier place", async () => {
  await operator.goTo("routes", "Routes");
  await operator.press("Remove /added");
  await operator.see("dialog[open]");
  await operator.page.keyboard.press("Escape");
  await operator.page.waitForSelector("dialog", { hidden: true });
  expect(await operator.page.evaluate("document.activeElement.textContent")).toBe("Remove /added");
  expect((await get("/added")).status).toBe(200);
  await operator.press("Remove /added");
  await operator.press("Remove route");
  await operator.reads("The route /added is removed.");
  expect((await get("/added")).status).toBe(404);
});
