/** Why a language model gave no analysis. */
export type ModelFault =
  | "timeout"
  | "refused"
  | "status"
  | "redirects"
  | "unreachable"
  | "too-large"
  | "unreadable"
  | "cut"
  | "busy"
  | "invented";

/**
 * A language model's failure, in a few words that may be logged and shown. They contain no key, no address and no text
 * from the model.
 */
export class ModelError extends Error {
  readonly fault: ModelFault;

  constructor(fault: ModelFault, detail: string) {
    super(detail);
    this.name = "ModelError";
    this.fault = fault;
  }
}
