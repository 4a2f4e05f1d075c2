/**
 * Reads valid values as zod does, without zod. A reader gives the value that zod's schema gives, or UNREAD. Only a reader that is exact
 * is sure that zod refuses an UNREAD value.
 */
/** The result for a value that zod must read. */
export const UNREAD = Symbol("unread");
/** The result for an absent key that stays absent. */
const ABSENT = Symbol("absent");

/** Reads the values of one schema. */
export interface Reader {
  /** The value or UNREAD. */
  readonly read: (value: unknown) => unknown;
  /** Like `read`, for an object: it inherits the values of absent keys from an object that all results share. */
  readonly readInheriting?: (value: unknown) => unknown;
  /** The value of an absent key, ABSENT if the key stays absent, or UNREAD. */
  readonly absent: () => unknown;
  /** True if zod refuses each UNREAD value. */
  readonly isExact: boolean;
  readonly literals?: readonly unknown[];
  readonly members?: ReadonlyMap<string, Readable>;
}

/** A schema that has a reader. */
export abstract class Readable {
  abstract get reader(): Reader;
}

const unread = (): typeof UNREAD => UNREAD;
/** Leaves each value to zod. */
const ZODS_OWN: Reader = { read: unread, absent: unread, isExact: false };

type Args = readonly unknown[];

/** The readers of zod's functions, by their arguments. */
const BASES: Readonly<Record<string, (args: Args) => Reader>> = {
  string: () => accepting((value) => typeof value === "string"),
  boolean: () => accepting((value) => typeof value === "boolean"),
  number: () => accepting(Number.isFinite),
  int: () => accepting(Number.isSafeInteger),
  literal([given]) {
    const literals: readonly unknown[] = Array.isArray(given) ? given : [given];
    return { ...accepting((value) => literals.includes(value)), literals };
  },
  enum([values]) {
    if (!Array.isArray(values)) return ZODS_OWN;
    const known = new Set<unknown>(values);
    return accepting((value) => known.has(value));
  },
  array: ([item]) => (item instanceof Readable ? listReader(item) : ZODS_OWN),
  strictObject: ([shape]) => objectReader(membersOf(shape)),
  json: () => JSON_VALUE.reader,
  record: ([key, member]) =>
    key instanceof Readable && member instanceof Readable ? mapReader(key, member) : ZODS_OWN,
  union: ([options]) => unionReader(schemasIn(options)),
  discriminatedUnion: ([key, options]) => alternativesReader(String(key), schemasIn(options)),
};

/** The reader of a call: of zod's function `method`, or of the method on a schema with the reader `on`. */
export function lightReader(method: string, args: Args, on: Reader | undefined): Reader {
  if (on === undefined) return Object.hasOwn(BASES, method) ? (BASES[method]?.(args) ?? ZODS_OWN) : ZODS_OWN;
  if (method === "describe" || method === "meta") return on;
  if (method === "exactOptional") return { ...on, absent: () => ABSENT };
  if (method === "default") return { ...on, absent: () => copyOfDefault(args[0]) };
  if (method === "prefault") return { ...on, absent: () => on.read(args[0]) };
  if (method === "or") return unionOf(on, args[0]);
  return checked(on, method, args);
}

function accepting(accepts: (value: unknown) => boolean): Reader {
  return { read: (value) => (accepts(value) ? value : UNREAD), absent: unread, isExact: true };
}

/** Zod gives a shallow copy of a default. */
function copyOfDefault(value: unknown): unknown {
  if (Array.isArray(value)) return [...(value as unknown[])];
  if (typeof value === "function") return UNREAD;
  return typeof value === "object" && value !== null ? { ...value } : value;
}

/** The reader of a schema with one check more. A check may also change the value. */
function checked(on: Reader, method: string, [arg]: Args): Reader {
  const check = checkOf(method, arg);
  const apply = (value: unknown): unknown => (value === UNREAD ? UNREAD : check(value));
  const absent = (): unknown => {
    const value = on.absent();
    return value === ABSENT ? UNREAD : apply(value);
  };
  return { ...on, read: (value) => apply(on.read(value)), absent };
}

type Check = (value: unknown) => unknown;

function checkOf(method: string, arg: unknown): Check {
  if (method === "min" && typeof arg === "number") return (value) => (sizeOf(value) >= arg ? value : UNREAD);
  if (method === "max" && typeof arg === "number") return (value) => (sizeOf(value) <= arg ? value : UNREAD);
  if (method === "toLowerCase") return (value) => String(value).toLowerCase();
  if (method === "regex" && arg instanceof RegExp && !arg.global && !arg.sticky) {
    return (value) => (arg.test(String(value)) ? value : UNREAD);
  }
  if (typeof arg === "function") {
    const call = (value: unknown, context?: object): unknown => Reflect.apply(arg, undefined, [value, context]);
    if (method === "overwrite") return call;
    if (method === "refine") return (value) => (call(value) ? value : UNREAD);
    if (method === "superRefine") {
      return (value) => {
        let isValid = true;
        call(value, { addIssue: () => (isValid = false) });
        return isValid ? value : UNREAD;
      };
    }
  }
  return unread;
}

/** The number, or the length of a string or list. */
function sizeOf(value: unknown): number {
  if (typeof value === "number") return value;
  return typeof value === "string" || Array.isArray(value) ? value.length : Number.NaN;
}

function listReader(item: Readable): Reader {
  const read = (value: unknown): unknown => {
    if (!Array.isArray(value)) return UNREAD;
    const list: unknown[] = [];
    for (const own of value as unknown[]) {
      const data = own === undefined ? UNREAD : item.reader.read(own);
      if (data === UNREAD) return UNREAD;
      list.push(data);
    }
    return list;
  };
  return { read, absent: unread, isExact: false };
}

function membersOf(shape: unknown): ReadonlyMap<string, Readable> {
  const members = new Map<string, Readable>();
  for (const [key, member] of Object.entries(Object(shape))) {
    if (member instanceof Readable) members.set(key, member);
  }
  return members;
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}

function objectReader(members: ReadonlyMap<string, Readable>): Reader {
  const read = (value: unknown): unknown => {
    if (!isPlain(value)) return UNREAD;
    for (const key of Object.keys(value)) if (!members.has(key)) return UNREAD;
    const object: Record<string, unknown> = {};
    for (const [key, { reader }] of members) {
      const own = Object.hasOwn(value, key) ? value[key] : ABSENT;
      // Zod treats a member that is undefined in several ways.
      if (own === undefined) return UNREAD;
      const data = own === ABSENT ? reader.absent() : reader.read(own);
      if (data === UNREAD) return UNREAD;
      if (data !== ABSENT) object[key] = data;
    }
    return object;
  };
  return { read, readInheriting: inheriting(members), absent: unread, isExact: false, members };
}

function inheriting(members: ReadonlyMap<string, Readable>): (value: unknown) => unknown {
  let shared: { readonly values: object; readonly required: readonly string[] } | undefined;
  return (value) => {
    if (!isPlain(value)) return UNREAD;
    const { values, required } = (shared ??= absentIn(members));
    const object = Object.create(values) as Record<string, unknown>;
    for (const [key, own] of Object.entries(value)) {
      const data = own === undefined ? UNREAD : (members.get(key)?.reader.read(own) ?? UNREAD);
      if (data === UNREAD) return UNREAD;
      object[key] = data;
    }
    return required.every((key) => Object.hasOwn(value, key)) ? object : UNREAD;
  };
}

/** The values of absent keys, and the keys that must not be absent. */
function absentIn(members: ReadonlyMap<string, Readable>): {
  readonly values: object;
  readonly required: readonly string[];
} {
  const absent = [...members].map(([key, { reader }]) => [key, reader.absent()] as const);
  return {
    values: Object.fromEntries(absent.filter(([, value]) => value !== ABSENT && value !== UNREAD)),
    required: absent.filter(([, value]) => value === UNREAD).map(([key]) => key),
  };
}

function mapReader(key: Readable, member: Readable): Reader {
  const read = (value: unknown): unknown => {
    if (!isPlain(value)) return UNREAD;
    const object: Record<string, unknown> = {};
    for (const [name, own] of Object.entries(value)) {
      // Zod leaves `__proto__` out.
      if (name === "__proto__" || key.reader.read(name) !== name) return UNREAD;
      const data = own === undefined ? UNREAD : member.reader.read(own);
      if (data === UNREAD) return UNREAD;
      object[name] = data;
    }
    return object;
  };
  return { read, absent: unread, isExact: false };
}

function copyOfJson(value: unknown): unknown {
  if (value === null || typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "number") return Number.isFinite(value) ? value : UNREAD;
  if (Array.isArray(value)) return LIST_OF_JSON.read(value);
  return MAP_OF_JSON.read(value);
}

/** A schema that consists of a reader. */
class OfReader extends Readable {
  override readonly reader: Reader;

  constructor(reader: Reader) {
    super();
    this.reader = reader;
  }
}

const JSON_VALUE = new OfReader({ read: copyOfJson, absent: unread, isExact: false });
const LIST_OF_JSON = listReader(JSON_VALUE);
const MAP_OF_JSON = mapReader(new OfReader(accepting((value) => typeof value === "string")), JSON_VALUE);

function schemasIn(options: unknown): readonly Readable[] {
  return Array.isArray(options) ? options.filter((option) => option instanceof Readable) : [];
}

function unionReader(options: readonly Readable[]): Reader {
  const [first, ...others] = options;
  if (first === undefined) return ZODS_OWN;
  return others.reduce((reader, option) => unionOf(reader, option), first.reader);
}

/** Zod takes the first schema that accepts a value. */
function unionOf(on: Reader, option: unknown): Reader {
  if (!(option instanceof Readable)) return ZODS_OWN;
  const other = option.reader;
  const read = (value: unknown): unknown => {
    const data = on.read(value);
    return data === UNREAD && on.isExact ? other.read(value) : data;
  };
  return { read, absent: unread, isExact: on.isExact && other.isExact };
}

/** Reads an object of the alternative that its member `key` names. */
function alternativesReader(key: string, options: readonly Readable[]): Reader {
  const byName = new Map<unknown, Reader>();
  for (const { reader } of options) {
    for (const literal of reader.members?.get(key)?.reader.literals ?? []) byName.set(literal, reader);
  }
  const read = (value: unknown): unknown => {
    const reader = isPlain(value) && Object.hasOwn(value, key) ? byName.get(value[key]) : undefined;
    return reader === undefined ? UNREAD : reader.read(value);
  };
  return { read, absent: unread, isExact: false };
}
