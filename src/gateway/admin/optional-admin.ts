import { type Config } from "../config/config.ts";
import type * as Servers from "./admin-server.ts";
import { type AdminParts } from "./operations/parts.ts";

/** The admin interface of a gateway. It is loaded when a configuration first enables it (bench start). */
export class OptionalAdmin {
  readonly #deps: Servers.AdminServerDeps;
  loaded: Servers.AdminServer | undefined;
  #parts: AdminParts | undefined;

  constructor(deps: Servers.AdminServerDeps) {
    this.#deps = deps;
  }

  async prepare(config: Pick<Config, "admin">): Promise<void> {
    if (config.admin.enabled) this.loaded ??= await this.#load();
    await this.loaded?.prepare(config);
  }

  serve(parts: AdminParts): void {
    this.#parts = parts;
    this.loaded?.serve(parts);
  }

  async #load(): Promise<Servers.AdminServer> {
    const { AdminServer } = await import("./admin-server.ts");
    const server = new AdminServer(this.#deps);
    if (this.#parts !== undefined) server.serve(this.#parts);
    return server;
  }
}
