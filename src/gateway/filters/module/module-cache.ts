import { NewestMap } from "../../../lib/memory/newest-map.ts";
import { codeOf, messageOf } from "../../../lib/caught.ts";
import { type Abi } from "./abi.ts";
import { engineText } from "./failure.ts";
import { readModuleFile } from "./module-file.ts";
import { type ModuleFacts, type PreparedModule } from "./prepare.ts";
import { type PrepareJob, type PrepareReply } from "./prepare-worker.ts";
import { ModuleRefused } from "./reading/refused.ts";
import { inThread } from "../../../lib/process/in-thread.ts";

/** Compiled modules that are kept for the next reload: those that were used last. */
const MAX_CACHED_MODULES = 32;

export interface FilterModule {
  /** SHA-256 of the file, in hexadecimal. */
  readonly hash: string;
  readonly abi: Abi;
  readonly facts: ModuleFacts;
  readonly compiled: WebAssembly.Module;
}

/** Compiles a prepared module off the event loop. */
export async function compileModule(hash: string, { abi, facts, bytes }: PreparedModule): Promise<FilterModule> {
  return { hash, abi, facts, compiled: await WebAssembly.compile(bytes) };
}

/** The modules of a worker by the hash of their file. A reload compiles only changed modules. */
export class ModuleCache {
  readonly #modules = new NewestMap<string, Promise<FilterModule>>(MAX_CACHED_MODULES);
  /** Modules are prepared one after the other, because each takes a thread and several times its size in memory. */
  #last: Promise<unknown> = Promise.resolve();
  readonly #prepare: (job: PrepareJob) => PreparedModule | Promise<PreparedModule>;

  constructor(prepareModule: (job: PrepareJob) => PreparedModule | Promise<PreparedModule> = prepareInThread) {
    this.#prepare = prepareModule;
  }

  /** Reads, checks and compiles a module. Throws an Error with the reason if it cannot be loaded. */
  async load(path: string, memoryBytes: number): Promise<FilterModule> {
    try {
      const file = await readModuleFile(path);
      return await this.#take(file, await hashOf(file), memoryBytes);
    } catch (error) {
      throw cannotLoad(path, error);
    }
  }

  #take(file: Uint8Array<ArrayBuffer>, hash: string, memoryBytes: number): Promise<FilterModule> {
    const key = `${hash}:${memoryBytes}`;
    const known = this.#modules.get(key);
    const module = known ?? this.#compile(file, memoryBytes, hash);
    this.#modules.set(key, module);
    if (known === undefined) module.catch(() => this.#modules.delete(key));
    return module;
  }

  #compile(file: Uint8Array<ArrayBuffer>, memoryBytes: number, hash: string): Promise<FilterModule> {
    const module = this.#last.then(async () => compileModule(hash, await this.#prepare({ file, memoryBytes })));
    this.#last = module.catch(() => undefined);
    return module;
  }
}

/** Computed off the event loop too: 2.8 MB take 3 ms. */
export async function hashOf(file: Uint8Array<ArrayBuffer>): Promise<string> {
  return Buffer.from(await crypto.subtle.digest("SHA-256", file)).toString("hex");
}

/** The error for a module that cannot be loaded, with its path. */
export function cannotLoad(path: string, error: unknown): Error {
  return new Error(`Cannot load the filter "${path}": ${reasonOf(error)}`, { cause: error });
}

function reasonOf(error: unknown): string {
  if (error instanceof WebAssembly.CompileError) return `it is not valid: ${engineText(error)}`;
  if (error instanceof ModuleRefused) return error.message;
  const code = codeOf(error);
  if (code === "ENOENT") return "there is no such file";
  if (code === "EACCES") return "the file may not be read";
  return messageOf(error);
}

/** Milliseconds in which a module is read. One that takes longer is refused. */
const MAX_PREPARING_MS = 60_000;

/**
 * Prepares a module in a separate thread. 2.8 MB take 15 ms, and 60 ms the first time, in which a worker could not
 * serve requests. The file is transferred to the thread. Throws ModuleRefused.
 */
async function prepareInThread(job: PrepareJob): Promise<PreparedModule> {
  const limits = { what: "reads modules", maxMs: MAX_PREPARING_MS, transfer: [job.file.buffer] };
  const reply = await inThread<PrepareReply>(new URL("./prepare-worker.ts", import.meta.url), job, limits);
  if (reply.ok) return reply.prepared;
  throw reply.isRefused ? ModuleRefused.told(reply.reason, reply.offset) : new Error(reply.reason);
}
