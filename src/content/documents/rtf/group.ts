import { type Look } from "../office/word/styles.ts";

/** The use of the text of a group. */
export type Destination = "text" | "skipped" | "fonts" | "styles" | "instruction" | "label" | "title" | "author";

/** The state that a group of RTF has, and gives back at its end. */
export interface Group {
  destination: Destination;
  look: Look;
  font: number;
  /** Characters after a Unicode escape that stand for it. */
  fallback: number;
  /** Whether the text is deleted. */
  isDeleted: boolean;
  /** Whether the group is a note: its end ends the note. */
  isNote: boolean;
  /** Whether the group is a field, whose address ends with it. */
  isField: boolean;
  /** Whether nothing of the group was read yet but `\*`. */
  isNew: boolean;
  /** Whether the group begins with `\*`: an unknown destination is skipped. */
  isOptional: boolean;
}

/** Destinations with no text of the document. */
export const SKIPPED = new Set(
  (
    "colortbl filetbl listtable listoverridetable revtbl rsidtbl stylesheet info header headerl headerr headerf footer footerl " +
    "footerr footerf pict object nonshppict xe tc tcn rxe private bkmkstart bkmkend themedata colorschememapping datastore " +
    "latentstyles xmlnstbl generator ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn annotation atnid atnauthor atnref atrfstart " +
    "atrfend atndate atnicn mmathPr pgdsctbl pntxtb pntxta sp sn sv shpinst fontemb fontfile falt panose template nonesttables"
  ).split(" "),
);

export const DESTINATIONS: Readonly<Record<string, Destination>> = {
  fonttbl: "fonts",
  stylesheet: "styles",
  fldinst: "instruction",
  listtext: "label",
  pntext: "label",
  title: "title",
  author: "author",
};

/** Control words for one character. */
export const CHARACTERS: Readonly<Record<string, string>> = {
  tab: "\t",
  cell: "",
  emdash: "—",
  endash: "–",
  emspace: " ",
  enspace: " ",
  qmspace: " ",
  lquote: "‘",
  rquote: "’",
  ldblquote: "“",
  rdblquote: "”",
  bullet: "•",
};
