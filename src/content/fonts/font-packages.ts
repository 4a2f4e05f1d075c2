import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** The npm packages that bring fonts, and where their font files lie as seen from their main module. */
const PACKAGES: readonly (readonly [name: string, folder: string])[] = [
  ["@expo-google-fonts/arimo", "."],
  ["@expo-google-fonts/tinos", "."],
  ["@expo-google-fonts/cousine", "."],
  ["@noto-pdf-ts/fonts-cjk", "fonts"],
  ["@embedpdf/fonts-arabic", "../fonts"],
  ["@expo-google-fonts/noto-sans-devanagari", "."],
  ["@expo-google-fonts/noto-color-emoji", "."],
];

/** The folders of the font packages that npm installed; their code is never run. */
export function fontFolders(): string[] {
  return PACKAGES.flatMap(([name, folder]) => {
    try {
      const found = join(dirname(fileURLToPath(import.meta.resolve(name))), folder);
      return existsSync(found) ? [found] : [];
    } catch {
      // Not installed: pages do without, and /health says so.
      return [];
    }
  });
}
