import type * as Quic from "node:quic";
import { messageOf } from "../../lib/caught.ts";

/** The engine: Bun's `node:quic`. */
export type QuicEngine = typeof Quic;

let loading: Promise<QuicEngine> | undefined;

/** Loads the QUIC engine on first need, so that who serves no HTTP/3 does not pay for it. Rejects where this runtime has none. */
export function loadQuic(): Promise<QuicEngine> {
  return (loading ??= load());
}

async function load(): Promise<QuicEngine> {
  // Node calls the module experimental, and so warns everyone who starts a gateway. The runtime's version is pinned and the
  // tests cover what is used of it: the warning would tell operators nothing that they can act on.
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
