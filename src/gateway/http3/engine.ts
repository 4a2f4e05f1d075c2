import type * as Quic from "node:quic";
import { messageOf } from "../../lib/caught.ts";

/** The engine: Bun's `node:quic`. */
export type QuicEngine = typeof Quic;

let loading: Promise<QuicEngine> | undefined;

/**
 * Loads the QUIC engine on first use, so that a gateway without HTTP/3 does not pay for it. Rejects if this runtime has
 * no HTTP/3 engine.
 */
export function loadQuic(): Promise<QuicEngine> {
  return (loading ??= load());
}

async function load(): Promise<QuicEngine> {
  // Node marks the module as experimental, and warns whenever it is loaded. The runtime's version is pinned and tests
  // cover every function that is used, so operators could do nothing about the warning.
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return await import("node:quic");
  } catch (error) {
    throw new Error(`Cannot serve HTTP/3: this runtime has no QUIC (${messageOf(error)})`, { cause: error });
  } finally {
    process.emitWarning = emitWarning;
  }
}
