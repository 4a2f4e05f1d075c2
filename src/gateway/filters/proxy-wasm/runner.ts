import { type Callbacks } from "./callbacks.ts";
import { type Context } from "./context.ts";
import { type Machine } from "./machine.ts";
import { type Plugin } from "./plugin.ts";
import { type PluginContext } from "./plugin-context.ts";

/** What runs the callbacks of a module. */
export interface Runner {
  readonly plugin: Plugin;
  readonly machine: Machine;
  readonly callbacks: Callbacks;
  /** The plugin's own context. */
  readonly root: PluginContext;
  /** Runs a callback on a context. Undefined: it has failed, and the instance is broken. */
  run(context: Context, name: string, call: () => number | undefined): number | undefined;
}

/** A stream as its instance knows it. */
export interface StreamContext extends Context {
  /** Does what the filter has asked for from outside of the stream's own callbacks. */
  settle(): void;
  /** The instance is broken, and will say nothing about the stream any more. */
  lost(): void;
}

/** The instance of a stream. */
export interface StreamRunner extends Runner {
  /** An id for a stream that begins. */
  nextId(): number;
  add(stream: StreamContext): void;
  remove(stream: StreamContext): void;
  /** The stream is settled once the callback has returned. */
  ask(stream: StreamContext): void;
}
