/** Custom properties that are read, characters of a value, and replacements in a body of a rule. @bound */
const MAX_PROPERTIES = 2_000;
const MAX_LENGTH = 200;
const MAX_ROUNDS = 5;

const DECLARED = /(?:^|[;{\s])(--[\w-]+)\s*:\s*([^;{}]*)/g;
const USED = /var\(\s*(--[\w-]+)\s*(?:,([^()]*))?\)/g;

/** The values of custom properties, as far as they are the same in the whole page. */
export class CustomProperties {
  /** Undefined: the value differs within the page. */
  readonly #values = new Map<string, string | undefined>();

  /** Adds the properties that a rule declares. */
  add(body: string, isForAll: boolean): void {
    for (const [, name = "", value = ""] of body.matchAll(DECLARED)) {
      if (this.#values.size >= MAX_PROPERTIES && !this.#values.has(name)) return;
      const isKnown =
        isForAll && value.length <= MAX_LENGTH && (!this.#values.has(name) || this.#values.get(name) !== undefined);
      this.#values.set(name, isKnown ? value.trim() : undefined);
    }
  }

  /** The declarations with the values of the properties that they use. Those that are not known stay. */
  resolve(body: string): string {
    if (!body.includes("var(")) return body;
    const own = new Map([...body.matchAll(DECLARED)].map(([, name = "", value = ""]) => [name, value.trim()]));
    let text = body;
    for (let round = 0; round < MAX_ROUNDS && text.includes("var("); round += 1) {
      const before = text;
      text = text.replace(USED, (whole, name: string, otherwise?: string) => {
        const value = own.get(name) ?? this.#values.get(name);
        if (value !== undefined) return value;
        return this.#values.has(name) || own.has(name) ? whole : (otherwise?.trim() ?? whole);
      });
      if (text === before || text.length > before.length + MAX_LENGTH * 50) break;
    }
    return text;
  }
}
