import { type TurnpikeError } from "../../lib/errors.ts";
import { Deadline } from "../../lib/time/timer-wheel.ts";
import { atFinish } from "../exchange/endings.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { GatheredBody } from "../policy/gathered-body.ts";
import { type CommandOutcome } from "./control/protocol/control-connection.ts";
import { NO_ROOM, TOO_LARGE_TO_PARK } from "./errors.ts";
import { type ControlLink } from "./runtime/filter.ts";
import { type FilterRuntime } from "./runtime/runtime.ts";

/** Bytes of memory that a parked request can take: method, path, fields and body. @bound */
const SNAPSHOT_BYTES = 65_536;
/** Field lines that a parked request can have. @bound */
const SNAPSHOT_FIELDS = 128;

export type ParkEnd =
  | { readonly kind: "reply"; readonly bytes: Buffer }
  /** `reason` is for the log. */
  | { readonly kind: "deadline" | "control"; readonly reason: string }
  | { readonly kind: "gone" }
  /** Too many commands wait for the sandbox. */
  | { readonly kind: "full" }
  /** The body could not be read. */
  | { readonly kind: "body"; readonly error: TurnpikeError };

const GONE: ParkEnd = { kind: "gone" };

/** Bytes that are left for the body of a request that must be parked; negative if its head is too large. */
export function roomForBody({ head }: Exchange): number {
  let lines = 0;
  for (let at = head.fields.indexOf("\n"); at !== -1; at = head.fields.indexOf("\n", at + 1)) lines++;
  if (lines > SNAPSHOT_FIELDS) return -1;
  return SNAPSHOT_BYTES - head.method.length - head.path.length - head.query.length - head.fields.length;
}

/**
 * A request whose filter waits for a host call. Meanwhile the gateway gathers the rest of the body, so that it notices if the
 * client leaves.
 *
 *   parked ── reply ──▶ resumed
 *      ├── the command fails, deadline, the body cannot be read ──▶ failed closed
 *      └── the client leaves ──▶ gone
 */
export class ParkedRequest extends Deadline {
  /** Resolves once, with the end of the park. */
  readonly end: Promise<ParkEnd>;
  readonly #runtime: FilterRuntime;
  readonly #body: GatheredBody | undefined;
  #gathering: TurnpikeError | undefined | Promise<TurnpikeError | undefined>;
  #resolve: ((end: ParkEnd) => void) | undefined;
  #forget: (() => void) | undefined;

  /** The caller has counted the request. `bodyRoom`: bytes of the body that can be gathered; -1: it is not read. */
  constructor(exchange: Exchange, runtime: FilterRuntime, bodyRoom: number) {
    super();
    this.#runtime = runtime;
    const { promise, resolve } = Promise.withResolvers<ParkEnd>();
    this.end = promise;
    this.#resolve = resolve;
    atFinish(exchange, () => this.#finish(GONE));
    if (bodyRoom < 0) return;
    const bounds = { maxBytes: bodyRoom, memory: runtime.bodies, tooLong: TOO_LARGE_TO_PARK, noRoom: NO_ROOM };
    this.#body = new GatheredBody(exchange, bounds);
  }

  /** Sends the command and starts the deadline. */
  begin(control: ControlLink, command: Uint8Array): void {
    this.#runtime.wheel.set(this, this.#runtime.hostCallDeadlineMs());
    this.#gathering = this.#body?.gather();
    if (this.#gathering instanceof Promise) void this.#gathering.then((error) => this.#bodyFailed(error));
    else this.#bodyFailed(this.#gathering);
    if (this.#resolve === undefined) return;
    const bytes = Buffer.from(command.buffer, command.byteOffset, command.length);
    this.#forget = control.call(bytes, (outcome) => this.#done(outcome));
  }

  /** Waits for the body and puts it into the exchange. Returns the error if the body could not be read. */
  async takeBody(): Promise<TurnpikeError | undefined> {
    const error = await this.#gathering;
    if (error === undefined) this.#body?.replace();
    return error;
  }

  onDeadline(): void {
    this.#finish({ kind: "deadline", reason: "was parked for longer than wasm_host_call_deadline_ms" });
  }

  #done(outcome: CommandOutcome): void {
    this.#forget = undefined;
    if (outcome.kind !== "failed") this.#finish(outcome);
    else this.#finish({ kind: "control", reason: `got no result for its host call: ${outcome.detail}` });
  }

  #bodyFailed(error: TurnpikeError | undefined): void {
    if (error !== undefined) this.#finish({ kind: "body", error });
  }

  #finish(end: ParkEnd): void {
    const resolve = this.#resolve;
    if (resolve === undefined) return;
    this.#resolve = undefined;
    this.#runtime.wheel.remove(this);
    this.#runtime.parks.give();
    this.#forget?.();
    resolve(end);
  }
}
