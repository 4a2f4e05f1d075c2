import { MAX_PROPERTIES, MAX_PROPERTY_BYTES } from "../module/proxy-wasm-bounds.ts";

/** Properties that filters have set: for one request, where all its filters see them, or for one filter. */
export class SetProperties {
  readonly #byOwner = new WeakMap<object, Map<string, Uint8Array>>();

  get(owner: object, name: string): Uint8Array | undefined {
    return this.#byOwner.get(owner)?.get(name);
  }

  set(owner: object, name: string, value: Uint8Array): boolean {
    const properties = this.#byOwner.get(owner) ?? new Map<string, Uint8Array>();
    const known = properties.get(name);
    let bytes = name.length + value.length;
    for (const [other, held] of properties) if (other !== name) bytes += other.length + held.length;
    if (bytes > MAX_PROPERTY_BYTES || (known === undefined && properties.size >= MAX_PROPERTIES)) return false;
    properties.set(name, value);
    this.#byOwner.set(owner, properties);
    return true;
  }
}
