import { closeSync, type Stats } from "node:fs";
import { Alarm, type TimerWheel } from "../../lib/time/timer-wheel.ts";
import { mediaType } from "./media-types.ts";
import { type Found, lacksDescriptors, openInside, resolveRoot } from "./open-inside.ts";
import { type FileUsage, OpenFile, WHOLE_BYTES } from "./open-file.ts";
import { describeFile, ENCODINGS, type StaticFile } from "./representation.ts";

/** Files in the table, open or in memory. */
const MAX_ENTRIES = 4096;
/** Milliseconds for which the data about a file stay valid. */
const VALID_MS = 1000;
/** Milliseconds after which an unrequested file is closed. A deleted file keeps its disk space until then. @bound */
const SWEEP_MS = 3000;
/** Bytes of files in memory, for a worker and for one file: while requested, and with `cache_static_files`. */
const MAX_SMALL_BYTES = 16 * 1024 * 1024;
const MAX_CACHED_BYTES = 64 * 1024 * 1024;
const MAX_CACHED_FILE_BYTES = 1024 * 1024;

/** Why there is no file for a path. `busy`: every descriptor is in use. */
export type Lack = "directory" | "absent" | "busy";

interface FileEntry {
  readonly served: StaticFile;
  readonly files: readonly OpenFile[];
  checkedAt: number;
  /** Requested since the last eviction round. */
  used: boolean;
}

/** The folder that a `FileTable` serves, and its limits. */
export interface FileTableSettings {
  /** The folder whose files are served. */
  readonly root: string;
  /** Keeps files in memory, by `cache_static_files`. */
  readonly caches: boolean;
  /** Files that can be open at once. */
  readonly maxOpen: number;
}

/**
 * The recently served files, by request path. A file is opened, measured and read once, and checked again after a
 * second. So a small file costs one write, and a deployment is visible within one second.
 */
export class FileTable {
  readonly #folder: string;
  readonly #caches: boolean;
  /** Descriptors of served files: those in the table, and those of downloads in progress. */
  readonly #maxOpen: number;
  readonly #wheel: TimerWheel;
  readonly #entries = new Map<string, FileEntry>();
  readonly #sweep = new Alarm(() => this.#dropUnused());
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

  get(path: string): StaticFile | Lack {
    const entry = this.#entries.get(path);
    if (entry !== undefined && this.#wheel.now() - entry.checkedAt < VALID_MS) {
      entry.used = true;
      return entry.served;
    }
    return this.#load(path, entry);
  }

  /** A small file is about to be sent completely: its bytes are kept as long as its other data. */
  keepSmall(file: OpenFile): void {
    if (!file.hasContent) this.#keepContent(file, WHOLE_BYTES, MAX_SMALL_BYTES);
  }

  /** Checks the file again at its next request, because its content did not match its data. */
  forget(path: string): void {
    this.#drop(path);
  }

  /** Closes all files. A file that is being sent is closed after its last client. */
  close(): void {
    this.#wheel.remove(this.#sweep);
    for (const path of this.#entries.keys()) this.#drop(path);
  }

  #load(path: string, before: FileEntry | undefined): StaticFile | Lack {
    const name = fileName(path);
    const root = this.#currentRoot();
    if (name === undefined || root === undefined) {
      this.#drop(path);
      return "absent";
    }
    // A known file needs no further descriptor, so it is served even while all descriptors are in use.
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
    // The new entry retains its files before the old one releases the same files.
    this.#drop(path);
    this.#entries.set(path, { served, files, checkedAt: this.#wheel.now(), used: true });
    if (this.#entries.size === 1) this.#wheel.set(this.#sweep, SWEEP_MS);
    return served;
  }

  #lackOf(kind: Exclude<Found["kind"], "file">, path: string): Lack {
    if (kind === "no-descriptors") {
      // Other parts of this process need descriptors too.
      this.#dropUnused();
      return "busy";
    }
    // A folder with the name index.html cannot be redirected to.
    return kind === "directory" && !path.endsWith("/") ? "directory" : "absent";
  }

  #keepContent(file: OpenFile, maxFileBytes: number, maxBytes: number): void {
    if (file.hasContent || file.size > maxFileBytes) return;
    // The file is in use, so its own entry must not be evicted for it.
    file.retain();
    let fits = true;
    while (fits && this.#usage.contentBytes + file.size > maxBytes) fits = this.#evictOne();
    if (fits) file.keepContent();
    file.release();
  }

  /** The open file of `before`, if it is unchanged; else a new one. */
  #reuse(found: Found & { kind: "file" }, before: FileEntry | undefined): OpenFile {
    const same = before?.files.find((file) => file.isSame(found.stats));
    if (same === undefined) return new OpenFile(found.fd, found.stats, this.#usage);
    same.adopt(found.fd);
    same.retain();
    return same;
  }

  /** The real path of the root: a deployment can point a link to another folder. */
  #currentRoot(): string | undefined {
    const now = this.#wheel.now();
    if (now - this.#rootCheckedAt >= VALID_MS) {
      this.#rootCheckedAt = now;
      try {
        this.#root = resolveRoot(this.#folder);
      } catch (error) {
        // Without a descriptor the check is impossible, so the root is assumed to be unchanged. The file itself is then
        // `busy`.
        if (!(error instanceof Error && lacksDescriptors(error.cause))) this.#root = undefined;
      }
    }
    return this.#root;
  }

  /** Frees the descriptors that one more entry can need. False: all are in use. */
  #makeRoom(): boolean {
    const needed = 1 + ENCODINGS.length;
    while (this.#usage.descriptors + needed > this.#maxOpen || this.#entries.size >= MAX_ENTRIES) {
      if (!this.#evictOne()) return false;
    }
    return true;
  }

  /** Removes the first idle entry that was not requested since the last round. */
  #evictOne(): boolean {
    // Two rounds: in the first, all entries can be in use.
    let left = 2 * this.#entries.size;
    for (const [path, entry] of this.#entries) {
      if (left-- <= 0) return false;
      if (!entry.used && entry.files.every((f) => f.isIdle)) {
        this.#drop(path);
        return true;
      }
      entry.used = false;
      // Moved to the end of the map, where this loop reaches it again.
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

/** A compressed file that is older than the plain one is outdated. By seconds: copies can lose fractions. */
function isOlder(sibling: Stats, file: Stats): boolean {
  return Math.floor(sibling.mtimeMs / 1000) < Math.floor(file.mtimeMs / 1000);
}

/** The file name below the root for a request path, with escapes decoded once; undefined if the path cannot be a file name. */
function fileName(path: string): string | undefined {
  // No dotfiles, and not the `*` of `OPTIONS *`. In a normalised path, dots are not escaped.
  if (!path.startsWith("/") || path.includes("/.")) return undefined;
  try {
    const name = decodeURIComponent(path);
    return name.endsWith("/") ? `${name}index.html` : name;
  } catch {
    // The path is not UTF-8.
    return undefined;
  }
}
