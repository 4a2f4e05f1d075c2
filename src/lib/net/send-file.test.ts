import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Socket } from "bun";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sendFile } from "./send-file.ts";

const CONTENT = "0123456789".repeat(1000);

let folder: string;
let file: number;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "turnpike-send-file-"));
  writeFileSync(join(folder, "file"), CONTENT);
  file = openSync(join(folder, "file"), "r");
});
afterAll(() => {
  closeSync(file);
  rmSync(folder, { recursive: true });
});

/** Calls `send` with the descriptor of a connected socket, and returns all bytes that arrive until the end. */
async function received(send: (socket: number) => void): Promise<string> {
  const chunks: Buffer[] = [];
  const ended = Promise.withResolvers<void>();
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket: Socket) {
        send(Number(Reflect.get(socket, "fd")));
        socket.end();
      },
      data() {},
    },
  });
  await Bun.connect({
    hostname: "127.0.0.1",
    port: listener.port,
    socket: { data: (_, chunk) => void chunks.push(Buffer.from(chunk)), close: () => ended.resolve() },
  });
  await ended.promise;
  listener.stop();
  return Buffer.concat(chunks).toString();
}

test("bytes of a file are sent to a socket, from the offset on, as many as requested", async () => {
  const counts: number[] = [];
  const body = await received((socket) => {
    counts.push(sendFile(socket, file, 0, 10), sendFile(socket, file, 5005, 3), sendFile(socket, file, 9990, 100));
  });
  expect([counts, body]).toEqual([[10, 3, 10], `0123456789567${CONTENT.slice(-10)}`]);
});

test("no bytes are sent from behind the end, from a closed file, or to a closed socket", async () => {
  const counts: number[] = [];
  const body = await received((socket) => {
    counts.push(sendFile(socket, file, CONTENT.length, 10), sendFile(socket, 65_000, 0, 10));
  });
  counts.push(sendFile(-1, file, 0, 10));
  expect([counts, body]).toEqual([[0, 0, 0], ""]);
});
