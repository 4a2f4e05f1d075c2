import { isObject, type JsonRecord } from "../../../lib/is-object.ts";

/** The methods of a route's authentication, with those of its chains, in order. */
export function methodsOf(auth: unknown): readonly JsonRecord[] {
  if (!isObject(auth)) return [];
  const { type, methods } = auth;
  return type === "chain" && Array.isArray(methods) ? methods.flatMap(methodsOf) : [auth];
}

/** The API keys of a route. Their numbers, from 1, are the places in this list. */
export function keysOf(auth: unknown): readonly JsonRecord[] {
  return methodsOf(auth).flatMap((method) => listOf(method));
}

/** The authentication with another key in its first list of API keys; undefined without such a list. */
export function withKey(auth: unknown, key: JsonRecord): unknown {
  let isAdded = false;
  const changed = mapLists(auth, (keys) => {
    if (isAdded) return keys;
    isAdded = true;
    return [...keys, key];
  });
  return isAdded ? changed : undefined;
}

/** The authentication without the key with this number and owner; undefined if there is no such key. */
export function withoutKey(auth: unknown, number: number, owner: string): unknown {
  let at = 0;
  let isGone = false;
  const changed = mapLists(auth, (keys) =>
    keys.filter(({ name }) => {
      at += 1;
      if (at !== number || name !== owner) return true;
      isGone = true;
      return false;
    }),
  );
  return isGone ? changed : undefined;
}

function mapLists(auth: unknown, map: (keys: readonly JsonRecord[]) => readonly JsonRecord[]): unknown {
  if (!isObject(auth)) return auth;
  if (auth["type"] === "api_key") return { ...auth, keys: map(listOf(auth)) };
  const { methods } = auth;
  return Array.isArray(methods) ? { ...auth, methods: methods.map((method) => mapLists(method, map)) } : auth;
}

function listOf({ type, keys }: JsonRecord): readonly JsonRecord[] {
  return type === "api_key" && Array.isArray(keys) ? keys.filter(isObject) : [];
}
