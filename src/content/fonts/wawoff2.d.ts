declare module "wawoff2/decompress.js" {
  /** Gives the TrueType or OpenType font that a WOFF2 file holds; fails if the file holds none. */
  export default function decompress(woff2: Uint8Array): Promise<Uint8Array>;
}
