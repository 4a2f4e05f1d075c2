import { type Config } from "../gateway/config/config.ts";
import { type BoundListener, listenersOf, urlOf } from "../gateway/process/listener-plan.ts";

/** What the content service must know to serve MCP behind a gateway. */
export interface McpPlace {
  readonly gatewayUrl: string;
  /** Host names that browsers may know it by; "*" where the Host is not for it to judge. */
  readonly hosts: readonly string[];
}

/**
 * Where MCP's tools find the gateway, on this machine: a listener of plain HTTP/1.1 where there is one. Undefined where every listener
 * speaks something else.
 */
export function mcpPlace(config: Config, bound: readonly BoundListener[]): McpPlace | undefined {
  const usable = listenersOf(config).flatMap((plan, i) => {
    const listener = bound[i];
    return listener === undefined || plan.proxyProtocol || plan.h2cOnly ? [] : [listener];
  });
  const listener = usable.find(({ scheme }) => scheme === "http") ?? usable[0];
  return listener === undefined ? undefined : { gatewayUrl: urlOf(listener), hosts: hostsOf(config, bound) };
}

function hostsOf({ server, x402, routes }: Config, bound: readonly BoundListener[]): readonly string[] {
  const publicHost = URL.parse(x402.public_url)?.hostname;
  const names = [
    ...(publicHost === undefined ? [] : [publicHost]),
    ...server.allowed_hosts,
    ...routes.map(({ host }) => host ?? ""),
    ...bound.map(({ address }) => (address.includes(":") ? `[${address}]` : address)),
  ];
  const isLocal = bound.every(({ address }) => /^127\.|^::1$/.test(address));
  // The gateway looks at the Host itself where it is told which; and who serves others than himself has names that only he knows.
  const anyHost = server.allowed_hosts.length > 0 || (!isLocal && publicHost === undefined);
  return [...new Set(names.filter((name) => name !== "" && !name.includes("*"))), ...(anyHost ? ["*"] : [])];
}
