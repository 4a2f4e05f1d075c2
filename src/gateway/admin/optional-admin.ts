import { type Config } from "../config/config.ts";
import type * as Servers from "./admin-server.ts";
import { type AdminParts } from "./operations/parts.ts";

/** The admin interface of a gateway. It is loaded when a configuration first enables it (bench start). */
export class OptionalAdmin {
  readonly #deps: Servers.AdminServerDeps;
  #server: Servers.AdminServer | undefined;
  #parts: AdminParts | undefined;

  constructor(deps: Servers.AdminServerDeps) {
    this.#deps = deps;
  }

  get url(): string | undefined {
    return this.#server?.url;
  }

  async prepare(config: Pick<Config, "admin">): Promise<void> {
    if (config.admin.enabled) this.#server ??= await this.#load();
    await this.#server?.prepare(config);
  }

  commit(config: Pick<Config, "admin">): void {
    this.#server?.commit(config);
  }

  rollback(): void {
    this.#server?.rollback();
  }

  serve(parts: AdminParts): void {
    this.#parts = parts;
    this.#server?.serve(parts);
  }

  async close(): Promise<void> {
    await this.#server?.close();
  }

  async #load(): Promise<Servers.AdminServer> {
    const { AdminServer } = await import("./admin-server.ts");
    const server = new AdminServer(this.#deps);
    if (this.#parts !== undefined) server.serve(this.#parts);
    return server;
  }
}
