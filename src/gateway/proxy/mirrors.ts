import type * as Mirror from "./mirror.ts";
import { type Fields } from "../../lib/http/fields.ts";
import { type Exchange } from "../exchange/exchange.ts";
import { type RequestCopier, type RequestCopy } from "./request-copy.ts";
import { type RouteConfig } from "../config/config.ts";
import { type FeatureParts } from "../features/feature-parts.ts";
import { type ForwardTarget } from "./target.ts";
import { type Upstreams } from "../upstream/upstreams.ts";

/** Loaded with the first mirror (bench start). */
const one = (): typeof Mirror => require("./mirror.ts");

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
      return percent === 100 ? whole : new SampledMirror(whole, percent / 100, Math.random);
    });
  return mirrorsTogether(copiers);
}

/** The fractional part of the golden ratio. Steps of this length spread evenly over 0 to 1, for any number of steps. */
const STEP = 0.618_033_988_749_895;

/** Copies a fraction of the requests, evenly spread: any sequence of requests has this fraction, to within a few requests. @internal */
export class SampledMirror implements RequestCopier {
  readonly #mirror: RequestCopier;
  readonly #share: number;
  #point: number;

  /** `share` is the fraction, from 0 to 1. `random` chooses the starting point. */
  constructor(mirror: RequestCopier, share: number, random: () => number) {
    this.#mirror = mirror;
    this.#share = share;
    this.#point = random();
  }

  copy(exchange: Exchange): RequestCopy | undefined {
    this.#point = (this.#point + STEP) % 1;
    return this.#point < this.#share ? this.#mirror.copy(exchange) : undefined;
  }
}

/** Combines several copiers into one; undefined if there is no copier. */
function mirrorsTogether(copiers: readonly RequestCopier[]): RequestCopier | undefined {
  return copiers.length < 2 ? copiers[0] : { copy: (exchange) => copiesOf(copiers, exchange) };
}

function copiesOf(copiers: readonly RequestCopier[], exchange: Exchange): RequestCopy | undefined {
  const copies: RequestCopy[] = [];
  for (const copier of copiers) {
    const copy = copier.copy(exchange);
    if (copy !== undefined) copies.push(copy);
  }
  return copies.length < 2 ? copies[0] : new Copies(copies);
}

/** Several copies of one request, each with its own flow control. */
class Copies implements RequestCopy {
  readonly #copies: readonly RequestCopy[];

  constructor(copies: readonly RequestCopy[]) {
    this.#copies = copies;
  }

  begin(): void {
    for (const copy of this.#copies) copy.begin();
  }

  data(chunk: Uint8Array, start: number, end: number): void {
    for (const copy of this.#copies) copy.data(chunk, start, end);
  }

  end(trailers: Fields): void {
    for (const copy of this.#copies) copy.end(trailers);
  }

  close(): void {
    for (const copy of this.#copies) copy.close();
  }
}
