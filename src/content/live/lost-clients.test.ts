/** Clients and services that end without a word: what they leave behind. */
import { expect, setDefaultTimeout, test as anyTest } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createServer, connect as dial, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listenOnLoopback } from "../../lib/testing/listen.ts";
import { patient } from "../../lib/testing/patience.ts";
import { until } from "../../lib/testing/until.ts";
import { hasNamespaces } from "../testing/namespaces.ts";
import { descendantsOf } from "../testing/processes.ts";
import { killed, startProgram } from "../testing/service-process.ts";
import { withBrowser } from "../testing/state-folder.ts";
import { soldOf, startLiveService } from "./testing/live-service.ts";
import { RawClient } from "./testing/raw-client.ts";

// The service waits 30 s for a sign of life.
setDefaultTimeout(patient(120_000));

const test = anyTest.skipIf(!hasNamespaces);

/** A network between a client and a port that can fail silently: from then on it drops all bytes, and closes nothing. */
async function startNetwork(port: number) {
  let isCut = false;
  const sockets: Socket[] = [];
  const server = createServer((near) => {
    const far = dial(port, "127.0.0.1");
    sockets.push(near, far);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      from.on("data", (bytes) => void (isCut || to.write(bytes)));
      from.on("error", () => undefined);
    }
  });
  const ownPort = await listenOnLoopback(server);
  return {
    port: ownPort,
    cut: () => void (isCut = true),
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

test("a browser whose client and viewer have vanished without a word ends after its idle time", async () => {
  const { buy, about, close } = await startLiveService({ idleMs: patient(1_000) });
  const sold = await buy();
  const { port, origin } = new URL(sold.url);
  const network = await startNetwork(Number(port));
  const through = (url: string) => url.replace(origin, `ws://127.0.0.1:${network.port}`);
  const client = await RawClient.open(through(sold.url));
  await client.call(1, "Target.createTarget", { url: "about:blank" });
  const view = new WebSocket(through(sold.view), ["turnpike.view", `turnpike.secret.${sold.viewToken}`]);
  await new Promise((resolve) => view.addEventListener("message", resolve));
  network.cut();
  expect(await (await about(sold)).json()).toMatchObject({ connected: true });
  await until(async () => (await about(sold)).status === 404, 90_000, "the end of the browser");
  network.close();
  await close();
});

const PROGRAM = join(import.meta.dir, "testing/live-program.ts");

test("a service that is killed leaves no process of its browsers, and the next one removes their files", async () => {
  const state = withBrowser(mkdtempSync(join(tmpdir(), "turnpike-test-")));
  const filesOf = (folder: string) => readdirSync(join(state, "browser", folder));
  const first = await startProgram(PROGRAM, state);
  const headers = { "content-type": "application/json" };
  const response = await fetch(`${first.base}/browsers`, { method: "POST", headers, body: '{"minutes":5}' });
  // As the API's description defines it.
  const client = await RawClient.open(soldOf(first.base, (await response.json()) as Record<string, unknown>).url);
  await client.call(1, "Target.createTarget", { url: "about:blank" });
  const cell = descendantsOf(first.child.pid).filter(({ command }) => command.includes("user-data-dir=/home/profile"));
  expect(cell.length).toBeGreaterThan(0);
  // A browser that hangs does not see that its pipe is closed.
  const browser = cell.filter(({ command }) => !command.includes("browser-cell"));
  for (const { pid } of browser) process.kill(pid, "SIGSTOP");
  await killed(first.child);
  await client.closed;
  expect(filesOf("live")).toEqual([expect.stringMatching(new RegExp(`^${first.child.pid}-`))]);
  // The files of the browser were in memory.
  expect(filesOf("cell")).toEqual([]);
  const second = await startProgram(PROGRAM, state);
  expect(filesOf("live")).toEqual([]);
  const profiles = filesOf("").filter((name) => name.startsWith("profile-"));
  expect(profiles.filter((name) => !name.startsWith(`profile-${second.child.pid}-`))).toEqual([]);
  await killed(second.child);
  rmSync(state, { recursive: true, force: true });
});
