/** The calls and tokens that the operator pays for. */
export interface ModelCost {
  readonly calls: number;
  readonly tokens: number;
}

/** The cost of a question for which the model was not asked. */
const NO_COST: ModelCost = { calls: 0, tokens: 0 };

/** Why a language model gave no analysis. */
export type ModelErrorKind =
  | "timeout"
  | "refused"
  | "status"
  | "redirects"
  | "unreachable"
  | "too-large"
  | "unreadable"
  | "cut"
  | "busy"
  | "budget"
  | "unavailable"
  | "invented";

/**
 * A language model's failure, in a few words that may be logged and shown. They contain no key, no address and no text
 * from the model.
 */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;
  readonly cost: ModelCost;

  constructor(kind: ModelErrorKind, detail: string, cost: ModelCost = NO_COST) {
    super(detail);
    this.name = "ModelError";
    this.kind = kind;
    this.cost = cost;
  }

  /** The same failure, after these costs. */
  at(cost: ModelCost): ModelError {
    return new ModelError(this.kind, this.message, cost);
  }

  /** The failure with its cost: "it refused (1 call, 2,598 tokens)". */
  get account(): string {
    const { calls, tokens } = this.cost;
    return `${this.message} (${calls} call${calls === 1 ? "" : "s"}, ${tokens.toLocaleString("en")} tokens)`;
  }
}
