import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { once } from "node:events";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { WaitingRoom } from "./waiting-room.ts";

let folder: string;
let socket: string;
let room: WaitingRoom;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-room-"));
  socket = join(folder, "content.sock");
  room = new WaitingRoom(socket);
  room.open();
});

afterEach(() => {
  room.close();
  expect(existsSync(socket)).toBe(false);
  rmSync(folder, { recursive: true });
});

const call = (path: string, init: RequestInit = {}) => fetch(`http://content${path}`, { unix: socket, ...init });

function serveAt(path: string): Bun.Server<undefined> {
  return Bun.serve({ unix: path, fetch: async (request) => new Response(`service: ${await request.text()}`) });
}

test("without a service, health is 503 and a call waits; when the service starts, it takes over the socket", async () => {
  const health = await call("/health");
  const fields = [health.headers.get("retry-after"), health.headers.get("connection")];
  expect([health.status, ...fields]).toEqual([503, "2", "close"]);
  const waiting = call("/scrape", { method: "POST", body: "a body" });
  expect((await call("/health")).status).toBe(503);
  const service = serveAt(`${socket}.next`);
  room.admit(`${socket}.next`);
  const waited = await waiting;
  expect([await waited.text(), waited.headers.get("connection")]).toEqual(["service: a body", "close"]);
  expect(await (await call("/health")).text()).toBe("service: ");
  await service.stop(true);
  // The service has ended, and the waiting room takes the socket again.
  room.open();
  expect((await call("/health")).status).toBe(503);
});

test("a connection that was opened just before the service took over reaches the service", async () => {
  const service = serveAt(`${socket}.next`);
  const early = connect(socket);
  early.write("GET /health HTTP/1.1\r\nHost: content\r\n\r\n");
  room.admit(`${socket}.next`);
  const [head] = await once(early, "data");
  expect(String(head)).toStartWith("HTTP/1.1 200 OK");
  early.destroy();
  await service.stop(true);
});

test("the number of waiting calls is limited, and calls that wait when the process stops get 503", async () => {
  const waiting = Array.from({ length: 128 }, () => call("/scrape"));
  let more = await Promise.race([call("/scrape").then(({ status }) => status), Bun.sleep(200)]);
  while (more !== 503) more = await Promise.race([call("/scrape").then(({ status }) => status), Bun.sleep(200)]);
  room.close();
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([503]));
});
