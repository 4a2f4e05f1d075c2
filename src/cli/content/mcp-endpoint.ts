import { type Config } from "../../gateway/config/config.ts";
import { type BoundListener, listenersOf, urlOf } from "../../gateway/process/listeners/listener-plan.ts";

/** Settings of the content service for MCP behind a gateway. */
export interface McpEndpoint {
  readonly gatewayUrl: string;
  /** Host names that requests from browsers may have. "*": the service does not check the Host. */
  readonly hosts: readonly string[];
}

/**
 * The listener through which MCP's tools reach the gateway on this machine, preferably one of plain HTTP/1.1. Undefined if
 * no listener speaks HTTP/1.1 without the PROXY protocol.
 */
export function mcpEndpoint(config: Config, bound: readonly BoundListener[]): McpEndpoint | undefined {
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
  // With `allowed_hosts` the gateway checks the Host itself. A gateway that other machines reach may have host names that
  // the configuration does not contain.
  const anyHost = server.allowed_hosts.length > 0 || (!isLocal && publicHost === undefined);
  return [...new Set(names.filter((name) => name !== "" && !name.includes("*"))), ...(anyHost ? ["*"] : [])];
}
