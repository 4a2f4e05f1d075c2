import { type RouteConfig } from "../../config/config.ts";
import { createAnonymous } from "./anonymous.ts";
import { createApiKey } from "./api-key.ts";
import { createChain } from "./chain.ts";
import { createForwardAuth } from "./forward-auth.ts";
import { type KeySetDeps } from "./jwks.ts";
import { createJwt } from "./jwt.ts";
import { type Method } from "./method.ts";

export type Auth = RouteConfig["auth"];

/** Fields that hold credentials, no matter which program sets them. */
const CREDENTIALS: ReadonlySet<string> = new Set(["authorization", "cookie"]);

/** Creates the method of a `routes[].auth`. Throws if it cannot be used. */
export function createMethod(auth: Auth, deps: KeySetDeps): Method {
  switch (auth.type) {
    case "api_key":
      return createApiKey(auth);
    case "jwt":
      return createJwt(auth, deps);
    case "forward_auth":
      return createForwardAuth(auth, deps);
    case "anonymous":
      return createAnonymous(auth.subject);
    case "chain":
      return createChain(auth.methods.map((method) => createMethod(method, deps)));
    case "none":
      return createAnonymous("");
  }
  throw new Error("Cannot authenticate: there is no such method");
}

/** All methods of `auth`, with chains flattened. */
export function methodsIn(auth: Auth): readonly Exclude<Auth, { type: "chain" }>[] {
  return auth.type === "chain" ? auth.methods.flatMap(methodsIn) : [auth];
}

/** Names of the query parameters that hold keys. An empty name stands for no parameter. */
export function keyParameters(auth: Auth): string[] {
  return methodsIn(auth).flatMap((method) => (method.type === "api_key" ? [method.query_param] : []));
}

/**
 * Names, in lower case, of the fields from which its methods read credentials, or in which they send credentials to the
 * upstream. All fields that are sent to an auth service count, because the gateway does not know which of them hold
 * credentials.
 */
export function credentialNames(auth: Auth): string[] {
  return methodsIn(auth).flatMap((method) => {
    switch (method.type) {
      case "api_key":
        return [method.header_name.toLowerCase()];
      case "jwt":
        return ["authorization"];
      case "forward_auth": {
        const given = method.headers_upstream.map((name) => name.toLowerCase());
        return [
          ...method.headers_forward.map((name) => name.toLowerCase()),
          ...given.filter((name) => CREDENTIALS.has(name)),
        ];
      }
      case "anonymous":
      case "none":
        return [];
    }
    throw new Error("Cannot authenticate: there is no such method");
  });
}

/** Names, in lower case, of the fields that identify the client to upstreams. */
export function identityNames(auth: Auth): string[] {
  return methodsIn(auth).flatMap((method) => {
    if (method.type === "jwt") return method.claims_to_headers.map(({ header }) => header.toLowerCase());
    return method.type === "forward_auth" ? method.headers_upstream.map((name) => name.toLowerCase()) : [];
  });
}
