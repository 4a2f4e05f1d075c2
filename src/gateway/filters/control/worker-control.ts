import { type Config } from "../../config/config.ts";
import { type ControlLink } from "../runtime/filter.ts";
import { ownControl, sharedControl } from "./control-settings.ts";
import type * as Sockets from "./control-socket.ts";
import { type RemoteControl } from "./remote-control.ts";

/** Loaded with the first control socket (bench start). */
const sockets = (): typeof Sockets => require("./control-socket.ts");

/** The worker that a `WorkerControl` belongs to, and the functions that it calls. */
export interface WorkerControlOptions extends Sockets.ControlSocketOptions {
  /** The index of this worker, from 0. */
  readonly index: number;
  /** The control socket that all workers share, in another process. Undefined if this is the only worker. */
  readonly shared: RemoteControl | undefined;
}

/**
 * The connection of one worker to the sandbox, across all configurations. A worker has its own connection if the path
 * contains `{worker}` or if it is the only worker. Otherwise the workers use the connection of another process.
 */
export class WorkerControl {
  #own: Sockets.ControlSocket | undefined;
  readonly #options: WorkerControlOptions;
  #link: ControlLink | undefined;

  constructor(options: WorkerControlOptions) {
    this.#options = options;
    if (options.shared !== undefined) options.shared.onState = options.onChange;
  }

  /** Undefined if no control socket is configured. */
  get link(): ControlLink | undefined {
    return this.#link;
  }

  /** Uses `config` for calls from now on. Calls in progress continue unchanged. */
  use(config: Config): void {
    const { index, shared } = this.#options;
    const settings = ownControl(config, index, shared === undefined);
    if (settings !== undefined) this.#own ??= new (sockets().ControlSocket)(this.#options);
    this.#own?.use(settings);
    if (settings !== undefined) this.#link = this.#own;
    else this.#link = sharedControl(config) === undefined ? undefined : shared;
    this.#options.onChange();
  }

  close(): void {
    this.#own?.close();
    this.#options.shared?.close();
  }
}
