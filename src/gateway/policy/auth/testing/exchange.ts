import { type Exchange, type RequestHead } from "../../../exchange/exchange.ts";

/** For tests only: a request with these fields and this query, of which only the head is set. */
export function requestOf(fields: string, query = ""): Exchange {
  const head: RequestHead = {
    method: "GET",
    scheme: "http",
    authority: "a.test",
    path: "/",
    query,
    fields,
    payment: "",
    bodyLength: 0,
    expectContinue: false,
    via: "",
    forwardedFor: "",
    isGrpc: false,
    upgrade: "",
  };
  // Methods need only the head.
  return { head } as Exchange;
}
