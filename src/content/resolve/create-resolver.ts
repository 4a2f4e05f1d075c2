import { type GatherDeps } from "./gather.ts";
import { JudgingThreads } from "./judging/judging-threads.ts";
import { FieldModel } from "./model/field-model.ts";
import { ModelAnalyst, type ModelServices } from "./model/model-analyst.ts";
import { SchemaModel } from "./model/schema-model.ts";
import { SummaryModel } from "./model/summary-model.ts";
import { type ModelOptions } from "./model/model-options.ts";
import { type ModelChoice, Resolver } from "./resolver.ts";

export interface ResolverServices extends Omit<GatherDeps, "clock"> {
  readonly log: (message: string) => void;
  /** Unix ms. */
  readonly now?: () => number;
  /** The folder of the language model's token counts. Undefined: the counts end with the process. */
  readonly stateDir?: string;
  readonly onModelUsed?: ModelServices["onModelUsed"];
}

/**
 * Creates the resolver of a service. It uses a language model if one is configured, and the embedded analyst otherwise.
 */
export function createResolver(model: ModelOptions | undefined, services: ResolverServices): Resolver {
  const clocks = { now: services.now ?? Date.now, clock: () => performance.now() };
  return new Resolver({
    ...services,
    ...clocks,
    judging: new JudgingThreads(),
    model: model && choiceOf(model, { ...services, ...clocks }),
  });
}

function choiceOf(model: ModelOptions, services: ModelServices): ModelChoice {
  const analyst = new ModelAnalyst(model, services);
  const { timeoutMs, fallback } = model;
  return {
    analyst,
    fields: new FieldModel(analyst, model),
    summaries: new SummaryModel(analyst, model),
    schemas: new SchemaModel(analyst, model),
    timeoutMs,
    fallback,
  };
}
