import { type GatherDeps } from "./gather.ts";
import { JudgingThreads } from "./judging/judging-threads.ts";
import { ModelAnalyst } from "./model/model-analyst.ts";
import { type ModelOptions } from "./model/model-options.ts";
import { Resolver } from "./resolver.ts";

/** The services of a resolver. */
export interface ResolverServices extends Omit<GatherDeps, "clock"> {
  readonly log: (message: string) => void;
  /** Unix ms. */
  readonly now?: () => number;
}

/**
 * Creates the resolver of a service. It uses a language model if one is configured, and the embedded analyst otherwise.
 */
export function createResolver(model: ModelOptions | undefined, services: ResolverServices): Resolver {
  return new Resolver({
    ...services,
    now: services.now ?? Date.now,
    clock: () => performance.now(),
    judging: new JudgingThreads(),
    model:
      model === undefined
        ? undefined
        : { analyst: new ModelAnalyst(model), timeoutMs: model.timeoutMs, fallback: model.fallback },
  });
}
