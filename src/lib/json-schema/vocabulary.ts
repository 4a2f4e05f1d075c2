import { isObject } from "../is-object.ts";
import { type Json, type JsonObject, jsonText } from "./json.ts";
import { DIALECT, KEYWORDS, VOCABULARIES } from "./metaschema.ts";
import { type SchemaLocation, type Registry, type Resource, SchemaError } from "./registry.ts";

/** The effect of a metaschema on the schemas that name it. */
export interface Dialect {
  /** Keywords that have a meaning; undefined: all of the draft. */
  readonly keywords: ReadonlySet<string> | undefined;
  /** True if its vocabularies include the one that demands the check of formats. */
  readonly checksFormats: boolean;
}

const STANDARD: Dialect = { keywords: undefined, checksFormats: false };
const BASE = "https://json-schema.org/draft/2020-12/vocab/";

/** Finds the dialect of each resource by its `$schema` (JSON Schema Core §8.1). It fetches nothing from the network. */
export class Dialects {
  readonly #registry: Registry;
  readonly #known = new Map<Resource, Dialect>();
  /** Schemas that name a custom metaschema, and that metaschema. */
  readonly named: { readonly schema: Json; readonly pointer: string; readonly metaschema: SchemaLocation }[] = [];

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  /** A schema's dialect; without one, that of the schema around it. Throws `SchemaError`. */
  of(location: SchemaLocation): Dialect {
    const { resource } = location;
    return this.#known.getOrInsertComputed(resource, () => {
      const { root, outer } = resource;
      const name = isObject(root) ? root["$schema"] : undefined;
      if (name !== undefined) return this.#named(jsonText(name), { schema: root, resource, pointer: resource.pointer });
      return outer === undefined ? STANDARD : this.of({ schema: outer.root, resource: outer, pointer: outer.pointer });
    });
  }

  #named(name: string, from: SchemaLocation): Dialect {
    if (isStandard(name)) return STANDARD;
    const pointer = `${from.pointer}/$schema`;
    let metaschema: SchemaLocation;
    try {
      metaschema = this.#registry.resolve(name, from).location;
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      throw new SchemaError(pointer, `expected ${DIALECT}, or a metaschema in $defs with its $id`);
    }
    const schema = isObject(metaschema.schema) ? metaschema.schema : {};
    const base = schema["$schema"];
    if (base !== undefined && !isStandard(jsonText(base)) && jsonText(base) !== name) {
      throw new SchemaError(pointer, `expected a metaschema that is itself of ${DIALECT}`);
    }
    this.named.push({ schema: from.schema, pointer: from.pointer, metaschema });
    return dialectOf(schema, pointer);
  }
}

/** True if `$schema` names the draft's own metaschema. */
function isStandard(name: string): boolean {
  return name.replace(/#$/, "") === DIALECT;
}

function dialectOf(metaschema: JsonObject, pointer: string): Dialect {
  const vocabulary = metaschema["$vocabulary"];
  if (!isObject(vocabulary)) return STANDARD;
  const keywords = new Set(VOCABULARIES.get(`${BASE}core`));
  for (const [uri, isRequired] of Object.entries(vocabulary)) {
    const own = VOCABULARIES.get(uri);
    if (own === undefined && isRequired === true) {
      throw new SchemaError(
        pointer,
        `its metaschema requires the vocabulary ${JSON.stringify(uri)}, which is not known`,
      );
    }
    for (const keyword of own ?? []) if (KEYWORDS.has(keyword)) keywords.add(keyword);
  }
  return { keywords, checksFormats: Object.hasOwn(vocabulary, `${BASE}format-assertion`) };
}
