import { type ServerPool } from "./server-pool.ts";

/** A named group of servers, and whose turn it is. */
export class Upstream {
  readonly name: string;
  readonly #primaries: readonly ServerPool[];
  readonly #backups: readonly ServerPool[];
  #turn = 0;

  constructor(name: string, servers: readonly ServerPool[]) {
    this.name = name;
    this.#primaries = servers.filter((server) => !server.backup);
    this.#backups = servers.filter((server) => server.backup);
  }

  /** The next server in rotation, another one than `avoid` where there is one; undefined where none is in rotation. */
  pick(avoid: ServerPool | undefined): ServerPool | undefined {
    return (
      this.#next(this.#primaries, avoid) ?? this.#next(this.#backups, avoid) ?? (avoid?.inRotation ? avoid : undefined)
    );
  }

  close(): void {
    for (const server of [...this.#primaries, ...this.#backups]) server.close();
  }

  #next(servers: readonly ServerPool[], avoid: ServerPool | undefined): ServerPool | undefined {
    const count = servers.length;
    for (let step = 0; step < count; step++) {
      this.#turn = (this.#turn + 1) % count;
      const server = servers[this.#turn];
      if (server !== undefined && server !== avoid && server.inRotation) return server;
    }
    return undefined;
  }
}
