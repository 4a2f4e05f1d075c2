/** Replaces a virtual machine in tests that start many: a server in this process. */
import { type Socket } from "node:net";
import { type Machine, type MachineKind } from "./machine.ts";
import { serveTenant } from "./serve-tenant.ts";

export const SERVERS: MachineKind = {
  name: "servers",
  missing: undefined,
  async start(tenant, path): Promise<Machine> {
    const server = await serveTenant(tenant, path);
    const sockets = new Set<Socket>();
    server.on("connection", (socket) => {
      sockets.add(socket);
      socket.on("close", () => sockets.delete(socket));
    });
    return {
      tenant,
      path,
      async kill() {
        const { promise, resolve } = Promise.withResolvers<void>();
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
        server.closeAllConnections();
        await promise;
      },
    };
  },
};
