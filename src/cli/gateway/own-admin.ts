import { createServer } from "node:net";
import { messageOf } from "../../lib/caught.ts";
import { valueAt } from "../../gateway/config/diagnostic.ts";
import { type OwnParts } from "../../gateway/config/own-parts.ts";
import { StartError } from "../common/start-error.ts";
import { sayWarning } from "../common/terminal.ts";
import {
  adminKeyPath,
  openAdminKey,
  readAdminAddress,
  readAdminKey,
  removeAdminAddress,
  writeAdminAddress,
} from "../admin/admin-key.ts";

const HOST = "127.0.0.1";
const DEFAULT_PORT = 9180;

/** The flags of `turnpike start` that concern its admin interface. */
export interface OwnAdminOptions {
  readonly stateDir: string;
  /** The value of --admin-port. Undefined: the default port, or another one if that is in use. */
  readonly port: number | undefined;
  /** True with --no-admin. */
  readonly isOff: boolean;
  /** The gateway replaces another one, whose admin port is still in use. It takes over that port. */
  readonly takesOver: boolean;
  readonly trafficPort: number | undefined;
}

/** The admin interface that `turnpike start` adds to a configuration without one. Its key is in the state folder. */
export class OwnAdmin {
  readonly #options: OwnAdminOptions;
  #key = "";
  #port: number;
  /** The configuration at the start has its own `admin` section, which takes precedence. */
  #isNamed: boolean | undefined;

  private constructor(options: OwnAdminOptions, port: number) {
    this.#options = options;
    this.#port = port;
  }

  /** Throws StartError if the state folder cannot provide a key. */
  static async open(options: OwnAdminOptions): Promise<OwnAdmin> {
    const admin = new OwnAdmin(options, options.port ?? (await usualPort(options)));
    if (options.isOff) return admin;
    try {
      admin.#key = openAdminKey(options.stateDir);
    } catch (error) {
      throw new StartError(messageOf(error), { cause: error });
    }
    return admin;
  }

  /** The section for a configuration without one. Reads the key from its file again, so that a reload applies a new key. */
  get parts(): OwnParts {
    const { isOff, port, trafficPort } = this.#options;
    if (isOff) return {};
    this.#refreshKey();
    const sections = { admin: { enabled: true, address: HOST, port: this.#port, api_key: this.#key } };
    return { sections, ...(port === undefined ? { movesAdmin: { trafficPort } } : {}) };
  }

  /** Receives the document of the start. Throws StartError if a flag contradicts it. */
  startsWith(document: unknown): void {
    this.#isNamed ??= valueAt(document, ["admin"]) !== undefined;
    const flag = this.#options.isOff ? "--no-admin" : this.#options.port === undefined ? undefined : "--admin-port";
    if (!this.#isNamed || flag === undefined) return;
    throw new StartError(`Cannot use ${flag}: the configuration has a section "admin", which sets it`);
  }

  /** Changes to a port of the system's choice if another program has the default one. True if it has changed. */
  async move(): Promise<boolean> {
    const isFixed =
      this.#isNamed === true || this.#options.takesOver || this.#options.isOff || this.#options.port !== undefined;
    if (isFixed || this.#port === 0 || (await isFree(this.#port))) return false;
    this.#port = 0;
    return true;
  }

  /** Call when the gateway listens. Writes the address for commands, keeps the port, returns banner lines. */
  listens(url: string | undefined): readonly (readonly [name: string, text: string])[] {
    if (url === undefined) return [];
    const { stateDir, port } = this.#options;
    writeAdminAddress(stateDir, url);
    if (this.#isNamed === true) return [["console", url]];
    if (port === undefined && new URL(url).port !== String(this.#port)) {
      sayWarning(`port ${DEFAULT_PORT} is taken; the admin interface listens on another`);
    }
    this.#port = Number(new URL(url).port);
    return [
      ["console", url],
      ["admin key", adminKeyPath(stateDir)],
    ];
  }

  /** Call after a reload has moved the interface or turned it off. Updates the address for the commands. */
  moved(url: string | undefined): void {
    const { stateDir } = this.#options;
    try {
      if (url === undefined) removeAdminAddress(stateDir);
      else writeAdminAddress(stateDir, url);
    } catch (error) {
      sayWarning(messageOf(error));
    }
  }

  close(): void {
    removeAdminAddress(this.#options.stateDir);
  }

  #refreshKey(): void {
    const path = adminKeyPath(this.#options.stateDir);
    try {
      this.#key = readAdminKey(path) ?? this.#key;
    } catch (error) {
      sayWarning(`${messageOf(error)}; the admin key is unchanged`);
    }
  }
}

async function usualPort({ takesOver, stateDir }: OwnAdminOptions): Promise<number> {
  if (takesOver) return Number(new URL(readAdminAddress(stateDir)?.url ?? `http://${HOST}:${DEFAULT_PORT}`).port);
  return (await isFree(DEFAULT_PORT)) ? DEFAULT_PORT : 0;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const { promise, resolve } = Promise.withResolvers<boolean>();
  server.once("error", () => resolve(false));
  server.listen(port, HOST, () => server.close(() => resolve(true)));
  return await promise;
}
