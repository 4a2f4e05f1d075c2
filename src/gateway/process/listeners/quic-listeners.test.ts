import { expect, test } from "bun:test";
import { configSchema } from "../../config/config.ts";
import { type BoundListener } from "./listener-plan.ts";
import { bindBesideQuic } from "./quic-listeners.ts";

/** The ports that `bind` returned until one was accepted, of which the first ones are in use for UDP. */
async function portsTried(listener: object, taken: number): Promise<{ tried: number[]; error: string }> {
  const sockets = await Promise.all(
    Array.from({ length: taken + 1 }, () => Bun.udpSocket({ hostname: "127.0.0.1", port: 0 })),
  );
  const ports = sockets.map(({ port }) => port);
  sockets.at(-1)?.close();
  const tried: number[] = [];
  function bind(): BoundListener[] {
    tried.push(ports[tried.length] ?? ports[0] ?? 0);
    return [{ address: "127.0.0.1", port: tried.at(-1) ?? 0, scheme: "https" }];
  }
  const config = configSchema.parse({
    server: { listeners: [{ address: "127.0.0.1", port: 0, use_tls: true, quic_enabled: true, ...listener }] },
  });
  try {
    await bindBesideQuic(config, bind);
    return { tried: tried.map((port) => ports.indexOf(port)), error: "" };
  } catch (error) {
    return { tried: tried.map((port) => ports.indexOf(port)), error: String(error) };
  } finally {
    for (const socket of sockets) if (!socket.closed) socket.close();
  }
}

test("a port that the kernel chose for TCP and that is in use for UDP is not used", async () => {
  expect(await portsTried({}, 2)).toEqual({ tried: [0, 1, 2], error: "" });
});

test("a configured UDP port that is in use is reported at once", async () => {
  const blocker = await Bun.udpSocket({ hostname: "127.0.0.1", port: 0 });
  const { tried, error } = await portsTried({ quic_port: blocker.port }, 0);
  expect(tried).toHaveLength(1);
  expect(error).toContain(`127.0.0.1:${blocker.port}: the port is in use`);
  blocker.close();
});

test("after ten ports in use the start fails", async () => {
  const { tried, error } = await portsTried({}, 10);
  expect(tried).toHaveLength(10);
  expect(error).toContain("the port is in use");
});
