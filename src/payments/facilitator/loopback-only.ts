import { bareHost } from "../../lib/http/url-host.ts";
const LOOPBACK_V4 = /^127(?:\.[0-9]{1,3}){3}$/;
const LOOPBACK_V6 = /^(?:::1|(?:0{1,4}:){7}0{0,3}1|::ffff:127(?:\.[0-9]{1,3}){3})$/i;

/** True for an address that only this machine can reach, with or without brackets. */
export function isLoopback(address: string): boolean {
  const bare = bareHost(address);
  return bare === "localhost" || LOOPBACK_V4.test(bare) || LOOPBACK_V6.test(bare);
}

/**
 * Throws unless every listener is on a loopback address: in test mode, clients can pay with money that does not exist.
 * Call it before the first listener is bound, and again when a new configuration is loaded.
 */
export function requireLoopback(listeners: readonly { readonly address: string; readonly port: number }[]): void {
  const open = listeners.find(({ address }) => !isLoopback(address));
  if (open === undefined) return;
  throw new Error(
    `Cannot accept payments in test mode: the listener ${open.address}:${open.port} can be reached from other machines; ` +
      "listen on 127.0.0.1, or turn x402.test_mode off and set x402.facilitator_url",
  );
}
