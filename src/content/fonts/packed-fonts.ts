import { existsSync, readFileSync } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { uniqueName } from "../../lib/unique-name.ts";

/** Scripts whose package has one file for all weights. */
const SCRIPTS = [
  "thai",
  "bengali",
  "tamil",
  "telugu",
  "armenian",
  "georgian",
  "ethiopic",
  "khmer",
  "lao",
  "kannada",
  "malayalam",
  "gujarati",
  "gurmukhi",
  "oriya",
  "sinhala",
] as const;

/**
 * Fonts for which npm has only WOFF2 files. Browsers read WOFF2 from pages, but not from the system. Files have the
 * characters of one script; Latin characters are in other fonts.
 */
const FONTS: readonly (readonly [family: string, scope: string, files: readonly string[]])[] = [
  ...SCRIPTS.map((script) => {
    const family = `Noto Sans ${script.charAt(0).toUpperCase()}${script.slice(1)}`;
    return [family, "@fontsource-variable", [`${script}-wght-normal`]] as const;
  }),
  ["Noto Sans Myanmar", "@fontsource", ["myanmar-400-normal", "myanmar-700-normal"]],
  ["Noto Serif Tibetan", "@fontsource-variable", ["tibetan-wght-normal"]],
  ["Noto Sans Symbols", "@fontsource-variable", ["symbols-wght-normal"]],
  ["Noto Sans Symbols 2", "@fontsource", ["symbols-400-normal", "braille-400-normal"]],
  ["Noto Sans Math", "@fontsource", ["latin-400-normal"]],
];

/** The families of the unpacked fonts. */
export const PACKED_FAMILIES = FONTS.map(([family]) => family);

interface PackedFont {
  readonly path: string;
  /** The name of the unpacked file. Another version has another name. */
  readonly name: string;
}

/**
 * Unpacks the WOFF2 fonts of the npm packages into `folder`, once for each version. Returns the folder of the fonts.
 * The first time takes 0.26 CPU-seconds and 8.3 MB. A package that is not installed is left out.
 */
export async function unpackFonts(folder: string): Promise<string> {
  const unpacked = join(folder, "fonts-unpacked");
  await mkdir(unpacked, { recursive: true, mode: 0o700 });
  const missing = FONTS.flatMap(packedFonts).filter(({ name }) => !existsSync(join(unpacked, name)));
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

function packedFonts([family, scope, files]: (typeof FONTS)[number]): PackedFont[] {
  const name = family.toLowerCase().replaceAll(" ", "-");
  try {
    const manifest = fileURLToPath(import.meta.resolve(`${scope}/${name}/package.json`));
    // The manifest of an npm package has a version.
    const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
    return files
      .map((file) => ({ file, path: join(dirname(manifest), "files", `${name}-${file}.woff2`) }))
      .filter(({ path }) => existsSync(path))
      .map(({ file, path }) => ({ path, name: `${name}-${file}-${version}.ttf` }));
  } catch {
    // Not installed: pages are shown without the font.
    return [];
  }
}
