import { TurnpikeError } from "../../lib/errors.ts";
import { type Analysis, type Analyst, type Judgement, type Plan, type Source } from "./analysis.ts";
import { checkedAnalysis } from "./checked-analysis.ts";
import { gather, type GatherDeps } from "./gather.ts";
import { ModelError } from "./model/model-error.ts";
import { reasoningOf } from "./reasoning.ts";

/** Resolutions under way at one time: each may hold the texts of 11 sources. */
export const MAX_RESOLUTIONS = 32;
/** The share of the time, and milliseconds at most, that are kept for the embedded analyst. */
const EMBEDDED_SHARE = 0.15;
const MAX_EMBEDDED_MS = 3_000;
/** The share of the time that is kept for a model at most. */
const MODEL_SHARE = 0.5;

/** A language model's analyst, and what the operator says of it. */
export interface ModelChoice {
  readonly analyst: Analyst;
  readonly timeoutMs: number;
  /** Whether the embedded analyst takes its place where it fails. */
  readonly fallback: boolean;
}

export interface ResolverDeps extends GatherDeps {
  readonly planOf: (question: string, criteria: string, now: number) => Plan;
  readonly embedded: Analyst;
  /** Undefined: the embedded analyst judges. */
  readonly model: ModelChoice | undefined;
  readonly weigh: (plan: Plan, sources: readonly Source[], analysis: Analysis, now: number) => Judgement;
  /** Unix ms. */
  readonly now: () => number;
  readonly log: (message: string) => void;
}

export interface ResolutionRequest {
  readonly question: string;
  readonly criteria: string;
  readonly maxSources: number;
  /** Addresses that are read before all others, at most 3. */
  readonly hints: readonly string[];
  readonly timeoutMs: number;
}

export interface Resolution {
  readonly judgement: Judgement;
  /** The sources that were read. */
  readonly sources: readonly Source[];
  /** Searches that a provider answered. */
  readonly searches: number;
  /** The analyst whose statements were weighed. */
  readonly analyst: string;
}

/** What an analyst came to, after its quotes were checked. */
interface Examined {
  readonly analysis: Analysis;
  readonly analyst: string;
  /** Quotes that stand in no source. */
  readonly invented: number;
  /** Quotes that gave orders to a reader. */
  readonly orders: number;
  /** Why the language model did not judge, where it should have. */
  readonly modelFault: string | undefined;
}

/** Answers questions by what sources say. */
export class Resolver {
  readonly #deps: ResolverDeps;
  #running = 0;

  constructor(deps: ResolverDeps) {
    this.#deps = deps;
  }

  /** Fails with `resolve-failed` where nothing could be read or searched, with `model-failed`, and with `overloaded`. */
  async resolve(request: ResolutionRequest, signal: AbortSignal): Promise<Resolution> {
    if (this.#running >= MAX_RESOLUTIONS) {
      throw new TurnpikeError("overloaded", "Cannot resolve the question: too many resolutions are under way");
    }
    this.#running += 1;
    try {
      return await this.#resolve(request, signal);
    } finally {
      this.#running -= 1;
    }
  }

  async #resolve(request: ResolutionRequest, signal: AbortSignal): Promise<Resolution> {
    const endsAt = performance.now() + request.timeoutMs;
    const { planOf, weigh } = this.#deps;
    const now = this.#deps.now();
    const plan = planOf(request.question, request.criteria, now);
    const { maxSources, hints } = request;
    const timeMs = request.timeoutMs - this.#analysisMs(request.timeoutMs);
    const gathered = await gather({ plan, hints, maxSources, timeMs, signal }, this.#deps);
    const { sources, searches } = gathered;
    if (sources.length === 0 && searches === 0) {
      throw new TurnpikeError(
        "resolve-failed",
        "Cannot resolve the question: no source was read and no search answered",
      );
    }
    const examined = await this.#examine(plan, sources, { now, endsAt, signal });
    const judgement = weigh(plan, sources, examined.analysis, now);
    const reasoning = reasoningOf(judgement.reasoning, { ...gathered, ...examined });
    return { judgement: { ...judgement, reasoning }, sources, searches, analyst: examined.analyst };
  }

  /** Milliseconds that are kept for the analysis. */
  #analysisMs(timeoutMs: number): number {
    const { model } = this.#deps;
    const embedded = embeddedMs(timeoutMs);
    return model === undefined ? embedded : Math.min(model.timeoutMs + embedded, timeoutMs * MODEL_SHARE);
  }

  async #examine(plan: Plan, sources: readonly Source[], clock: Clock): Promise<Examined> {
    const { embedded, model } = this.#deps;
    // A model has nothing to say of no sources, and costs money.
    if (model === undefined || sources.length === 0) return await examine(embedded, plan, sources, clock);
    try {
      const endsAt = clock.endsAt - (model.fallback ? embeddedMs(clock.endsAt - performance.now()) : 0);
      const limit = AbortSignal.timeout(Math.max(0, Math.round(endsAt - performance.now())));
      const signal = AbortSignal.any([clock.signal, limit]);
      const examined = await examine(model.analyst, plan, sources, { ...clock, signal });
      if (examined.invented > examined.analysis.statements.length) {
        throw new ModelError("invented", "most of its quotes stand in no source");
      }
      return examined;
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      clock.signal.throwIfAborted();
      this.#deps.log(`the language model failed: ${error.message}`);
      if (!model.fallback) {
        throw new TurnpikeError(
          "model-failed",
          `Cannot resolve the question: the language model failed: ${error.message}`,
        );
      }
      return { ...(await examine(embedded, plan, sources, clock)), modelFault: error.message };
    }
  }
}

/** What an analyst finds, checked. The embedded one ends by itself: an answer a little late is better than none. */
async function examine(analyst: Analyst, plan: Plan, sources: readonly Source[], clock: Clock): Promise<Examined> {
  const found = await analyst.analyse(plan, sources, clock);
  return { ...checkedAnalysis(found, sources), analyst: analyst.name, modelFault: undefined };
}

interface Clock {
  /** Unix ms. */
  readonly now: number;
  /** By performance.now(). */
  readonly endsAt: number;
  readonly signal: AbortSignal;
}

function embeddedMs(timeMs: number): number {
  return Math.max(0, Math.min(MAX_EMBEDDED_MS, timeMs * EMBEDDED_SHARE));
}
