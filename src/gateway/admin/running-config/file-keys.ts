/**
 * Keys of a document that name files, programs, sockets or environment variables. Changes through the interface are
 * limited to some folders, and name no other variables: their values are secrets, and an upstream receives its token.
 */
import { lstatSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { type Diagnostic, formatPath, listAt, valueAt } from "../../config/diagnostic.ts";
import { describedSchema, type JsonSchema } from "../../config/json-schema.ts";
import { type Steps } from "../../../lib/slices.ts";
import { type FileRole } from "../../config/schema/kinds.ts";

/** The keys below one position of the schema that name files. */
interface Plan {
  readonly role: FileRole | "variable" | undefined;
  /** The value without the key. A document may write it down. */
  readonly byDefault: unknown;
  readonly members: ReadonlyMap<string, Plan>;
  readonly items: Plan | undefined;
}

interface NamedFile {
  readonly path: readonly (string | number)[];
  /** The key, without the positions in lists. */
  readonly key: string;
  readonly file: string;
  readonly role: Plan["role"];
}

/** A value whose files are still to be found. */
interface Visit extends Pick<NamedFile, "path" | "key"> {
  readonly value: unknown;
  readonly plan: Plan | undefined;
}

/** Problems of one change; further ones are not reported. */
const MAX_PROBLEMS = 100;
const MESSAGE =
  "names a file, program or socket: change it in the configuration file, or list its folder there in admin.file_folders";
const LOG_MESSAGE = "is not a regular file: a pipe or device as a log is named in the configuration file only";
const VARIABLE_MESSAGE = "names an environment variable: change it in the configuration file";
/** The end of the name of each key that names a variable. */
const VARIABLE = "_env";
const AUDIT_LOG = ".admin.audit_log";
const SOCKET_URL = "unix:";

/** The files of documents that were judged, which must not be changed. */
const filesOf = new WeakMap<object, NamedFile[]>();
let wholePlan: Plan | undefined;

/** The keys in the schema at which a document names files; undefined without such keys. */
function planOf(schema: JsonSchema): Plan | undefined {
  const members = new Map<string, Plan>();
  let items: Plan | undefined;
  let role = schema.file;
  for (const part of [schema, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]) {
    role ??= part.file;
    if (part.items !== undefined) items ??= planOf(part.items);
    for (const [key, member] of Object.entries(part.properties ?? {})) {
      const plan = key.endsWith(VARIABLE) ? variablePlan(member) : planOf(member);
      if (plan !== undefined) members.set(key, plan);
    }
  }
  if (role === undefined && members.size === 0 && items === undefined) return undefined;
  return { role, byDefault: schema.default, members, items };
}

function variablePlan(schema: JsonSchema): Plan {
  return { role: "variable", byDefault: schema.default, members: new Map(), items: undefined };
}

/** The problems of a change to `next`. `saved` is the document in the file, which may name all files. */
export function* fileSteps(next: unknown, served: unknown, saved: unknown): Steps<Diagnostic[]> {
  const before = yield* filesIn(served);
  const known = new Set([...before, ...(yield* filesIn(saved))].map(idOf));
  const folders = listAt(saved, ["admin", "file_folders"]).filter((folder) => typeof folder === "string");
  const others = (yield* filesIn(next)).filter((file) => !known.has(idOf(file))).slice(0, MAX_PROBLEMS);
  // Nor may a change end the log of changes.
  const removed = before.filter(({ path, key }) => key === AUDIT_LOG && (valueAt(next, path) ?? "") === "");
  return [
    ...others.map((file) => ({ ...file, message: refusalOf(file, folders) })),
    ...removed.map((file) => ({ ...file, message: MESSAGE })),
  ].flatMap(({ path, message }) => (message === undefined ? [] : [{ path: formatPath(path), message }]));
}

/** The reason why a change may not name a file; undefined if it may. */
function refusalOf({ file, role }: NamedFile, folders: readonly string[]): string | undefined {
  if (role === "variable") return VARIABLE_MESSAGE;
  if (!isBelow(file, folders)) return MESSAGE;
  const isOther = role === "log" && statSync(file, { throwIfNoEntry: false })?.isFile() === false;
  return isOther ? LOG_MESSAGE : undefined;
}

function* filesIn(document: unknown): Steps<NamedFile[]> {
  const done = typeof document === "object" && document !== null ? filesOf.get(document) : undefined;
  if (done !== undefined) return done;
  wholePlan ??= planOf(describedSchema());
  const found: NamedFile[] = [];
  const visits: Visit[] = [{ value: document, plan: wholePlan, path: [], key: "" }];
  for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
    const { value, plan, path, key } = visit;
    if (typeof value === "string") {
      const file = fileOf(value, plan);
      if (file !== undefined) found.push({ path, key, file, role: plan?.role });
    } else if (Array.isArray(value)) {
      if (plan?.items === undefined) continue;
      for (const [i, item] of value.entries()) {
        yield;
        visits.push({ value: item, plan: plan.items, path: [...path, i], key: `${key}[]` });
      }
    } else if (typeof value === "object" && value !== null) {
      yield;
      for (const [name, member] of plan?.members ?? []) {
        if (!Object.hasOwn(value, name)) continue;
        visits.push({ value: Reflect.get(value, name), plan: member, path: [...path, name], key: `${key}.${name}` });
      }
    }
  }
  found.reverse();
  if (typeof document === "object" && document !== null) filesOf.set(document, found);
  return found;
}

/** The file or variable that a value names; undefined if it names none. */
function fileOf(value: string, plan: Plan | undefined): string | undefined {
  const role = plan?.role;
  if (value === "" || role === undefined || value === plan?.byDefault) return undefined;
  if (role === "log" && (value === "stderr" || value === "stdout")) return undefined;
  if (role !== "socket-url") return value;
  return value.toLowerCase().startsWith(SOCKET_URL) ? value.slice(SOCKET_URL.length) : undefined;
}

function idOf({ key, file }: NamedFile): string {
  return `${key} ${file}`;
}

/** True if the file, behind all symbolic links, lies in one of the folders. */
function isBelow(file: string, folders: readonly string[]): boolean {
  const real = realPath(resolve(file));
  return real !== undefined && folders.some((folder) => real.startsWith(join(realPath(resolve(folder)) ?? "\0", sep)));
}

/**
 * The path without symbolic links; the part that does not exist stays as it is. Undefined with a link to nothing, and for a
 * path that cannot be looked up: one that is too long, or leads through a file or a folder without access.
 */
function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    if (parent === path) return path;
    if (!isAbsent(path)) return undefined;
    const real = realPath(parent);
    return real === undefined ? undefined : join(real, basename(path));
  }
}

function isAbsent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) === undefined;
  } catch {
    return false;
  }
}
