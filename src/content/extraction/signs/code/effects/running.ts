import { type Code, type Scope } from "../syntax/scope.ts";
import { type Fn } from "../syntax/syntax.ts";

/** A chain of function calls that runs at present. */
export interface Running {
  readonly scope: Scope;
  readonly code: Code;
  /** The number of callbacks around the code. */
  readonly callbacks: number;
  /** The innermost of them. */
  readonly callback: Fn | undefined;
}
