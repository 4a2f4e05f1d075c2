import { expect, test } from "bun:test";
import { type Socket } from "bun";
import { ptr } from "bun:ffi";
import { sendBeforeEnd } from "./send-before-end.ts";

const BYTES = Buffer.from("0123456789".repeat(1000));

test("the bytes arrive with the end of the connection", async () => {
  const chunks: Buffer[] = [];
  const ended = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<number>();
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open(socket: Socket) {
        sent.resolve(sendBeforeEnd(Number(Reflect.get(socket, "fd")), ptr(BYTES), BYTES.length));
        socket.shutdown();
        socket.close();
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
  expect(await sent.promise).toBe(process.platform === "linux" ? BYTES.length : 0);
  expect(Buffer.concat(chunks)).toEqual(process.platform === "linux" ? BYTES : Buffer.alloc(0));
});

test("a closed socket takes no bytes", () => {
  expect(sendBeforeEnd(-1, ptr(BYTES), BYTES.length)).toBe(0);
});
