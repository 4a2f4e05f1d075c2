import { type CallTable } from "../guest/call-table.ts";
import { type Context } from "../guest/context.ts";
import { type OutputLines } from "../guest/output-lines.ts";
import { type Queues } from "../guest/queues.ts";
import { type Runner } from "../guest/runner.ts";

/** The instance on which the host functions work. */
export interface Host extends Runner {
  /** The context of host functions: that of the running callback, or another that the filter has chosen. */
  context: Context;
  readonly calls: CallTable;
  readonly queues: Queues;
  /** The lines that the module writes to its standard streams. */
  readonly output: OutputLines;
  /** Finds a stream or the plugin by its id. */
  find(id: number): Context | undefined;
  /** Calls on_tick every `ms` milliseconds from now on; 0 stops it. */
  setTick(ms: number): void;
  log(level: number, text: string): void;
}
