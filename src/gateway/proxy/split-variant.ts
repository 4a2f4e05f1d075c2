import { type Exchange } from "../exchange/exchange.ts";
import { type ForwardTarget, type TargetVariant } from "./target.ts";

/** Edits the request's fields, or adds a sink that edits the response's fields. */
export type MessageEdit = (exchange: Exchange) => void;

/** The parts of a route's target that an entry of `traffic_split` replaces. */
export type TargetParts = Pick<
  ForwardTarget,
  "upstream" | "mirror" | "rewrite" | "host" | "extraFields" | "extraNames"
>;

interface Responder {
  serve(exchange: Exchange): void;
}

/** An entry of `traffic_split` with header rules, rewrites, a redirect or mirrors of its own. */
export class Variant implements TargetVariant {
  readonly #edit: MessageEdit | undefined;
  readonly #action: TargetParts | Responder;
  /** By the target that it changes: that of the route, or that of the route's cache. */
  readonly #made = new WeakMap<ForwardTarget, ForwardTarget>();

  /** `action` forwards requests to another target, or responds to them. */
  constructor(edit: MessageEdit | undefined, action: TargetParts | Responder) {
    this.#edit = edit;
    this.#action = action;
  }

  apply(exchange: Exchange, target: ForwardTarget): ForwardTarget | undefined {
    this.#edit?.(exchange);
    if ("serve" in this.#action) {
      this.#action.serve(exchange);
      return undefined;
    }
    const made = this.#made.get(target) ?? { ...target, ...this.#action, split: undefined, variants: undefined };
    this.#made.set(target, made);
    return made;
  }
}
