import { type CallTable } from "../call-table.ts";
import { type Context } from "../context.ts";
import { type OutputLines } from "../output-lines.ts";
import { type Queues } from "../queues.ts";
import { type Runner } from "../runner.ts";

/** What the functions of the gateway work on: an instance. */
export interface Host extends Runner {
  /** What the functions speak of: the stream or plugin of the callback that runs, or another one that it has chosen. */
  context: Context;
  readonly calls: CallTable;
  readonly queues: Queues;
  /** What the module writes to its standard streams. */
  readonly output: OutputLines;
  /** A stream or the plugin by its id. */
  find(id: number): Context | undefined;
  /** Calls on_tick from now on; 0: no more. */
  setTick(ms: number): void;
  /** A line of the filter's. */
  log(level: number, text: string): void;
}
