import { expect, test } from "bun:test";
import { type Socket } from "bun";
import { until } from "../testing/until.ts";
import { hasPeerEnded } from "./has-peer-ended.ts";

test("the FIN of a peer is found on a paused socket, behind unread bytes", async () => {
  const accepted = Promise.withResolvers<Socket>();
  const server = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    allowHalfOpen: true,
    socket: {
      data() {},
      open(socket) {
        socket.pause();
        accepted.resolve(socket);
      },
    },
  });
  const client = await Bun.connect({ hostname: "127.0.0.1", port: server.port, socket: { data() {} } });
  const fd = Number(Reflect.get(await accepted.promise, "fd"));
  client.write("unread");
  expect([hasPeerEnded(fd), hasPeerEnded(-1)]).toEqual([false, false]);
  client.end();
  await until(() => hasPeerEnded(fd));
  server.stop(true);
});
