import { type Callbacks } from "./callbacks.ts";
import { type Context } from "./context.ts";
import { type Machine } from "./machine.ts";
import { type Plugin } from "./plugin.ts";
import { type PluginContext } from "./plugin-context.ts";

export interface Runner {
  readonly plugin: Plugin;
  readonly machine: Machine;
  readonly callbacks: Callbacks;
  readonly root: PluginContext;
  /** Runs a callback on a context. Returns undefined if it has failed, and the instance is broken. */
  run(context: Context, name: string, call: () => number | undefined): number | undefined;
}

/** A stream, from the point of view of its instance. */
export interface StreamContext extends Context {
  /** Executes requests that the filter made outside the stream's own callbacks. */
  settle(): void;
  /** Called when the instance is broken: the filter makes no more decisions about the stream. */
  lost(): void;
}

export interface StreamRunner extends Runner {
  nextId(): number;
  add(stream: StreamContext): void;
  remove(stream: StreamContext): void;
  /** The stream is settled once the callback has returned. */
  ask(stream: StreamContext): void;
}
