declare module "wawoff2/decompress.js" {
  /** Decompresses a WOFF2 file into its TrueType or OpenType font. Fails if the file contains no font. */
  export default function decompress(woff2: Uint8Array): Promise<Uint8Array>;
}
