import { type Exchange } from "../exchange/exchange.ts";
import { CONTINUE, type Filter, type FilterDecision } from "./runtime/filter.ts";

const RESPONDED: FilterDecision = { kind: "responded" };

/** The filters of one route, in the order of the file. */
export class RouteFilters {
  readonly #filters: readonly Filter[];
  /** True if a filter reads all messages of a gRPC call before it decides. */
  readonly readsCalls: boolean;

  constructor(filters: readonly Filter[]) {
    this.#filters = filters;
    this.readsCalls = filters.some((filter) => filter.readsCalls);
  }

  /** Runs the filters one after the other until one has responded. If several name an upstream, the last one counts. */
  request(exchange: Exchange): FilterDecision | Promise<FilterDecision> {
    return this.#ask(exchange, 0, CONTINUE);
  }

  #ask(exchange: Exchange, from: number, soFar: FilterDecision): FilterDecision | Promise<FilterDecision> {
    let decided = soFar;
    for (let index = from; index < this.#filters.length; index++) {
      const decision = this.#filters[index]?.request(exchange) ?? CONTINUE;
      if (decision instanceof Promise) return this.#askAfter(decision, { exchange, next: index + 1, decided });
      if (decision.kind === "responded") return decision;
      if (decision.upstream !== undefined) decided = decision;
    }
    return decided;
  }

  async #askAfter(pending: Promise<FilterDecision>, { exchange, next, decided }: Asked): Promise<FilterDecision> {
    const decision = await pending;
    if (decision.kind === "responded" || exchange.gone) return RESPONDED;
    return await this.#ask(exchange, next, decision.upstream === undefined ? decided : decision);
  }
}

interface Asked {
  readonly exchange: Exchange;
  readonly next: number;
  readonly decided: FilterDecision;
}
