import { type TurnpikeError } from "../../../lib/errors.ts";
import { type Exchange } from "../../exchange/exchange.ts";
import { type FilterRuntime, type FilterSettings } from "../runtime/runtime.ts";
import { type Outcome } from "./body-stage.ts";
import { type Callbacks, type FlowCallback } from "./guest/callbacks.ts";

/** The functions of a stream that its two sides, the request and the response, need. */
export interface SideStream {
  readonly id: number;
  readonly exchange: Exchange;
  readonly callbacks: Callbacks;
  readonly settings: FilterSettings;
  readonly runtime: FilterRuntime;
  /** True if the instance is broken: the filter sees nothing more. */
  readonly isLost: boolean;
  /** Runs a callback if the module has it, and then executes its requests for the stream. */
  call(callback: FlowCallback, ...values: number[]): Outcome;
  /** Called when a side begins or stops to wait for the filter. */
  watch(): void;
  /** The request can be forwarded. */
  allow(): void;
  /** Fails the stream with 500, and keeps its instance. */
  fail(reason: string): void;
  /** Ends the stream with an error; `reason` is for the log. */
  failWith(error: TurnpikeError, reason?: string): void;
}
