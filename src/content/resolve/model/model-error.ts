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
  | "invented";

/**
 * A language model's failure, in a few words that may be logged and shown. They contain no key, no address and no text
 * from the model.
 */
export class ModelError extends Error {
  readonly kind: ModelErrorKind;

  constructor(kind: ModelErrorKind, detail: string) {
    super(detail);
    this.name = "ModelError";
    this.kind = kind;
  }
}
