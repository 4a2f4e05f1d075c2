import { type Exchange } from "../../exchange/exchange.ts";
import { type Method, type Outcome, type Refused } from "./method.ts";
import { combined } from "./refusals.ts";

/** Tries methods in order. The first method that admits the request decides. */
export function createChain(methods: readonly Method[]): Method {
  return {
    type: "chain",
    check: (exchange) => ask(methods, exchange, []),
    take(head) {
      for (const method of methods) method.take(head);
    },
    close() {
      for (const method of methods) method.close();
    },
  };
}

/** Continues after the methods that have refused the request. */
function ask(methods: readonly Method[], exchange: Exchange, refused: readonly Refused[]): Outcome | Promise<Outcome> {
  const before = [...refused];
  for (;;) {
    const method = methods[before.length];
    if (method === undefined) return combined(before);
    const outcome = method.check(exchange);
    if (outcome instanceof Promise) return askAfter(outcome, { methods, exchange, before });
    if (outcome.kind === "admitted") return outcome;
    before.push(outcome);
  }
}

interface Asked {
  readonly methods: readonly Method[];
  readonly exchange: Exchange;
  readonly before: readonly Refused[];
}

async function askAfter(pending: Promise<Outcome>, { methods, exchange, before }: Asked): Promise<Outcome> {
  const outcome = await pending;
  return outcome.kind === "admitted" ? outcome : ask(methods, exchange, [...before, outcome]);
}
