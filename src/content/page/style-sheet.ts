/** Imports of a style sheet that are read. @bound */
const MAX_IMPORTS = 50;

/** An `@import` of a style sheet. */
export interface SheetImport {
  readonly url: string;
  readonly media: string;
  /** The name of its layer; undefined outside of layers. */
  readonly layer: string | undefined;
}

const COMMENT = /\/\*[^]*?(?:\*\/|$)/g;
/** An import comes before all rules but those for layers (CSS Cascade §2). */
const IMPORT =
  /\s*(?:@charset[^;]*;|@layer[^;{}]*;|<!--|-->|@import\s*(?:url\(\s*(?:(?:"([^"]*)"|'([^']*)'|([^"')\s]+))\s*)?\)|"([^"]*)"|'([^']*)')([^;{}]*)(?:;|$))/giy;

/** The style sheets that one imports. */
export function importsIn(css: string): readonly SheetImport[] {
  if (!/@import/i.test(css)) return [];
  const text = css.replace(COMMENT, "");
  const found: SheetImport[] = [];
  IMPORT.lastIndex = 0;
  for (let match = IMPORT.exec(text); match !== null && found.length < MAX_IMPORTS; match = IMPORT.exec(text)) {
    const [, a, b, c, d, e, conditions = ""] = match;
    const url = a ?? b ?? c ?? d ?? e;
    if (url === undefined) continue;
    const [, , name] = /^\s*(layer(?:\(\s*([^)]*?)\s*\))?)(?=\s|$)/i.exec(conditions) ?? [];
    const isLayer = /^\s*layer(?:\(|\s|$)/i.test(conditions);
    const rest = conditions.replace(/^\s*layer(?:\([^)]*\))?/i, "").trim();
    // The condition `supports()` is not evaluated. It counts as an unknown media query.
    const media = /^supports\(/i.test(rest) ? "(supports)" : rest;
    found.push({ url, media, layer: isLayer ? (name ?? "") : undefined });
  }
  return found;
}
