import { type RouteConfig } from "../config/config.ts";
import { Mirror } from "../proxy/mirror.ts";
import { type RequestCopier } from "../proxy/request-copy.ts";
import { type ForwardTarget } from "../proxy/target.ts";
import { type UpstreamDeps, type Upstreams } from "./upstreams.ts";

/** What copies the route's requests, which go to `target`; undefined where nobody gets any. */
export function routeMirror(
  { mirror }: RouteConfig,
  target: ForwardTarget,
  upstreams: Upstreams,
  { buffers, telemetry, onFault }: UpstreamDeps,
): RequestCopier | undefined {
  if (mirror === undefined) return undefined;
  return new Mirror({ ...target, upstream: upstreams.get(mirror) }, { buffers, metrics: telemetry.mirror, onFault });
}
