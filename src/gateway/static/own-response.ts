import { type RouteConfig } from "../config/config.ts";
import { pathChange } from "../routing/rewrite.ts";
import { Redirect } from "./redirect.ts";
import { fieldLine } from "../../lib/http/fields.ts";
import { respond } from "../exchange/local-response.ts";

/** Provides `fixed_response` and `redirect`: the handler that responds in place of an upstream. */
export function ownResponse({
  redirect,
  fixed_response: fixed,
  path_prefix: prefix,
}: RouteConfig): Pick<Redirect, "serve"> | undefined {
  if (fixed !== undefined) return fixedResponse(fixed);
  return redirect && redirectOf(redirect, prefix);
}

/** Redirects requests of a route with this prefix. */
export function redirectOf(redirect: NonNullable<RouteConfig["redirect"]>, prefix: string): Redirect {
  const { scheme, host, port, status } = redirect;
  return new Redirect({ scheme, host, port, status, path: pathChange(redirect, prefix) });
}

const TEXT = fieldLine("Content-Type", "text/plain; charset=utf-8");

/** Responds to every request of a route with the same response. */
function fixedResponse({ status, headers, body }: NonNullable<RouteConfig["fixed_response"]>): Pick<Redirect, "serve"> {
  const isTyped = body === "" || headers.some(({ name }) => name.toLowerCase() === "content-type");
  const fields = headers.map(({ name, value }) => fieldLine(name, value)).join("") + (isTyped ? "" : TEXT);
  const bytes = Buffer.from(body);
  return { serve: (exchange) => respond(exchange, status, fields, bytes) };
}
