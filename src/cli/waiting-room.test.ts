import { afterEach, beforeEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
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

test("while there is no service, health is 503 and a call waits for it; then the service has the socket", async () => {
  const health = await call("/health");
  expect([health.status, health.headers.get("retry-after")]).toEqual([503, "2"]);
  const waiting = call("/scrape", { method: "POST", body: "a body" });
  expect((await call("/health")).status).toBe(503);
  const service = serveAt(`${socket}.next`);
  room.admit(`${socket}.next`);
  expect(await (await waiting).text()).toBe("service: a body");
  expect(await (await call("/health")).text()).toBe("service: ");
  await service.stop(true);
  // It ended: the room takes its place again.
  room.open();
  expect((await call("/health")).status).toBe(503);
});

test("of the calls that wait there is a limit, and those that wait when all ends are told to come again", async () => {
  const waiting = Array.from({ length: 128 }, () => call("/scrape"));
  let more = await Promise.race([call("/scrape").then(({ status }) => status), Bun.sleep(200)]);
  while (more !== 503) more = await Promise.race([call("/scrape").then(({ status }) => status), Bun.sleep(200)]);
  room.close();
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([503]));
});
