import { type LeftOut, type StoredItems } from "../page/browsing-state.ts";

/** Characters of the localStorage of an origin. @operator A larger one is not kept. */
const MAX_ITEMS_LENGTH = 200_000;
/** Characters of the databases of an origin, their number, and the records of each. The largest are not kept beyond that. */
const MAX_DATABASES_LENGTH = 400_000;
const MAX_DATABASES = 20;
const MAX_RECORDS = 2_000;
/** Milliseconds for which a page may keep the databases of its origin from being read. */
const READ_MS = 8_000;
/** Nested values of a record. A value that contains itself reaches it. */
const MAX_DEPTH = 100;
/** Characters of the name of a database. A database with a longer one is not kept. */
const MAX_NAME = 200;

export interface OriginData {
  readonly items: StoredItems;
  readonly databases: StoredItems;
  readonly leftOut: readonly Omit<LeftOut, "origin">[];
}

/** The kinds of objects that JSON does not have, each as an object with one member. Others cannot be kept. */
const CODEC = `
  const VIEWS = [DataView, Int8Array, Uint8Array, Uint8ClampedArray, Int16Array, Uint16Array, Int32Array, Uint32Array,
    Float32Array, Float64Array, BigInt64Array, BigUint64Array];
  const spend = (budget, length) => { if ((budget.left -= length) < 0) throw "size"; };
  const base64 = (bytes, budget) => {
    spend(budget, bytes.length);
    let text = "";
    for (const byte of bytes) text += String.fromCharCode(byte);
    return btoa(text);
  };
  const encode = (value, budget, depth = 0) => {
    spend(budget, 1);
    if (depth > ${MAX_DEPTH}) throw "value";
    const inner = (one) => encode(one, budget, depth + 1);
    const all = (values) => Array.from(values, inner);
    if (typeof value === "string") spend(budget, value.length);
    if (value === null || typeof value === "string" || typeof value === "boolean") return value;
    if (value === undefined) return { undefined: 0 };
    if (typeof value === "bigint") return { bigint: String(value) };
    if (typeof value === "number") {
      if (Object.is(value, -0)) return { number: "-0" };
      return Number.isFinite(value) ? value : { number: String(value) };
    }
    if (Array.isArray(value)) {
      if (Object.keys(value).length !== value.length) throw "value";
      return all(value);
    }
    if (value instanceof Date) return { date: inner(value.getTime()) };
    if (value instanceof RegExp) return { regexp: [value.source, value.flags] };
    if (value instanceof Map) return { map: all(value) };
    if (value instanceof Set) return { set: all(value) };
    if (value instanceof ArrayBuffer) return { buffer: base64(new Uint8Array(value), budget) };
    if (ArrayBuffer.isView(value)) {
      if (!VIEWS.includes(value.constructor)) throw "value";
      const bytes = new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
      return { view: [value.constructor.name, base64(bytes, budget)] };
    }
    if (Object.getPrototypeOf(value) !== Object.prototype) throw "value";
    return { object: all(Object.entries(value)) };
  };
  const bytesOf = (text) => Uint8Array.from(atob(text), (one) => one.charCodeAt(0)).buffer;
  const DECODERS = {
    undefined: () => undefined,
    bigint: BigInt,
    number: Number,
    date: (ms) => new Date(decode(ms)),
    regexp: ([source, flags]) => new RegExp(source, flags),
    map: (entries) => new Map(entries.map(decode)),
    set: (values) => new Set(values.map(decode)),
    buffer: bytesOf,
    view: ([name, text]) => new (VIEWS.find((one) => one.name === name))(bytesOf(text)),
    object: (entries) => Object.fromEntries(entries.map(decode)),
  };
  const decode = (value) => {
    if (Array.isArray(value)) return value.map(decode);
    if (typeof value !== "object" || value === null) return value;
    const [kind] = Object.keys(value);
    return DECODERS[kind](value[kind]);
  };
  const settled = (request) => new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = request.onblocked = () => reject("busy");
  });`;

/**
 * Reads the localStorage and the databases of an origin. It runs in its empty document, in a context that the pages do not share. A
 * database is kept as a whole or not at all.
 */
export const READ = `(async () => {
  ${CODEC}
  const recordsOf = async (store, budget) => {
    const records = [];
    const request = store.openCursor();
    for (let cursor = await settled(request); cursor !== null; cursor = await settled(request)) {
      if (records.length >= ${MAX_RECORDS}) throw "size";
      const key = store.keyPath === null ? [encode(cursor.key, budget)] : [];
      records.push([encode(cursor.value, budget), ...key]);
      cursor.continue();
    }
    return records;
  };
  const textOf = async (name) => {
    if (name.length > ${MAX_NAME}) throw "size";
    const opening = indexedDB.open(name);
    // The page has deleted it meanwhile.
    opening.onupgradeneeded = () => opening.transaction.abort();
    const database = await settled(opening);
    try {
      const budget = { left: ${MAX_DATABASES_LENGTH} };
      const names = [...database.objectStoreNames];
      const stores = [];
      const transaction = names.length === 0 ? undefined : database.transaction(names);
      for (const store of names.map((one) => transaction.objectStore(one))) {
        const indexes = [...store.indexNames].map((one) => {
          const { name, keyPath, unique, multiEntry } = store.index(one);
          return { name, keyPath, unique, multiEntry };
        });
        const { name, keyPath, autoIncrement } = store;
        stores.push({ name, keyPath, autoIncrement, indexes, records: await recordsOf(store, budget) });
      }
      return JSON.stringify({ version: database.version, stores });
    } finally {
      database.close();
    }
  };
  const leftOut = [];
  const items = Object.keys(localStorage).map((key) => [key, localStorage.getItem(key)]);
  const fits = JSON.stringify(items).length <= ${MAX_ITEMS_LENGTH};
  if (!fits) leftOut.push({ reason: "size" });
  const names = (await indexedDB.databases()).map(({ name }) => name);
  const late = new Promise((_, reject) => setTimeout(() => reject("busy"), ${READ_MS}));
  late.catch(() => undefined);
  const found = await Promise.all(names.map(async (database, at) => {
    if (at >= ${MAX_DATABASES}) return { database, reason: "size" };
    return await Promise.race([textOf(database), late]).then(
      (text) => ({ database, text }),
      (reason) => ({ database, reason: typeof reason === "string" ? reason : "busy" }),
    );
  }));
  found.sort((a, b) => (a.text ?? "").length - (b.text ?? "").length);
  const databases = [];
  let left = ${MAX_DATABASES_LENGTH};
  for (const { database, text, reason } of found) {
    left -= text === undefined ? 0 : text.length;
    if (reason === undefined && left >= 0) databases.push([database, text]);
    else leftOut.push({ database: database.slice(0, ${MAX_NAME}), reason: reason ?? "size" });
  }
  return { items: fits ? items : [], databases, leftOut };
})()`;

/** The script that gives an origin its localStorage and its databases. It results in the names of databases that it could not make. */
export function writeScript(items: StoredItems, databases: StoredItems): string {
  return `(async () => {
  ${CODEC}
  for (const [key, value] of ${JSON.stringify(items)}) localStorage.setItem(key, value);
  const make = async (name, { version, stores }) => {
    const opening = indexedDB.open(name, version);
    opening.onupgradeneeded = () => {
      for (const { name, keyPath, autoIncrement, indexes, records } of stores) {
        const store = opening.result.createObjectStore(name, { keyPath, autoIncrement });
        for (const { name, keyPath, unique, multiEntry } of indexes) store.createIndex(name, keyPath, { unique, multiEntry });
        for (const [value, ...key] of records) store.put(decode(value), ...key.map(decode));
      }
    };
    (await settled(opening)).close();
  };
  const made = await Promise.allSettled(${JSON.stringify(databases)}.map(([name, text]) => make(name, JSON.parse(text))));
  return ${JSON.stringify(databases.map(([name]) => name))}.filter((_, at) => made[at].status === "rejected");
})()`;
}
