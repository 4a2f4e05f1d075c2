import { unescapedBytes } from "../../../lib/http/percent.ts";

/** One query parameter. Its name is found in any percent-encoded spelling. */
export class QueryParameter {
  readonly #name: string;

  /** An empty name stands for no parameter. */
  constructor(name: string) {
    this.#name = Buffer.from(name).toString("latin1");
  }

  /** False: it stands for no parameter. */
  get isNamed(): boolean {
    return this.#name !== "";
  }

  /** The values of the parameter, one character per byte. `query` is empty or begins with `?`. */
  values(query: string): readonly string[] {
    if (!this.#mayHold(query)) return [];
    return partsOf(query)
      .filter((part) => this.#names(part))
      .map((part) => (part.includes("=") ? unescapedBytes(part.slice(part.indexOf("=") + 1)) : ""));
  }

  without(query: string): string {
    if (!this.#mayHold(query)) return query;
    const kept = partsOf(query).filter((part) => !this.#names(part));
    return kept.length === 0 ? "" : `?${kept.join("&")}`;
  }

  #mayHold(query: string): boolean {
    return this.#name !== "" && (query.includes(this.#name) || query.includes("%"));
  }

  #names(part: string): boolean {
    const equals = part.indexOf("=");
    const name = equals === -1 ? part : part.slice(0, equals);
    return name === this.#name || unescapedBytes(name) === this.#name;
  }
}

function partsOf(query: string): string[] {
  return query.slice(1).split("&");
}
