/** The admin console while its gateway is stopped, and after its restart. */
import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { ADMIN, adminUrl, FULL_KEY, Operator } from "../support/console.ts";
import { startBrowser, type TestBrowser } from "../support/browser.ts";
import { Folder, Program } from "../support/program.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(120_000));

const folder = new Folder();
let browser: TestBrowser | undefined;
let program: Program | undefined;

afterAll(async () => {
  await browser?.close();
  await program?.stop();
  folder.remove();
});

async function start(port: number, workers: number): Promise<string> {
  const path = folder.write("turnpike.json", {
    server: { address: "127.0.0.1", port: 0, workers },
    admin: { ...ADMIN, port },
    routes: [],
    upstreams: [{ name: "kept", servers: [{ address: "127.0.0.1", port: 9 }] }],
  });
  const started = new Program(["--config", path]);
  program = started;
  return await adminUrl(() => started.output);
}

test("when a supervisor is killed and restarted, the page shows it, retries, and requests the key above the same view", async () => {
  browser = await startBrowser();
  const url = await start(0, 2);
  const operator = await Operator.open(browser, url);
  await operator.logIn();
  await operator.goTo("upstreams/edit?name=kept", "Edit upstream");
  await operator.fill("slow_start_ms", "1500");
  program?.kill("SIGTERM");
  await program?.exit();
  await operator.reads("The gateway has not responded since");

  expect(await start(Number(new URL(url).port), 2)).toBe(url);
  await operator.reads("Your session ended");
  await operator.type("Admin key", FULL_KEY);
  await operator.page.keyboard.press("Enter");
  await operator.page.waitForSelector("dialog", { hidden: true });
  await operator.page.waitForFunction(`!document.body.innerText.includes("has not responded since")`);
  await operator.at("Edit upstream");
  const kept = await operator.page.$eval(
    `[id="field-slow_start_ms"]`,
    (input) => Reflect.get(input, "value") as unknown,
  );
  expect(kept).toBe("1500");
  await operator.goTo("overview", "Overview");
  await operator.reads("Worker 2");
  expect(operator.complaints).toEqual([]);
});
