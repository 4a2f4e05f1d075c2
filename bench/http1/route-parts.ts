/** The policies and the observer of a route, made from a configuration as a gateway makes them. */
import { BufferPool } from "../../src/lib/memory/buffer-pool.ts";
import { BUCKET_BYTES } from "../../src/lib/memory/token-buckets.ts";
import { TimerWheel } from "../../src/lib/time/timer-wheel.ts";
import { loadValue } from "../../src/gateway/config/load.ts";
import { respondWithError } from "../../src/gateway/exchange/local-response.ts";
import { type Observer, provideObservers } from "../../src/gateway/pipeline/observer.ts";
import { LogFiles } from "../../src/gateway/policy/access-log/log-files.ts";
import { LogTrouble } from "../../src/gateway/policy/access-log/log-trouble.ts";
import { provideAuth } from "../../src/gateway/policy/auth/provide-auth.ts";
import { provideDecidingFields } from "../../src/gateway/policy/deciding-fields/deciding-fields.ts";
import { provideMethodOverride } from "../../src/gateway/policy/method-override/method-override.ts";
import { type Policy, type PolicyFeature } from "../../src/gateway/policy/policy.ts";
import { provideRateLimits } from "../../src/gateway/policy/rate-limit/provide-rate-limits.ts";
import { RateLimits } from "../../src/gateway/policy/rate-limit/rate-limit.ts";
import { provideSecurityHeaders } from "../../src/gateway/policy/security-headers/security-headers.ts";
import { tracedPolicy } from "../../src/gateway/policy/traced-policy.ts";
import { onlySlot, Telemetry } from "../../src/gateway/telemetry/telemetry.ts";
import { Tracers } from "../../src/gateway/telemetry/tracing/tracers.ts";
import { PARTS } from "../policy-cases.ts";

function log(message: unknown): void {
  console.error(String(message));
}

/** The route of the policy bench with these policies. */
export async function routeParts(names: readonly string[]): Promise<{ policies: Policy[]; observer: Observer }> {
  const chosen = PARTS.filter(({ name }) => names.includes(name));
  const loaded = loadValue({
    access_log: { enabled: false },
    ...Object.assign({}, ...chosen.map(({ whole }) => whole?.({ logPath: "/dev/null", collectorPort: 9 }) ?? {})),
    upstreams: [{ name: "origin", servers: [{ address: "127.0.0.1", port: 1 }] }],
    routes: [{ path_prefix: "/", upstream: "origin", ...Object.assign({}, ...chosen.map(({ route }) => route ?? {})) }],
  });
  if (loaded.config === undefined) throw new Error(`Cannot use the configuration: ${JSON.stringify(loaded)}`);
  const { config } = loaded;
  const slot = onlySlot();
  const telemetry = new Telemetry(slot);
  const buffers = new BufferPool({ bufferSize: 65_536, bufferCount: 64, reserve: 2 });
  const parts = {
    config,
    respondWithError,
    telemetry,
    buffers,
    bodies: buffers,
    clock: Date.now,
    log,
    onError: log,
    wheel: new TimerWheel(),
    onEvent() {},
    rateLimits: new RateLimits(new Uint8Array(BUCKET_BYTES), telemetry.counts, false),
    logFiles: new LogFiles(telemetry.counts, new LogTrouble(slot, log)),
    tracers: new Tracers(),
  };
  const observers = provideObservers(parts, undefined);
  const [route] = config.routes;
  const features: PolicyFeature[] = [
    provideSecurityHeaders(parts),
    provideMethodOverride(parts),
    provideDecidingFields(parts),
    provideAuth(parts),
    await provideRateLimits(parts, undefined),
  ];
  const policies = features.flatMap((feature) => {
    const policy = feature.policy(route);
    if (policy === undefined) return [];
    return observers.tracer !== undefined && feature.isTraced === true ? [tracedPolicy(policy)] : [policy];
  });
  return { policies, observer: await observers.of(route) };
}
