import { TurnpikeError } from "../../lib/errors.ts";
import { type ModelFigures } from "../figures/model-figures.ts";
import { type Analysis, type Judgement, type Plan, type Source } from "./reading/analysis.ts";
import { gather, type GatherDeps } from "./gather.ts";
import { type Judged } from "./judging/judge.ts";
import { JudgingError, type JudgingThreads } from "./judging/judging-threads.ts";
import { type FieldModel } from "./model/field-model.ts";
import { type ModelAnalyst } from "./model/model-analyst.ts";
import { type SummaryModel } from "./model/summary-model.ts";
import { type SchemaModel } from "./model/schema-model.ts";
import { ModelError } from "./model/model-error.ts";
import { reasoningOf } from "./reasoning.ts";

/** Concurrent resolutions. Each may hold the texts of 11 sources. @internal */
export const MAX_RESOLUTIONS = 32;
/** The share of the time that is kept for judging, and its maximum in milliseconds. */
const JUDGING_SHARE = 0.15;
const MAX_JUDGING_MS = 3_000;
/**
 * Minimum milliseconds for plan and judgement, and the minimum share for gathering. A judgement that is a little late
 * is better than no judgement.
 */
const MIN_JUDGING_MS = 2_000;
const MIN_GATHERING_SHARE = 0.4;
/** The maximum share of the time that is kept for a model. */
const MODEL_SHARE = 0.5;

/** A language model's analyst with the operator's settings. */
export interface ModelChoice {
  readonly analyst: ModelAnalyst;
  readonly fields?: FieldModel;
  readonly summaries?: SummaryModel;
  readonly schemas?: SchemaModel;
  readonly timeoutMs: number;
  /** Whether the embedded analyst judges if the model fails. */
  readonly fallback: boolean;
}

export interface ResolverDeps extends GatherDeps {
  readonly judging: JudgingThreads;
  /** If undefined, the embedded analyst judges. */
  readonly model: ModelChoice | undefined;
  /** Unix ms. */
  readonly now: () => number;
  readonly log: (message: string) => void;
}

export interface ResolutionRequest {
  readonly question: string;
  readonly criteria: string;
  readonly maxSources: number;
  /** Addresses that are read first, at most 3. */
  readonly hints: readonly string[];
  readonly timeoutMs: number;
}

/** The judgement of a question, and the sources that it is based on. */
export interface Resolution {
  readonly judgement: Judgement;
  readonly sources: readonly Source[];
  /** Searches to which a provider responded. */
  readonly searches: number;
  readonly analyst: "embedded" | "language model";
}

/** A judgement with the name of its analyst. */
interface Examined extends Judged {
  readonly analyst: Resolution["analyst"];
  /** Why the language model's analysis does not count, if the model was asked. */
  readonly modelError?: string;
}

/** Answers questions from the statements of sources. */
export class Resolver {
  readonly #deps: ResolverDeps;
  #running = 0;

  constructor(deps: ResolverDeps) {
    this.#deps = deps;
  }

  /** Throws `resolve-failed` if no source was read and no search succeeded, and `model-failed` and `overloaded`. */
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

  /** The use of the language model; undefined without one. */
  get modelFigures(): ModelFigures | undefined {
    return this.#deps.model?.analyst.figures;
  }

  /** The language model as one that looks for fields; undefined without one. */
  get fieldModel(): FieldModel | undefined {
    return this.#deps.model?.fields;
  }

  /** The language model as one that summarises pages; undefined without one. */
  get summaryModel(): SummaryModel | undefined {
    return this.#deps.model?.summaries;
  }

  /** The language model as one that makes schemas; undefined without one. */
  get schemaModel(): SchemaModel | undefined {
    return this.#deps.model?.schemas;
  }

  close(): void {
    this.#deps.judging.close();
    this.#deps.model?.analyst.close();
  }

  async #resolve(request: ResolutionRequest, signal: AbortSignal): Promise<Resolution> {
    const endsAt = this.#deps.clock() + request.timeoutMs;
    const now = this.#deps.now();
    const plan = await this.#plan(request, now, signal);
    const { maxSources, hints } = request;
    const left = endsAt - this.#deps.clock() - this.#analysisMs(request.timeoutMs);
    const timeMs = Math.max(left, request.timeoutMs * MIN_GATHERING_SHARE);
    const gathered = await gather({ plan, hints, maxSources, timeMs, signal }, this.#deps);
    const { sources, searches } = gathered;
    if (sources.length === 0 && searches === 0) {
      throw new TurnpikeError(
        "resolve-failed",
        "Cannot resolve the question: no source was read and no search provider responded",
      );
    }
    const examined = await this.#examine({ plan, sources, now, endsAt, signal });
    const { judgement, analyst } = examined;
    const reasoning = reasoningOf(judgement.reasoning, { ...gathered, ...examined });
    return { judgement: { ...judgement, reasoning }, sources, searches, analyst };
  }

  async #plan({ question, criteria, timeoutMs }: ResolutionRequest, now: number, signal: AbortSignal): Promise<Plan> {
    // If the plan waits for a thread longer than this, the later steps have too little time.
    const planMs = timeoutMs * (1 - MIN_GATHERING_SHARE) - this.#analysisMs(timeoutMs);
    try {
      return await this.#deps.judging.plan(question, criteria, now, limited(signal, Math.max(planMs, MIN_JUDGING_MS)));
    } catch (error) {
      if (!(error instanceof JudgingError)) throw error;
      throw new TurnpikeError("overloaded", `Cannot read the question: ${error.message}`);
    }
  }

  /** Milliseconds that are reserved for the analysis. */
  #analysisMs(timeoutMs: number): number {
    const { model } = this.#deps;
    const judging = judgingMs(timeoutMs);
    return model === undefined ? judging : Math.min(model.timeoutMs + judging, timeoutMs * MODEL_SHARE);
  }

  async #examine(inquiry: Inquiry): Promise<Examined> {
    const { model } = this.#deps;
    // Without sources a model can say nothing, and would still cost money.
    if (model === undefined || inquiry.sources.length === 0) {
      return { ...(await this.#judge(inquiry, undefined)), analyst: "embedded" };
    }
    try {
      return { ...(await this.#byModel(model, inquiry)), analyst: "language model" };
    } catch (error) {
      if (!(error instanceof ModelError)) throw error;
      this.#deps.log(`the language model failed: ${error.account}`);
      inquiry.signal.throwIfAborted();
      if (!model.fallback) {
        throw new TurnpikeError(
          "model-failed",
          `Cannot resolve the question: the language model failed: ${error.account}`,
        );
      }
      return { ...(await this.#judge(inquiry, undefined)), analyst: "embedded", modelError: error.message };
    }
  }

  async #byModel({ analyst }: ModelChoice, inquiry: Inquiry): Promise<Judged> {
    const { plan, sources, now, signal, endsAt } = inquiry;
    const left = endsAt - this.#deps.clock();
    const options = { now, signal: limited(signal, left - judgingMs(left)) };
    const { analysis, cost } = await analyst.analyse(plan, sources, options);
    const judged = await this.#judge(inquiry, analysis);
    if (judged.invented > judged.kept) throw new ModelError("invented", "most of its quotes are in no source", cost);
    return judged;
  }

  async #judge({ plan, sources, now, endsAt, signal }: Inquiry, analysis: Analysis | undefined): Promise<Judged> {
    const limit = Math.max(MIN_JUDGING_MS, endsAt - this.#deps.clock());
    try {
      return await this.#deps.judging.judge({ plan, sources, now, analysis }, limited(signal, limit));
    } catch (error) {
      if (!(error instanceof JudgingError)) throw error;
      signal.throwIfAborted();
      this.#deps.log(`cannot judge sources: ${error.message}`);
      return UNEXAMINED;
    }
  }
}

/** A question with its sources. `now` is in Unix ms, `endsAt` a time of the monotonic clock. */
interface Inquiry {
  readonly plan: Plan;
  readonly sources: readonly Source[];
  readonly now: number;
  readonly endsAt: number;
  readonly signal: AbortSignal;
}

/** The judgement if the sources could not be examined in time. A hostile source can cause that. */
const UNEXAMINED: Judged = {
  judgement: {
    probability: 0.5,
    verdict: "UNCERTAIN",
    confidence: "low",
    reasoning: "The sources could not be examined in time.",
    evidence: [],
  },
  kept: 0,
  invented: 0,
  orders: 0,
  unrelated: 0,
  unstated: 0,
  disputed: 0,
  omitted: 0,
};

function limited(signal: AbortSignal, ms: number): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(Math.max(0, Math.round(ms)))]);
}

function judgingMs(timeMs: number): number {
  return Math.max(0, Math.min(MAX_JUDGING_MS, timeMs * JUDGING_SHARE));
}
