import { type RouteConfig } from "../config/config.ts";
import { pathChange } from "../routing/route-rewrite.ts";
import { FixedResponse } from "./fixed-response.ts";
import { Redirect } from "./redirect.ts";

/** Provides `fixed_response` and `redirect`: the handler that responds in place of an upstream. */
export function ownResponse({
  redirect,
  fixed_response: fixed,
  path_prefix: prefix,
}: RouteConfig): Redirect | FixedResponse | undefined {
  if (fixed !== undefined) return new FixedResponse(fixed);
  return redirect && redirectOf(redirect, prefix);
}

/** Redirects requests of a route with this prefix. */
export function redirectOf(redirect: NonNullable<RouteConfig["redirect"]>, prefix: string): Redirect {
  const { scheme, host, port, status } = redirect;
  return new Redirect({ scheme, host, port, status, path: pathChange(redirect, prefix) });
}
