import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { createHash, X509Certificate } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Readable, type Writable } from "node:stream";
import { CdpConnection } from "../../src/content/browser/program/cdp.ts";
import { PipeWire } from "../../src/content/browser/pipe-wire.ts";
import { type BrowserProgram, browserPrograms } from "../../src/content/browser/program/find.ts";
import { withBrowser } from "../../src/content/testing/state-folder.ts";
import { respond } from "../../src/gateway/exchange/local-response.ts";
import { type Exchange } from "../../src/gateway/exchange/exchange.ts";
import { startEndpoint } from "../../src/gateway/http3/testing/endpoint.ts";
import { LOCALHOST } from "../support/certificates.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const BODY_BYTES = 1_000_000;
const RUN_MS = 30_000;

/** Sends a body, which the server echoes, and writes the result to the page. */
const PAGE = `<!doctype html><title>h3</title><p id="result">nothing</p><script>
  (async () => {
    const sent = new Uint8Array(${BODY_BYTES}).map((_, i) => i * 7);
    const answer = await fetch("/echo", { method: "POST", body: sent });
    const got = new Uint8Array(await answer.arrayBuffer());
    const same = got.length === sent.length && got.every((byte, i) => byte === sent[i]);
    const [page] = performance.getEntriesByType("navigation");
    document.getElementById("result").textContent = [page.nextHopProtocol, answer.status, same].join(" ");
  })();
</script>`;

const folder = mkdtempSync(join(tmpdir(), "turnpike-chromium-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("Chromium loads a page, and sends and gets a body, over HTTP/3", async () => {
  const material = {
    fallback: LOCALHOST,
    named: [],
    clientCa: "",
    clientCertRequired: true,
  };
  const server = await startEndpoint(serve, { material });
  try {
    const [program] = await Array.fromAsync(browserPrograms(undefined, join(withBrowser(folder), "browser")));
    if (program === undefined) throw new Error("Cannot test with Chromium: it is not installed");
    const result = await resultIn(program, `https://localhost:${server.port}/`, [
      "--enable-quic",
      "--host-resolver-rules=MAP localhost 127.0.0.1",
      `--origin-to-force-quic-on=localhost:${server.port}`,
      `--ignore-certificate-errors-spki-list=${publicKeyHash()}`,
    ]);
    expect(result).toBe("h3 200 true");
    expect(server.endpoint.figures.connectionsTotal).toBeGreaterThan(0);
    expect(server.errors).toEqual([]);
  } finally {
    await server.close();
  }
});

function publicKeyHash(): string {
  const key = new X509Certificate(LOCALHOST.cert).publicKey.export({ type: "spki", format: "der" });
  return createHash("sha256").update(key).digest("base64");
}

/** The result on the page, when it is there. */
async function resultIn(program: BrowserProgram, url: string, flags: readonly string[]): Promise<string> {
  const common = [
    "--headless=new",
    "--remote-debugging-pipe",
    "--no-first-run",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
  ];
  const child = spawn(program.path, [...common, ...flags, `--user-data-dir=${join(folder, "profile")}`], {
    env: { PATH: "/usr/bin:/bin", HOME: folder, ...program.environment },
    stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"],
  });
  // Both are pipes; the types of stdio know only the first three.
  const cdp = new CdpConnection(
    new PipeWire(child.stdio[3] as unknown as Writable, child.stdio[4] as unknown as Readable),
  );
  try {
    const { targetId } = await cdp.send("Target.createTarget", { url });
    const { sessionId } = await cdp.send("Target.attachToTarget", { targetId, flatten: true });
    for (const end = performance.now() + RUN_MS; performance.now() < end; ) {
      const expression = "document.getElementById('result')?.textContent ?? 'nothing'";
      const { result } = await cdp.send("Runtime.evaluate", { expression }, String(sessionId));
      // The form of Runtime.evaluate's result for a text.
      const { value } = result as { value: string };
      if (value !== "nothing") return value;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return "nothing";
  } finally {
    child.kill("SIGKILL");
    cdp.close();
  }
}

function serve(exchange: Exchange): void {
  if (exchange.head.path !== "/echo") {
    respond(exchange, 200, "text/html", Buffer.from(PAGE));
    return;
  }
  const { body, response } = exchange;
  response.start({ status: 200, reason: "", fields: "", bodyLength: -1 });
  exchange.onDrain = () => body.resume();
  body.readTo({
    data: (chunk, start, end) => response.data(chunk, start, end),
    end: (trailers) => response.end(trailers),
    abort: (error) => response.abort(error),
  });
}
