import { isObject } from "../is-object.ts";
import { fromPointerStep, type Json, type JsonObject, pointerStep } from "./json.ts";

/** One schema resource: a schema with an `$id` (JSON Schema Core §4.3.5), or a document. */
export interface Resource {
  readonly uri: string;
  readonly root: Json;
  readonly pointer: string;
  readonly outer: Resource | undefined;
  readonly anchors: Map<string, SchemaLocation>;
  readonly dynamicAnchors: Map<string, SchemaLocation>;
}

export interface SchemaLocation {
  readonly schema: Json;
  readonly resource: Resource;
  /** JSON pointer from the root of its document, for messages. */
  readonly pointer: string;
}

/** A schema cannot be used, or means something else than it seems. `pointer` leads to the error. */
export class SchemaError extends Error {
  readonly pointer: string;

  constructor(pointer: string, message: string) {
    super(message);
    this.name = "SchemaError";
    this.pointer = pointer;
  }
}

/** Keywords whose value is one schema. */
export const ONE = new Set([
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
]);
export const LIST = new Set(["allOf", "anyOf", "oneOf", "prefixItems"]);
/** Keywords whose value is an object of schemas. */
export const NAMED = new Set(["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"]);

/** Base of relative references in a schema without `$id`. It is not a valid base in a user's schema. */
const OWN_BASE = "body-schema:///";

function begin(uri: string, root: Json, at: { outer?: Resource; pointer?: string } = {}): Resource {
  return { uri, root, pointer: at.pointer ?? "", outer: at.outer, anchors: new Map(), dynamicAnchors: new Map() };
}

/** Finds every schema by its URI. It fetches nothing from the network. */
export class Registry {
  readonly #resources = new Map<string, Resource>();
  readonly #locations = new Map<JsonObject, SchemaLocation>();
  /** Called for an unknown URI; undefined: there is no such document. */
  readonly #known: (uri: string) => Json | undefined;

  constructor(known: (uri: string) => Json | undefined) {
    this.#known = known;
  }

  add(document: Json, uri = OWN_BASE): SchemaLocation {
    const resource = begin(uri, document);
    this.#resources.set(uri, resource);
    const root = { schema: document, resource, pointer: "" };
    this.#walk(root);
    return this.locationOf(root);
  }

  /** The place as it was registered: a schema with an `$id` is a resource of its own. */
  locationOf(location: SchemaLocation): SchemaLocation {
    return (isObject(location.schema) ? this.#locations.get(location.schema) : undefined) ?? location;
  }

  /** The place that a reference leads to. `anchor` is its fragment, if that is a name. Throws `SchemaError`. */
  resolve(reference: string, from: SchemaLocation): { readonly location: SchemaLocation; readonly anchor: string } {
    const schemaError = (why: string): SchemaError => new SchemaError(`${from.pointer}/$ref`, why);
    let url: URL;
    try {
      url = new URL(reference, from.resource.uri);
    } catch {
      throw schemaError(`${JSON.stringify(reference)} is not a reference`);
    }
    let fragment: string;
    try {
      fragment = decodeURIComponent(url.hash.slice(1));
    } catch {
      throw schemaError(`${JSON.stringify(reference)} has a broken escape`);
    }
    url.hash = "";
    const resource = this.#resource(url.href.replace(/#$/, ""));
    if (resource === undefined) {
      throw schemaError(
        `${JSON.stringify(reference)} is not within the schema; nothing is fetched, put it into $defs with its $id`,
      );
    }
    if (fragment === "")
      return { location: this.locationOf({ schema: resource.root, resource, pointer: "" }), anchor: "" };
    if (!fragment.startsWith("/")) {
      const location = resource.anchors.get(fragment);
      if (location === undefined) throw schemaError(`${JSON.stringify(reference)} does not exist in the schema`);
      return { location, anchor: fragment };
    }
    const location = this.#follow(resource, fragment);
    if (location === undefined) throw schemaError(`${JSON.stringify(reference)} does not exist in the schema`);
    return { location, anchor: "" };
  }

  #resource(uri: string): Resource | undefined {
    const found = this.#resources.get(uri);
    if (found !== undefined) return found;
    const document = this.#known(uri);
    if (document === undefined) return undefined;
    this.add(document, uri);
    return this.#resources.get(uri);
  }

  #follow(resource: Resource, fragment: string): SchemaLocation | undefined {
    let location = this.locationOf({ schema: resource.root, resource, pointer: "" });
    for (const step of fragment.slice(1).split("/")) {
      const key = fromPointerStep(step);
      const { schema } = location;
      if (typeof schema !== "object" || schema === null || !Object.hasOwn(schema, key)) return undefined;
      const next = Reflect.get(schema, key) as Json; // Each part of a JSON value is a JSON value.
      location = this.locationOf({ ...location, schema: next, pointer: location.pointer + pointerStep(key) });
    }
    // The part below an unknown keyword was not searched for schemas yet.
    if (isObject(location.schema) && !this.#locations.has(location.schema)) this.#walk(location);
    return this.locationOf(location);
  }

  #walk({ schema, resource: outer, pointer }: SchemaLocation): void {
    if (!isObject(schema)) return;
    const resource = this.#begin(schema, outer, pointer);
    const location = { schema, resource, pointer };
    this.#locations.set(schema, location);
    this.#name(location);
    for (const [key, value] of Object.entries(schema)) {
      const at = pointer + pointerStep(key);
      if (ONE.has(key)) this.#walk({ schema: value, resource, pointer: at });
      else if ((LIST.has(key) && Array.isArray(value)) || (NAMED.has(key) && isObject(value))) {
        for (const [step, child] of Object.entries(value)) {
          this.#walk({ schema: child, resource, pointer: at + pointerStep(step) });
        }
      }
    }
  }

  /** The resource that a schema is part of. The schema may be the root of a new one. */
  #begin(schema: JsonObject, outer: Resource, pointer: string): Resource {
    const id = schema["$id"];
    if (typeof id !== "string") return outer;
    let uri: string;
    try {
      uri = new URL(id, outer.uri).href.replace(/#$/, "");
    } catch {
      throw new SchemaError(`${pointer}/$id`, `${JSON.stringify(id)} is not a URI`);
    }
    if (uri.includes("#")) throw new SchemaError(`${pointer}/$id`, "must have no fragment");
    const other = this.#resources.get(uri);
    if (other !== undefined && other.root !== schema) throw new SchemaError(`${pointer}/$id`, "appears twice");
    const resource = begin(uri, schema, { outer, pointer });
    this.#resources.set(uri, resource);
    return resource;
  }

  #name(location: SchemaLocation): void {
    const { anchors, dynamicAnchors } = location.resource;
    for (const key of ["$anchor", "$dynamicAnchor"]) {
      const name = isObject(location.schema) ? location.schema[key] : undefined;
      if (typeof name !== "string") continue;
      if (anchors.has(name) && anchors.get(name)?.schema !== location.schema) {
        throw new SchemaError(`${location.pointer}/${key}`, "appears twice");
      }
      anchors.set(name, location);
      if (key === "$dynamicAnchor") dynamicAnchors.set(name, location);
    }
  }
}
