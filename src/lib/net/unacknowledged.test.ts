import { expect, test } from "bun:test";
import { unacknowledged } from "./unacknowledged.ts";

/** Calls after which the runtime has compiled the function. A few hundred are enough. */
const CALLS = 20_000;

test("the bytes in a socket's queue are right in code that the runtime has compiled", async () => {
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: { data() {}, open: (socket) => socket.pause() },
  });
  const connect = (): Promise<object> =>
    Bun.connect({
      hostname: "127.0.0.1",
      port: server.port,
      socket: {
        data() {},
        open(socket) {
          // More bytes than the two kernels take.
          if (socket.data === "full") while (socket.write(Buffer.alloc(1_048_576)) > 0);
        },
      },
      data: clients++ === 0 ? "empty" : "full",
    });
  let clients = 0;
  const [empty = -1, full = -1] = [await connect(), await connect()].map((socket) => Number(Reflect.get(socket, "fd")));
  const wrong: number[] = [];
  for (let call = 0; call < CALLS; call++) {
    if (unacknowledged(full) === 0 || unacknowledged(empty) !== 0) wrong.push(call);
  }
  expect(wrong).toEqual([]);
  expect(unacknowledged(-1)).toBe(-1);
  server.stop(true);
});
