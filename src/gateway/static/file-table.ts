import { closeSync, type Stats } from "node:fs";
import { Deadline, type TimerWheel } from "../../lib/timer-wheel.ts";
import { ENCODINGS } from "./encodings.ts";
import { mediaType } from "./media-types.ts";
import { type Found, lacksDescriptors, openInside, resolveRoot } from "./open-inside.ts";
import { type FileUsage, OpenFile, WHOLE_BYTES } from "./open-file.ts";
import { describeFile, type StaticFile } from "./representation.ts";

/** Files that the table remembers, open or in memory. */
const MAX_ENTRIES = 4096;
/** Milliseconds for which a file is taken to be as it was when it was last looked at. */
const VALID_MS = 1000;
/** Milliseconds after which an unrequested file is closed. A deleted file keeps its disk space until then. @bound */
const SWEEP_MS = 3000;
/** Bytes of files in memory, a worker, and of the largest one there: while they are asked for, and with `cache_static_files`. */
const MAX_SMALL_BYTES = 16 * 1024 * 1024;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
const MAX_CACHED_FILE_BYTES = 1024 * 1024;

/** Why a path has no file to serve. `busy`: every descriptor is in use. */
export type Lack = "directory" | "absent" | "busy";

interface Entry {
  readonly served: StaticFile;
  readonly files: readonly OpenFile[];
  checkedAt: number;
  /** Asked for since it was last passed over. */
  used: boolean;
}

class Sweep extends Deadline {
  readonly #run: () => void;
  constructor(run: () => void) {
    super();
    this.#run = run;
  }
  override onDeadline(): void {
    this.#run();
  }
}

export interface FileTableSettings {
  /** The folder whose files are served. */
  readonly root: string;
  /** Keeps files in memory as `cache_static_files` says. */
  readonly caches: boolean;
  /** Files that may be open at once. */
  readonly maxOpen: number;
}

/**
 * The files that were served lately, by request path: open, measured, described and read once, and looked at again after
 * a second. So a small file costs one write, and a deployment is seen within that second.
 */
export class FileTable {
  readonly #folder: string;
  readonly #caches: boolean;
  /** Descriptors of served files: those in the table, and those that clients still download. */
  readonly #maxOpen: number;
  readonly #wheel: TimerWheel;
  readonly #entries = new Map<string, Entry>();
  readonly #sweep = new Sweep(() => this.#dropUnused());
  #root: string | undefined;
  #rootCheckedAt: number;
  readonly #usage: FileUsage = { descriptors: 0, contentBytes: 0 };

  /** Throws where `folder` cannot be served. */
  constructor({ root: folder, caches, maxOpen }: FileTableSettings, wheel: TimerWheel) {
    this.#folder = folder;
    this.#caches = caches;
    this.#maxOpen = maxOpen;
    this.#wheel = wheel;
    this.#root = resolveRoot(folder);
    this.#rootCheckedAt = wheel.now();
  }

  get usage(): Readonly<FileUsage> {
    return this.#usage;
  }

  /** What is served at a normalised request path. */
  get(path: string): StaticFile | Lack {
    const entry = this.#entries.get(path);
    if (entry !== undefined && this.#wheel.now() - entry.checkedAt < VALID_MS) {
      entry.used = true;
      return entry.served;
    }
    return this.#load(path, entry);
  }

  /** A small file is about to be sent whole: its bytes are kept as long as what else is known of it. */
  keepSmall(file: OpenFile): void {
    if (!file.hasContent) this.#keepContent(file, WHOLE_BYTES, MAX_SMALL_BYTES);
  }

  /** Has the file looked at anew next time: its bytes turned out not to be what it promised. */
  forget(path: string): void {
    this.#drop(path);
  }

  /** Lets go of everything; what is being sent is closed when its last client has it. */
  close(): void {
    this.#wheel.remove(this.#sweep);
    for (const path of this.#entries.keys()) this.#drop(path);
  }

  #load(path: string, before: Entry | undefined): StaticFile | Lack {
    const name = fileName(path);
    const root = this.#currentRoot();
    if (name === undefined || root === undefined) {
      this.#drop(path);
      return "absent";
    }
    // A file that is known takes no more than it has already: it stays served while all others are busy.
    if (before === undefined && !this.#makeRoom()) return "busy";
    const found = openInside(root, root + name);
    if (found.kind !== "file") {
      this.#drop(path);
      return this.#lackOf(found.kind, path);
    }
    const plain = this.#reuse(found, before);
    const siblings = ENCODINGS.flatMap(({ suffix, coding }) => {
      const sibling = openInside(root, root + name + suffix);
      if (sibling.kind !== "file") return [];
      if (isOlder(sibling.stats, found.stats)) {
        closeSync(sibling.fd);
        return [];
      }
      return [{ coding, file: this.#reuse(sibling, before) }];
    });
    const served = describeFile(mediaType(name), plain, siblings);
    const files = [plain, ...siblings.map(({ file }) => file)];
    if (this.#caches) for (const file of files) this.#keepContent(file, MAX_CACHED_FILE_BYTES, MAX_CACHED_BYTES);
    // The new entry holds its files before the old one lets go of the same ones.
    this.#drop(path);
    this.#entries.set(path, { served, files, checkedAt: this.#wheel.now(), used: true });
    if (this.#entries.size === 1) this.#wheel.set(this.#sweep, SWEEP_MS);
    return served;
  }

  #lackOf(kind: Exclude<Found["kind"], "file">, path: string): Lack {
    if (kind === "no-descriptors") {
      // Others in this process need some too.
      this.#dropUnused();
      return "busy";
    }
    // A folder by the name of index.html is none that could be sent elsewhere.
    return kind === "directory" && !path.endsWith("/") ? "directory" : "absent";
  }

  #keepContent(file: OpenFile, maxFileBytes: number, maxBytes: number): void {
    if (file.hasContent || file.size > maxFileBytes) return;
    // In use: this file's own entry must not make room for it.
    file.retain();
    let fits = true;
    while (fits && this.#usage.contentBytes + file.size > maxBytes) fits = this.#evictOne();
    if (fits) file.keepContent();
    file.release();
  }

  /** The open file of `before` where it is still the same one; else a new one. */
  #reuse(found: Found & { kind: "file" }, before: Entry | undefined): OpenFile {
    const same = before?.files.find((file) => file.isSame(found.stats));
    if (same === undefined) return new OpenFile(found.fd, found.stats, this.#usage);
    same.adopt(found.fd);
    same.retain();
    return same;
  }

  /** The root's real path: a deployment may turn a link to another folder. */
  #currentRoot(): string | undefined {
    const now = this.#wheel.now();
    if (now - this.#rootCheckedAt >= VALID_MS) {
      this.#rootCheckedAt = now;
      try {
        this.#root = resolveRoot(this.#folder);
      } catch (error) {
        // Where there is only no descriptor to look by, it is as it was; the file itself is busy then.
        if (!(error instanceof Error && lacksDescriptors(error.cause))) this.#root = undefined;
      }
    }
    return this.#root;
  }

  /** Frees what one more entry can need. False: every descriptor is in use. */
  #makeRoom(): boolean {
    const needed = 1 + ENCODINGS.length;
    while (this.#usage.descriptors + needed > this.#maxOpen || this.#entries.size >= MAX_ENTRIES) {
      if (!this.#evictOne()) return false;
    }
    return true;
  }

  /** Drops the first idle entry that was not asked for since it was last passed over. */
  #evictOne(): boolean {
    // Two rounds: the first may only find that all were used.
    let left = 2 * this.#entries.size;
    for (const [path, entry] of this.#entries) {
      if (left-- <= 0) return false;
      if (!entry.used && entry.files.every((f) => f.isIdle)) {
        this.#drop(path);
        return true;
      }
      entry.used = false;
      // To the end of the map, where this loop comes by again.
      this.#entries.delete(path);
      this.#entries.set(path, entry);
    }
    return false;
  }

  #dropUnused(): void {
    for (const [path, entry] of this.#entries) {
      if (entry.used) entry.used = false;
      else if (this.#caches && entry.files.every((file) => file.hasContent))
        for (const file of entry.files) file.rest();
      else this.#drop(path);
    }
    if (this.#entries.size > 0) this.#wheel.set(this.#sweep, SWEEP_MS);
  }

  #drop(path: string): void {
    const entry = this.#entries.get(path);
    if (entry === undefined) return;
    this.#entries.delete(path);
    for (const file of entry.files) file.release();
  }
}

/** What was compressed before the file was changed says what it said then. To the second: copies may keep no more of a time. */
function isOlder(sibling: Stats, file: Stats): boolean {
  return Math.floor(sibling.mtimeMs / 1000) < Math.floor(file.mtimeMs / 1000);
}

/** The file's name below the root for a request path, whose escapes are undone once; undefined where it can have none. */
function fileName(path: string): string | undefined {
  // No dotfiles, and not the `*` of `OPTIONS *`. Dots arrive unescaped in a normalised path.
  if (!path.startsWith("/") || path.includes("/.")) return undefined;
  try {
    const name = decodeURIComponent(path);
    return name.endsWith("/") ? `${name}index.html` : name;
  } catch {
    // Not UTF-8.
    return undefined;
  }
}
