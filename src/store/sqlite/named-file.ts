import { statSync } from "node:fs";
import { cFunctions } from "../../lib/process/c-library.ts";
import { nativeMemory } from "../../lib/memory/native-memory.ts";

/** The path is relative to the folder of the process, as that of `open` is. */
const AT_FDCWD = -100;
const INODE_AND_SIZE = 0x300;
/** `struct statx` of Linux, which is the same on all processors. Its fields as words of 32 bits: */
const STATX_BYTES = 256;
const INODE = 8;
const SIZE = 10;

const facts = nativeMemory(STATX_BYTES);
const words = new Uint32Array(facts.buffer);
const libc = cFunctions({ statx: { args: ["i32", "ptr", "i32", "u32", "ptr"], returns: "i32" } });

/**
 * The file that has a name at the beginning. It is looked at before each write of a ledger: `statSync` makes an object, and takes 2.5
 * times as long as `statx` (bench ledger).
 */
export class NamedFile {
  readonly #path: string;
  readonly #text;
  readonly #usesLibc: boolean;
  readonly #inode: readonly [low: number, high: number];
  /** False: no file had the name. */
  readonly wasThere: boolean;

  /** `hasStatx`: the system allows the call, as far as is known. */
  constructor(path: string, hasStatx = true) {
    this.#path = path;
    const bytes = Buffer.from(`${path}\0`);
    this.#text = nativeMemory(bytes.length);
    new Uint8Array(this.#text.buffer).set(bytes);
    // Some containers forbid the call.
    this.#usesLibc = hasStatx && this.#statx();
    this.wasThere = this.#look();
    this.#inode = [words[INODE] ?? 0, words[INODE + 1] ?? 0];
  }

  /** True if the name is still that of the same file. */
  isSame(): boolean {
    const [low, high] = this.#inode;
    return this.#look() && words[INODE] === low && words[INODE + 1] === high;
  }

  /** As `isSame`, and the file is not empty. */
  isSameAndFull(): boolean {
    return this.isSame() && (words[SIZE] !== 0 || words[SIZE + 1] !== 0);
  }

  /** Puts the facts into `words`. False: no file has the name. */
  #look(): boolean {
    if (this.#usesLibc) return this.#statx();
    const stat = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return false;
    for (const [at, value] of [
      [INODE, stat.ino],
      [SIZE, stat.size],
    ] as const) {
      words[at] = Number(BigInt.asUintN(32, value));
      words[at + 1] = Number(value >> 32n);
    }
    return true;
  }

  #statx(): boolean {
    return libc()?.statx(AT_FDCWD, this.#text.address, 0, INODE_AND_SIZE, facts.address) === 0;
  }
}
