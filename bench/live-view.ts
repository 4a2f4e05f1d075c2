/** `npm run bench -- live-view`: the CPU time of a browser by the minute and its service, by the number of viewers. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { connect } from "puppeteer-core";
import { processFacts } from "../src/content/browser/program/process-table.ts";
import { type Sold, soldOf } from "../src/content/live/testing/live-service.ts";
import { descendantsOf } from "../src/content/testing/processes.ts";
import { withBrowser } from "../src/content/testing/state-folder.ts";
import { aligned } from "./support/report.ts";

const VIEWERS = [0, 1, 4];
/** Milliseconds between the last change and the measurement. */
const SETTLE_MS = 2_000;
const PROGRAM = fileURLToPath(new URL("../src/content/live/testing/live-program.ts", import.meta.url));

/** An article, and on one page a picture of a quarter of the window that moves in each frame. */
const TEXT = `<h1>Toll roads</h1>${"<p>A gateway sells content by the request, and people watch it at work.</p>".repeat(30)}`;
const PAGES: Readonly<Record<string, string>> = {
  still: TEXT,
  animated: `<style>@keyframes turn { to { transform: rotate(1turn) } }
    div { position: fixed; top: 25%; left: 25%; width: 50vw; height: 50vh; background: linear-gradient(red, blue); animation: turn 4s linear infinite }</style>
    ${TEXT}<div></div>`,
};

/** A viewer that asks for each next picture at once. */
async function startViewer({ view, viewToken }: Sold): Promise<{ readonly pictures: () => number; close(): void }> {
  const socket = new WebSocket(view, ["turnpike.view", `turnpike.secret.${viewToken}`]);
  socket.binaryType = "arraybuffer";
  let pictures = 0;
  const begun = new Promise((resolve) => socket.addEventListener("message", resolve));
  socket.addEventListener("message", ({ data }) => {
    const bytes = new Uint8Array(data as ArrayBuffer); // as chosen above
    if (bytes.indexOf(10) + 1 < bytes.length) pictures += 1;
    socket.send("next");
  });
  await begun;
  return { pictures: () => pictures, close: () => socket.close() };
}

/** CPU milliseconds of the service, and of its browsers. */
function cpuOf(service: number): readonly [service: number, browser: number] {
  const below = descendantsOf(service).map(({ pid }) => processFacts(pid)?.cpuMs ?? 0);
  return [processFacts(service)?.cpuMs ?? 0, below.reduce((sum, ms) => sum + ms, 0)];
}

async function measure(sold: Sold, service: number, viewers: number, seconds: number): Promise<readonly string[]> {
  const all = await Promise.all(Array.from({ length: viewers }, () => startViewer(sold)));
  await Bun.sleep(SETTLE_MS);
  const seen = all.map(({ pictures }) => pictures());
  const [before, began] = [cpuOf(service), performance.now()];
  await Bun.sleep(seconds * 1_000);
  const [after, took] = [cpuOf(service), (performance.now() - began) / 1_000];
  const pictures = all.reduce((sum, one, at) => sum + one.pictures() - (seen[at] ?? 0), 0) / Math.max(viewers, 1);
  for (const one of all) one.close();
  const share = (at: 0 | 1) => `${(((after[at] - before[at]) / took) * 0.1).toFixed(1)} %`;
  return [share(0), share(1), (pictures / took).toFixed(1)];
}

/** Prints, for a still and an animated page, shares of one CPU and the pictures that each viewer gets in a second. */
export async function runLiveViewBench(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({ args: [...args], options: { seconds: { type: "string", default: "10" } } });
  const state = withBrowser(mkdtempSync(join(tmpdir(), "turnpike-bench-")));
  const child = Bun.spawn([process.execPath, PROGRAM, state], { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const { value = new Uint8Array() } = await child.stdout.getReader().read();
    const base = new TextDecoder().decode(value).trim();
    const headers = { "content-type": "application/json" };
    const bought = await fetch(`${base}/browsers`, { method: "POST", headers, body: '{"minutes":30}' });
    const sold = soldOf(base, (await bought.json()) as Record<string, unknown>); // as the API's description defines it
    const browser = await connect({ browserWSEndpoint: sold.url, defaultViewport: null });
    const page = await browser.newPage();
    const rows = [["page", "viewers", "service", "browser", "pictures/s"]];
    for (const [name, html] of Object.entries(PAGES)) {
      await page.setContent(html);
      for (const viewers of VIEWERS)
        rows.push([name, String(viewers), ...(await measure(sold, child.pid, viewers, Number(values.seconds)))]);
    }
    await browser.disconnect();
    for (const line of aligned(rows)) console.log(line);
    return 0;
  } finally {
    child.kill("SIGTERM");
    await child.exited;
    rmSync(state, { recursive: true, force: true });
  }
}
