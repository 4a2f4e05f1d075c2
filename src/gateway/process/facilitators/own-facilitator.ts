import { randomUUID } from "node:crypto";
import { mkdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { within } from "../../../lib/time/within.ts";
import { EmbeddedHost } from "../../../payments/facilitator/embedded-host.ts";
import type * as Own from "../../../payments/facilitator/create-own.ts";
import { type Facilitator } from "../../../payments/x402/facilitator.ts";
import type * as Serving from "../../../payments/facilitator/serve-facilitator.ts";

/** Loaded when a configuration has an embedded facilitator (bench start). */
const embedded = (): typeof Own => require("../../../payments/facilitator/create-own.ts");
const serving = (): typeof Serving => require("../../../payments/facilitator/serve-facilitator.ts");

/** Milliseconds that settlements under way have at least at a stop. @bound */
const SHORTEST_CLOSE_MS = 1000;

type OwnOptions = Own.OwnOptions;

/** The embedded facilitator, in the process that has its key. EmbeddedHost describes it. */
export class OwnFacilitator {
  readonly #host = new EmbeddedHost((settings: OwnOptions) => embedded().createOwn(settings));
  readonly facilitator: Facilitator = this.#host.facilitator;

  get settings(): OwnOptions | undefined {
    return this.#host.settings;
  }

  use(settings: OwnOptions | undefined): Promise<void> {
    return this.#host.use(settings);
  }

  /** Lets settlements under way end within `graceMs` milliseconds, which may be over. */
  close(graceMs: number): Promise<void> {
    return within(Math.max(graceMs, SHORTEST_CLOSE_MS), this.#host.close());
  }
}

/**
 * For a server of several processes: it runs in the supervisor, because a key has one sequence of nonces. Workers reach
 * it by a socket that only their user can open.
 */
export class SharedFacilitator extends OwnFacilitator {
  readonly #log: (message: string) => void;
  #server: Serving.FacilitatorServer | undefined;
  /** The path of its socket, which opens when needed. Its folder is private, its name cannot be guessed. */
  readonly socket = join(tmpdir(), `turnpike-${randomUUID()}`, "facilitator.sock");

  constructor(log: (message: string) => void) {
    super();
    this.#log = log;
  }

  override async use(settings: OwnOptions | undefined): Promise<void> {
    await super.use(settings);
    if (settings === undefined || this.#server !== undefined) return;
    mkdirSync(dirname(this.socket), { mode: 0o700 });
    this.#server = await serving().serveFacilitator(this.facilitator, { unix: this.socket }, { log: this.#log });
  }

  override async close(graceMs: number): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.close(Math.max(graceMs, SHORTEST_CLOSE_MS));
    if (server !== undefined) rmSync(dirname(this.socket), { recursive: true, force: true });
    await super.close(graceMs);
  }
}
