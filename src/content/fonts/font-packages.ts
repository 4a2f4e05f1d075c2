import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The npm packages with fonts that are too large for the archive (packed-fonts.ts), and the folders of their font files
 * relative to their main modules.
 */
const PACKAGES: readonly (readonly [name: string, folder: string])[] = [
  ["@noto-pdf-ts/fonts-cjk", "fonts"],
  ["@expo-google-fonts/noto-color-emoji", "."],
];

/** The folders of the installed font packages. The code of the packages never runs. */
export function fontFolders(): string[] {
  return PACKAGES.flatMap(([name, folder]) => {
    try {
      const found = join(dirname(fileURLToPath(import.meta.resolve(name))), folder);
      return existsSync(found) ? [found] : [];
    } catch {
      // Not installed: pages are shown without the fonts, and /health reports it.
      return [];
    }
  });
}
