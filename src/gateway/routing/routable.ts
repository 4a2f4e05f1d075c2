import { type Fields } from "../../lib/fields.ts";
import { type WholeMatch } from "../../lib/linear-pattern.ts";

/** What a table needs to know of a route. */
export interface Routable {
  /** In the spelling of `normalisePath`; starts with `/`. */
  readonly pathPrefix: string;
  /** Lower case, without port, or `*.example.com`; undefined: any. */
  readonly host: string | undefined;
  /** It asks for credentials or for money. */
  readonly isGuarded: boolean;
  /** Undefined: path and host are enough. */
  readonly conditions?: Conditions | undefined;
}

/** What conditions look at: a request's head. */
export interface Matchable {
  readonly method: string;
  /** Empty, or with its `?`. */
  readonly query: string;
  readonly fields: Fields;
}

/** A condition of one header field or query parameter; `test` undefined: its presence is enough. */
export interface NamedTest {
  readonly name: string;
  readonly value: string | undefined;
  readonly pattern: WholeMatch | undefined;
}

/** What a request must have for a route beside a path and a host (`routes[].match`), compiled. */
export interface Conditions {
  /** The path is the route's prefix, and nothing below it. */
  readonly isExact: boolean;
  readonly path: WholeMatch | undefined;
  /** `path` in any capitals. */
  readonly pathAnyCase: WholeMatch | undefined;
  /** Of some pattern of the path, capitals matter, or escapes. */
  readonly isSpelled: boolean;
  /** Empty: any. */
  readonly methods: readonly string[];
  readonly fields: readonly NamedTest[];
  readonly query: readonly NamedTest[];
}
