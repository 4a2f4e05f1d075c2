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

test("without a service, health is 503 and a call waits; when the service starts, it takes over the socket", async () => {
  const health = await call("/health");
  expect([health.status, health.headers.get("retry-after")]).toEqual([503, "2"]);
  const waiting = call("/scrape", { method: "POST", body: "a body" });
  expect((await call("/health")).status).toBe(503);
  const service = serveAt(`${socket}.next`);
  room.admit(`${socket}.next`);
  expect(await (await waiting).text()).toBe("service: a body");
  expect(await (await call("/health")).text()).toBe("service: ");
  await service.stop(true);
  // The service has ended, and the waiting room takes the socket again.
  room.open();
  expect((await call("/health")).status).toBe(503);
});

test("the number of waiting calls is limited, and calls that wait when the process stops get 503", async () => {
  const waiting = Array.from({ length: 128 }, () => call("/scrape"));
  let more = await Promise.race([call("/scrape").then(({ status }) => status), Bun.sleep(200)]);
  while (more !== 503) more = await Promise.race([call("/scrape").then(({ status }) => status), Bun.sleep(200)]);
  room.close();
  expect(new Set((await Promise.all(waiting)).map(({ status }) => status))).toEqual(new Set([503]));
});
