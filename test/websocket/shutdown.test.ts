/** Tunnels of a gateway that stops or reloads, their log lines, and other responses at their path. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { serverAt } from "../support/gateway.ts";
import { Folder, Program, until } from "../support/program.ts";
import { BINARY, CLOSE, frame } from "./testing/frames.ts";
import { CLIENTS, Stage } from "./testing/stage.ts";
import { type ClientKind, openTunnel, type Opened } from "./testing/tunnel-client.ts";
import { TunnelOrigin } from "./testing/tunnel-origin.ts";
import { patient } from "../../src/lib/testing/patience.ts";

setDefaultTimeout(patient(60_000));

const BOTH: readonly ClientKind[] = ["HTTP/1.1", "HTTP/2"];

let origin: TunnelOrigin;
let folder: Folder;
let program: Program;
let port = 0;

function configuration(extra: object = {}): object {
  return {
    server: { address: "127.0.0.1", port, workers: 1, static_root: folder.path },
    access_log: { path: folder.file("access.log") },
    upstreams: [{ name: "origin", servers: [serverAt(origin.port)] }],
    routes: [{ path_prefix: "/ws", upstream: "origin", ...extra }],
  };
}

beforeAll(async () => {
  origin = await TunnelOrigin.start();
  folder = new Folder();
  folder.write("page.html", "hello");
  program = new Program(["--config", folder.write("turnpike.json", configuration())]);
  port = Number((await program.sees(/listening on http:\/\/\S*?:(\d+)/))[1]);
});
afterAll(async () => {
  await program.stop();
  await origin.stop();
  folder.remove();
});

const ask = (kind: ClientKind, path = "/ws"): Promise<Opened> => openTunnel(kind, { port, tlsPort: 0 }, { path });

function log(): string {
  return readFileSync(folder.file("access.log"), "utf8");
}

/** Data of the origin reaches the client, and data of the client reaches the origin. */
async function speaks(opened: Opened, index: number): Promise<void> {
  const there = await origin.tunnel(index);
  const [here, before] = [opened.end.length, there.length];
  opened.end.send("to the upstream");
  there.send("to the client");
  await Promise.all([there.sees(before + 15), opened.end.sees(here + 13)]);
}

test("the access log has the bytes of a tunnel, with the status 101 for every protocol of the client", async () => {
  for (const [i, kind] of BOTH.entries()) {
    const opened = await ask(kind);
    await speaks(opened, i);
    opened.end.stream.end();
    const there = await origin.tunnel(i);
    await there.over();
    there.stream.end();
    await opened.end.over();
    opened.destroy();
  }
  await until("two lines", () => (log().split("\n").length > 2 ? true : undefined));
  expect(log()).toMatch(/"GET \/ws HTTP\/1\.1" 101 13 /);
  expect(log()).toMatch(/"GET \/ws HTTP\/2\.0" 101 13 /);
  const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  for (const protocol of ["http1", "http2"]) {
    expect(page).toContain(`turnpike_http_responses_total{protocol="${protocol}",code="101"} 1`);
    expect(page).toContain(`turnpike_http_request_body_bytes_total{protocol="${protocol}"} 15`);
  }
});

test("static files and the gateway's own paths open no tunnel", async () => {
  for (const path of ["/page.html", "/.healthz", "/nothing"]) {
    const plain = await ask("HTTP/1.1", path);
    expect(plain.status).toBe(path === "/nothing" ? 404 : 200);
    plain.destroy();
    const multiplexed = await ask("HTTP/2", path);
    expect(multiplexed.status).toBe(path === "/nothing" ? 404 : 501);
    multiplexed.destroy();
  }
});

test("tunnels that are open at the end of the stop timeout are cut off on both sides", async () => {
  const stage = await Stage.start();
  const tunnels = await Promise.all(CLIENTS.map((client) => stage.open(client)));
  await stage.rig.stop();
  for (const { here, there } of tunnels) await Promise.all([here.over(), there.over()]);
  for (const { client } of tunnels) client.destroy();
  await stage.stop();
});

test("a gateway that drains sends 1001 between two frames, and passes the client's Close frame on", async () => {
  const stage = await Stage.start();
  const tunnels: Awaited<ReturnType<Stage["open"]>>[] = [];
  for (const client of CLIENTS) tunnels.push(await stage.open(client));
  const whole = frame(BINARY, Buffer.alloc(300));
  // The last tunnel is within a frame when the drain begins.
  for (const [i, { here, there }] of tunnels.entries()) {
    there.send(i === CLIENTS.length - 1 ? whole.subarray(0, 3) : whole);
    await here.sees(i === CLIENTS.length - 1 ? 3 : whole.length);
  }
  const stopped = stage.rig.stop(patient(20_000));
  const goingAway = Buffer.from([0x88, 2, 0x03, 0xe9]);
  for (const [i, { here, there }] of tunnels.entries()) {
    if (i === CLIENTS.length - 1) there.send(Buffer.concat([whole.subarray(3), whole]));
    await here.sees(whole.length + goingAway.length);
    expect(here.received.subarray(whole.length)).toEqual(goingAway);
    const close = frame(CLOSE, Buffer.from([0x03, 0xe9]), { mask: Buffer.from([1, 2, 3, 4]) });
    here.send(close);
    await there.sees(close.length);
    there.stream.end();
    await here.over();
  }
  for (const { client } of tunnels) client.destroy();
  await stopped;
  await stage.stop();
});

test("a reload does not affect tunnels, and a stop waits for them up to its timeout", async () => {
  const before = origin.tunnels.length;
  const opened: Opened[] = [];
  for (const kind of BOTH) opened.push(await ask(kind));
  folder.write("turnpike.json", configuration({ read_timeout_ms: 1234 }));
  program.kill("SIGHUP");
  await program.sees(/reload/i);
  for (const [i, tunnel] of opened.entries()) await speaks(tunnel, before + i);
  program.kill("SIGTERM");
  await until("new connections are refused", async () =>
    (await fetch(`http://127.0.0.1:${port}/.healthz`).catch(() => undefined)) === undefined ? true : undefined,
  );
  for (const [i, tunnel] of opened.entries()) await speaks(tunnel, before + i);
  expect(program.running).toBe(true);
  for (const { end } of opened) end.stream.end();
  for (let i = 0; i < opened.length; i++) {
    const there = await origin.tunnel(before + i);
    await there.over();
    there.stream.end();
  }
  for (const { end } of opened) await end.over();
  expect(await program.exit()).toBe(0);
  for (const tunnel of opened) tunnel.destroy();
});
