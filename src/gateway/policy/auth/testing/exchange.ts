import { type Exchange, type RequestHead } from "../../../exchange.ts";

/** For tests alone: a request of which a method sees the head, with these fields and this query. */
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
  // A method that needs no more than the head.
  return { head } as Exchange;
}
