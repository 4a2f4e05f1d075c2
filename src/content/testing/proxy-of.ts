import { startForwardProxy } from "../egress/forward-proxy.ts";
import { type EgressSession } from "../egress/guard.ts";

/** Gives a session a proxy, and its port. */
export async function proxyPortOf(session: EgressSession): Promise<number> {
  const proxy = await startForwardProxy();
  session.adopt(proxy);
  return proxy.port;
}
