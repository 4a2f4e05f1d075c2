import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Exchange } from "../../exchange.ts";
import { type FilterRuntime, type FilterSettings } from "../runtime.ts";
import { type Outcome } from "./body-stage.ts";
import { type Callbacks } from "./callbacks.ts";

/** What the two sides of a stream, its request and its response, need of it. */
export interface SideStream {
  readonly id: number;
  readonly exchange: Exchange;
  readonly callbacks: Callbacks;
  readonly settings: FilterSettings;
  readonly runtime: FilterRuntime;
  /** The instance is broken: the filter sees nothing more. */
  readonly isLost: boolean;
  /** Runs a callback, and does what it has asked for the stream. */
  call(direction: "request" | "response", name: string, callback: () => number | undefined): Outcome;
  /** A side waits for the filter, or does so no more. */
  watch(): void;
  /** The request may be forwarded. */
  allow(): void;
  /** Fails the stream with 500, and leaves its instance as it is. */
  fail(reason: string): void;
  /** Ends the stream with an error; `reason` is for the log. */
  failWith(error: TurnpikeError, reason?: string): void;
}
