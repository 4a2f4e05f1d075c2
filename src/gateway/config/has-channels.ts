import { CHANNEL_SCHEME } from "../../store/channels.ts";
import { type RouteConfig } from "./config.ts";

/** True if a route takes payments from channels. */
export function hasChannels(routes: readonly Pick<RouteConfig, "x402">[]): boolean {
  return routes.some(
    ({ x402 }) => x402 !== undefined && [x402, ...x402.accepts].some(({ scheme }) => scheme === CHANNEL_SCHEME),
  );
}
