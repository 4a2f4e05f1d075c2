import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { messageOf } from "../../../../lib/caught.ts";
import { isSolanaAddress } from "../../../../payments/solana/address.ts";
import { canonicalAddress } from "../../../../payments/x402/address.ts";

/** Addresses in all lists together. More are an error at the start. @bound */
const MAX_ADDRESSES = 1_000_000;
/** Bytes of one list. The published lists have up to 130 MB. A longer one is an error. */
const MAX_LIST_BYTES = 1_073_741_824;
/** Milliseconds between two looks at the files. */
const LOOK_MS = 60_000;
/** An address of an EVM chain, or a word that may be one of Solana, that is not within a longer word. */
const ADDRESS = /(?<![0-9a-zA-Z])(?:0x[0-9a-fA-F]{40}|[1-9A-HJ-NP-Za-km-z]{32,44})(?![0-9a-zA-Z])/g;
const WORD_CHARACTER = /[0-9a-zA-Z]/;
/** Characters of a word that is too long for an address. */
const LONG_WORD = 64;

/** The payers on the operator's lists. The files are read again after they have changed. */
export class DeniedPayers {
  readonly #paths: readonly string[];
  readonly #tell: (message: string) => void;
  readonly #timer: NodeJS.Timeout;
  #addresses: ReadonlySet<string>;
  #version: string;
  #isLooking = false;

  /** `tell` receives the result of each new reading of the files. Rejects if a list cannot be read or has no address. */
  static async open(paths: readonly string[], tell: (message: string) => void): Promise<DeniedPayers> {
    const version = await versionOf(paths);
    return new DeniedPayers(paths, tell, [version, await readLists(paths, version)]);
  }

  private constructor(
    paths: readonly string[],
    tell: (message: string) => void,
    [version, addresses]: readonly [string, ReadonlySet<string>],
  ) {
    this.#paths = paths;
    this.#tell = tell;
    this.#version = version;
    this.#addresses = addresses;
    this.#timer = setInterval(() => void this.look(), LOOK_MS);
  }

  has(address: string): boolean {
    return this.#addresses.has(canonicalAddress(address));
  }

  /** Reads the files again if one has changed. */
  async look(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      const version = await versionOf(this.#paths);
      if (version === this.#version) return;
      this.#addresses = await readLists(this.#paths, version);
      this.#version = version;
      this.#tell(`the lists of denied payers were read again: ${this.#addresses.size} addresses`);
    } catch (error) {
      this.#tell(`the lists of denied payers cannot be read, and the last ones stay: ${messageOf(error)}`);
    } finally {
      this.#isLooking = false;
    }
  }

  close(): void {
    clearInterval(this.#timer);
  }
}

/** A text that changes when one of the files does. */
async function versionOf(paths: readonly string[]): Promise<string> {
  const stats = await Promise.all(paths.map((path) => stat(path)));
  return stats.map(({ ino, size, mtimeMs }) => `${ino} ${size} ${mtimeMs}`).join("\n");
}

/** Rejects if the files are not of `version` afterwards: the payers in the unread part of a list would not be refused. */
async function readLists(paths: readonly string[], version: string): Promise<ReadonlySet<string>> {
  const addresses = new Set<string>();
  for (const path of paths) await readList(path, addresses);
  if ((await versionOf(paths)) !== version) throw new Error("Cannot use a list: it has changed while it was read");
  return addresses;
}

/**
 * Adds the addresses of EVM chains and of Solana in a file. OFAC publishes its list as XML and CSV, and others publish extracts of it as text and
 * JSON. In all of them an address stands alone between other characters.
 */
async function readList(path: string, addresses: Set<string>): Promise<void> {
  const { size } = await stat(path);
  if (size > MAX_LIST_BYTES) throw new Error(`Cannot use the list "${path}": it has more than ${MAX_LIST_BYTES} bytes`);
  let rest = "";
  let isFound = false;
  const take = (text: string): void => {
    for (const [address] of text.matchAll(ADDRESS)) {
      // Words of other meanings, such as digests in hex, are rarely of 32 bytes.
      if (!address.startsWith("0x") && !isSolanaAddress(address)) continue;
      isFound = true;
      addresses.add(canonicalAddress(address));
      if (addresses.size > MAX_ADDRESSES) throw new Error(`Cannot use the list "${path}": it has too many addresses`);
    }
  };
  for await (const chunk of createReadStream(path, { encoding: "latin1", highWaterMark: 262_144 })) {
    const text = rest + String(chunk);
    // A word at the end is read with the next chunk, so that no address is cut. A long word is not an address.
    const cut = startOfLastWord(text);
    take(text.slice(0, cut));
    rest = text.slice(cut, cut + LONG_WORD);
  }
  take(rest);
  if (!isFound) throw new Error(`Cannot use the list "${path}": it has no address of an EVM chain or of Solana`);
}

function startOfLastWord(text: string): number {
  let start = text.length;
  while (WORD_CHARACTER.test(text.charAt(start - 1))) start -= 1;
  return start;
}
