import { readFile } from "node:fs/promises";

/** File names of maps. No other file is read, whatever file a document names. */
const MAP = /^[A-Za-z0-9-]{1,40}\.bcmap$/;

/**
 * Maximum number of bytes of all maps that one document loads. The largest map has 80 kB, and a font needs at most
 * three.
 */
const MAX_MAP_BYTES = 4 * 1024 * 1024;

/**
 * Passes to pdf.js the predefined character maps that fonts name. Rejects all other files, which the text does not
 * need.
 */
export class CharacterMaps {
  #bytes = 0;

  async fetch({ kind, filename }: { readonly kind: string; readonly filename: string }): Promise<Uint8Array> {
    if (kind !== "cMapUrl" || !MAP.test(filename))
      throw new Error(`Cannot load "${filename}": it is not a character map`);
    const map = await readFile(new URL(`./cmaps/${filename}`, import.meta.url));
    this.#bytes += map.length;
    if (this.#bytes > MAX_MAP_BYTES) throw new Error("Cannot load a character map: the document has loaded too many");
    return new Uint8Array(map);
  }
}
