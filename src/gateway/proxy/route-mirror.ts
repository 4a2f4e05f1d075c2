import { type RouteConfig } from "../config/config.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import type * as Mirror from "./mirror.ts";
import type * as Mirrors from "./mirrors.ts";
import { type RequestCopier } from "./request-copy.ts";
import { type ForwardTarget } from "./target.ts";
import { type Upstreams } from "../upstream/upstreams.ts";

/** Loaded with the first mirror (bench start). */
const one = (): typeof Mirror => require("./mirror.ts");
const several = (): typeof Mirrors => require("./mirrors.ts");

type MirrorsConfig = NonNullable<RouteConfig["mirrors"]>;

/** The mirrors of a route, or of an entry of its traffic split. */
export function mirrorsOf({
  mirror,
  mirrors,
}: {
  readonly mirror?: string;
  readonly mirrors?: MirrorsConfig;
}): MirrorsConfig {
  return mirrors ?? (mirror === undefined ? [] : [{ upstream: mirror, percent: 100 }]);
}

/** Copies the requests that go to `target`; undefined if no mirror gets any. */
export function routeMirror(
  mirrors: MirrorsConfig,
  target: ForwardTarget,
  upstreams: Upstreams,
  { buffers, telemetry, onError }: FeatureParts,
): RequestCopier | undefined {
  if (mirrors.length === 0) return undefined;
  const copiers = mirrors
    .filter(({ percent }) => percent > 0)
    .map(({ upstream, percent }) => {
      const deps = { buffers, counts: telemetry.counts, onError };
      const whole = new (one().Mirror)({ ...target, upstream: upstreams.get(upstream) }, deps);
      return percent === 100 ? whole : new (several().SampledMirror)(whole, percent / 100, Math.random);
    });
  return several().mirrorsTogether(copiers);
}
