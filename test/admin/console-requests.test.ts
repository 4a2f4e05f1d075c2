/** The live requests of the console, with hostile clients. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { until } from "../../src/lib/testing/until.ts";
import { patient } from "../../src/lib/testing/patience.ts";
import { errors } from "../support/browser.ts";
import { ConsoleRig } from "../support/console.ts";
import { everythingTo } from "../support/gateway.ts";

setDefaultTimeout(patient(120_000));

const HOSTILE = "<img src=x onerror=document.title='owned'>";

let origin: Bun.Server<undefined>;
let rig: ConsoleRig;

beforeAll(async () => {
  origin = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => new Response("hello", { status: url.includes("fail") ? 500 : 200 }),
  });
  rig = await ConsoleRig.start({ ...everythingTo(origin.port ?? 0), access_log: { enabled: false } });
});
afterAll(async () => {
  await rig.stop();
  await origin.stop(true);
});

async function ask(path: string): Promise<void> {
  const headers = { "user-agent": HOSTILE };
  await (await fetch(`http://127.0.0.1:${rig.gateway.port}${path}`, { headers })).text();
}

for (const width of [1280, 390]) {
  test(`at ${width} px: requests appear, are filtered, paused and continued`, async () => {
    const operator = await rig.operator({ width });
    await operator.logIn();
    await operator.goTo("requests", "Live requests");
    await operator.reads("No request yet");
    await operator.reads("live");
    await ask(`/first?q=${HOSTILE}`);
    await ask("/fail");
    await operator.row("GET /fail", "500");
    expect(await operator.text()).toContain(HOSTILE);
    expect(await operator.page.$("main img")).toBeNull();
    expect(await operator.page.title()).not.toBe("owned");
    expect(await errors(operator.page)).toEqual([]);
    await operator.press("Pause");
    await operator.reads("paused");
    await ask("/unseen");
    await operator.press("Clear");
    await operator.page.select("main select", "5");
    await operator.page.type("[type=search]", "WANTED");
    const filtered = operator.page.waitForRequest((request) => request.url().endsWith("?text=WANTED&status=5"));
    await operator.press("Continue");
    await filtered;
    await operator.reads("No request yet");
    // The stream with the filter may begin after the first of these requests.
    await until(async () => {
      await ask("/wanted");
      await ask("/fail/other");
      await ask("/fail/wanted");
      return (await operator.text()).includes("/fail/wanted");
    });
    const text = await operator.text();
    for (const path of ["/unseen", "GET /wanted", "/fail/other"]) expect(text).not.toContain(path);
    expect(operator.complaints).toEqual([]);
    await operator.leave();
  });
}
