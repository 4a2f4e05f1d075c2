import { type Fields } from "../../lib/http/fields.ts";
import { type TextMatch } from "../../lib/patterns/linear-pattern.ts";

/** The properties of a route that the route table uses. */
export interface Routable {
  /** Normalised by `normalisePath`; starts with `/`. */
  readonly pathPrefix: string;
  /** In lower case without port, or `*.example.com`. Undefined: any host. */
  readonly host: string | undefined;
  /** The route requires credentials or a payment. */
  readonly isGuarded: boolean;
  /** Undefined: the route matches only by path and host. */
  readonly conditions?: Conditions | undefined;
}

/** The parts of a request that conditions test. */
export interface Matchable {
  readonly method: string;
  /** Empty, or the query with its `?`. */
  readonly query: string;
  readonly fields: Fields;
}

/** A condition on one header field or query parameter. `test` undefined: it must only be present. */
export interface NamedTest {
  readonly name: string;
  readonly value: string | undefined;
  readonly pattern: TextMatch | undefined;
}

/** The compiled conditions of a route (`routes[].match`), beyond path and host. */
export interface Conditions {
  /** Only the prefix itself matches, not the paths below it. */
  readonly isExact: boolean;
  readonly path: TextMatch | undefined;
  /** `path`, without regard to letter case. */
  readonly pathAnyCase: TextMatch | undefined;
  /** Letter case or escapes matter to a pattern of the path. */
  readonly isSpelled: boolean;
  /** Empty: any method. */
  readonly methods: readonly string[];
  readonly fields: readonly NamedTest[];
  readonly query: readonly NamedTest[];
}
