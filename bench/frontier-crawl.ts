import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cpuNanoseconds } from "./support/cpu-time.ts";
import { processTree } from "./support/children.ts";

const SITE = fileURLToPath(new URL("support/generated-site.ts", import.meta.url));
const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** CPU seconds of a process and its descendants. */
function cpuSeconds(root: number): number {
  return processTree(root).reduce((sum, pid) => sum + cpuNanoseconds(pid), 0) / 1e9;
}

/** Crawls a generated site of `count` pages by a content service of its own, and prints its figures. */
export async function benchCrawl(count: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "turnpike-crawl-"));
  const site = Bun.spawn([process.execPath, SITE, String(count)], { stdout: "pipe", stdin: "pipe" });
  const origin = await firstLine(site.stdout);
  const args = ["content", "--port", "0", "--state-dir", folder, "--allow-private"];
  const service = Bun.spawn([join(ROOT, "bin/turnpike"), ...args], { stdout: "pipe", stderr: "inherit" });
  try {
    const url = (await firstLine(service.stdout)).replace("listening on ", "");
    const before = cpuSeconds(service.pid);
    const startedAt = performance.now();
    const order = {
      urls: [origin],
      limit: Math.min(count, 10_000),
      sitemap: "skip",
      concurrency: 16,
      engine: "static",
    };
    const headers = { "content-type": "application/json" };
    const made = await fetch(`${url}/crawl`, { method: "POST", headers, body: JSON.stringify(order) });
    // The response of this operation.
    const { status, secret } = (await made.json()) as { status: string; secret: string };
    for (;;) {
      await Bun.sleep(500);
      const response = await fetch(url + status, { headers: { "x-job-secret": secret } });
      const job = (await response.json()) as { state: string; delivered: number; not_delivered: object };
      if (job.state === "running") continue;
      const seconds = (performance.now() - startedAt) / 1_000;
      const cpu = cpuSeconds(service.pid) - before;
      console.log(`${job.state}: ${job.delivered} pages, ${JSON.stringify(job.not_delivered)}`);
      console.log(
        `${seconds.toFixed(1)} s, ${cpu.toFixed(1)} s of CPU time: ${(job.delivered / cpu).toFixed(1)} pages for each`,
      );
      return 0;
    }
  } finally {
    service.kill();
    site.kill();
    await Promise.all([service.exited, site.exited]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += Buffer.from(chunk).toString();
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
  }
  throw new Error("the program ended without a line");
}
