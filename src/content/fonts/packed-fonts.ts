import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { uniqueName } from "../../lib/unique-name.ts";

/** Scripts for which npm has only WOFF2 fonts. Browsers read WOFF2 from pages, but not from the system. */
export const PACKED_SCRIPTS = [
  "thai",
  "bengali",
  "tamil",
  "telugu",
  "armenian",
  "georgian",
  "ethiopic",
  "khmer",
  "lao",
] as const;

interface PackedFont {
  readonly path: string;
  /** The name of the unpacked file. Another version has another name. */
  readonly name: string;
}

/**
 * Unpacks the WOFF2 fonts of the npm packages into `folder`, once for each version. Returns the folder of the fonts.
 * The first time takes 0.1 CPU-seconds and 1.8 MB. A package that is not installed is left out.
 */
export async function unpackFonts(folder: string): Promise<string> {
  const unpacked = join(folder, "fonts-unpacked");
  await mkdir(unpacked, { recursive: true, mode: 0o700 });
  const missing = PACKED_SCRIPTS.map(fontOf).filter(
    (font): font is PackedFont => font !== undefined && !existsSync(join(unpacked, font.name)),
  );
  if (missing.length === 0) return unpacked;
  // 320 kB of code, which later starts do not need.
  const { default: decompress } = await import("wawoff2/decompress.js");
  for (const { path, name } of missing) {
    const target = join(unpacked, name);
    // Fontconfig reads all files in the folder at any time, except hidden files.
    const temporary = join(unpacked, `.${name}-${uniqueName()}`);
    try {
      await writeFile(temporary, await decompress(await readFile(path)));
      await rename(temporary, target);
    } finally {
      await rm(temporary, { force: true });
    }
  }
  return unpacked;
}

function fontOf(script: string): PackedFont | undefined {
  const family = `noto-sans-${script}`;
  try {
    const manifest = fileURLToPath(import.meta.resolve(`@fontsource-variable/${family}/package.json`));
    // The manifest of an npm package has a version.
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
    // One file for all weights, with the script's own characters. Latin characters are in other fonts.
    const path = join(dirname(manifest), "files", `${family}-${script}-wght-normal.woff2`);
    return existsSync(path) ? { path, name: `${family}-${version}.ttf` } : undefined;
  } catch {
    // Not installed: pages are shown without the font.
    return undefined;
  }
}
