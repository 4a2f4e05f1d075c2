/** Access to the admin console, and the end of a session. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ConsoleRig, FULL_KEY, READ_KEY } from "../support/console.ts";
import { everythingTo } from "../support/gateway.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(120_000));

let origin: Bun.Server<undefined>;
let rig: ConsoleRig;

beforeAll(async () => {
  origin = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("hello") });
  rig = await ConsoleRig.start(everythingTo(origin.port ?? 0));
});

afterAll(async () => {
  await rig.stop();
  await origin.stop(true);
});

test("a wrong key is refused with an explanation, the right key opens the console, and scripts see neither", async () => {
  const operator = await rig.operator();
  const { page } = operator;
  await operator.type("Admin key", "not the key");
  await page.keyboard.press("Enter");
  await operator.reads("This is not the key");
  // The field has the focus and its text is selected, so new input replaces it.
  await page.keyboard.type(FULL_KEY);
  await page.keyboard.press("Enter");
  await operator.see("nav");
  expect(await page.evaluate("document.cookie")).toBe("");
  const stored = String(await page.evaluate("JSON.stringify([localStorage, sessionStorage])"));
  expect(stored).toMatch(/^\[\{"turnpike-csrf-token":"[\w-]{43}"\},\{\}\]$/);
  expect(await page.evaluate("document.documentElement.outerHTML")).not.toContain(FULL_KEY);
  const [cookie] = await page.browserContext().cookies();
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/" });
  expect(cookie?.value).not.toContain(FULL_KEY);
  expect(stored).not.toContain(cookie?.value ?? "");
  // A reloaded page continues the session.
  await page.reload();
  await operator.see("nav");
  expect(operator.complaints).toEqual([]);
  await operator.leave();
});

test("after the log-out the page shows nothing, and its cookie is invalid", async () => {
  const operator = await rig.operator();
  await operator.logIn();
  const [cookie] = await operator.page.browserContext().cookies();
  await operator.press("Log out");
  await operator.field("Admin key");
  expect(await operator.page.evaluate("localStorage.length")).toBe(0);
  const response = await fetch(new URL("/v1/routes", rig.url), {
    headers: { cookie: `turnpike_session=${cookie?.value ?? ""}` },
  });
  expect(response.status).toBe(401);
  await operator.leave();
});

test("with the read-only key an operator sees everything, sees why changes are impossible, and has no buttons for them", async () => {
  const operator = await rig.operator();
  await operator.logIn(READ_KEY);
  await operator.reads("This key cannot change anything");
  for (const [view, head] of [
    ["routes", "Routes"],
    ["upstreams", "Upstreams"],
    ["usage", "Usage"],
    ["config", "Configuration"],
  ] as const) {
    await operator.goTo(view, head);
    await operator.see("main :is(table, dl, .empty)");
    const names = await operator.page.$$eval("main :is(button, a.button)", (found) =>
      found.map((element) => element.textContent),
    );
    expect(names.filter((name) => /Add|Edit|Remove|Drain|Persist|Reload|Reset|Evict/.test(name))).toEqual([]);
  }
  expect(operator.complaints).toEqual([]);
  await operator.leave();
});

test("a session that ends requests the key above the view, and the typed input is kept", async () => {
  const operator = await rig.operator();
  await operator.logIn();
  await operator.goTo("routes/new", "Add route");
  await operator.fill("path_prefix", "/typed-before");
  await operator.page.deleteCookie(...(await operator.page.browserContext().cookies()));
  await operator.reads("Your session ended");
  // Escape does not close it.
  await operator.page.keyboard.press("Escape");
  await operator.see("dialog[open]");
  await operator.type("Admin key", FULL_KEY);
  await operator.page.keyboard.press("Enter");
  await operator.page.waitForSelector("dialog", { hidden: true });
  const kept = await operator.page.$eval(`[id="field-path_prefix"]`, (input) => Reflect.get(input, "value") as unknown);
  expect(kept).toBe("/typed-before");
  expect(operator.complaints).toEqual([]);
  await operator.leave();
});

test("the cookie without the token of the log-in does not open the console", async () => {
  const operator = await rig.operator();
  await operator.logIn();
  await operator.page.evaluate("localStorage.clear()");
  await operator.page.reload();
  await operator.field("Admin key");
  expect(operator.complaints).toEqual([]);
  await operator.leave();
});

test("a form on another site, sent with the console's cookie, changes nothing", async () => {
  const operator = await rig.operator();
  await operator.logIn();
  const status = await operator.page.evaluate(
    `fetch("/v1/usage", { method: "DELETE", credentials: "same-origin" }).then((response) => response.status)`,
  );
  expect(status).toBe(403);
  await operator.leave();
});
