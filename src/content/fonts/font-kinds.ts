/** The kinds of text for which every page may need a font. */
export const FONT_KINDS = ["latin", "serif", "mono", "cjk", "emoji"] as const;
export type FontKind = (typeof FONT_KINDS)[number];
