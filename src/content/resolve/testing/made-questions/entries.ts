import { type MadeQuestion } from "./case.ts";

const RIVER = {
  title: "Water Act, register of acts",
  text: "Introduced: 2 March 2026. Signed by Governor Marlow: 8 June 2026.",
};
const BRIDGE = "Was the Halden Bridge designed by Mira Stahl?";
const PRIZE = "Did the film Nightjar win Best Film at the Lantern Awards?";
const LAUNCH = "Was the satellite Petrel-2 launched?";

/** Entries of registers, tables and lists of results: a label, a colon, a value. The page is about its subject. */
export const entries: readonly MadeQuestion[] = [
  { ask: "Did Governor Marlow sign the Water Act?", pages: [RIVER], expect: "YES" },
  { ask: "Did Governor Marlow sign the Water Act by 1 June 2026?", pages: [RIVER], expect: "NO" },
  {
    ask: "Did Governor Marlow sign the Water Act?",
    pages: [
      { title: "Water Act, register of acts", text: "Introduced: 2 March 2026. Signed by Governor Marlow: pending." },
    ],
    expect: "UNCERTAIN",
  },
  { ask: BRIDGE, pages: [{ title: "Halden Bridge", text: "Length: 90 metres. Design: Mira Stahl." }], expect: "YES" },
  { ask: BRIDGE, pages: [{ title: "Halden Bridge", text: "Length: 90 metres. Design: Otto Brenn." }], expect: "NO" },
  {
    ask: BRIDGE,
    pages: [{ title: "Halden Bridge", text: "Length: 90 metres. Lighting design: Otto Brenn." }],
    expect: "UNCERTAIN",
  },
  {
    ask: BRIDGE,
    pages: [{ title: "Arven Bridge", text: "Length: 90 metres. Design: Otto Brenn." }],
    expect: "UNCERTAIN",
  },
  {
    ask: PRIZE,
    pages: [{ title: "Lantern Awards: the winners", text: "Best Film: Nightjar. Best Director: Ola Brenn." }],
    expect: "YES",
  },
  {
    ask: PRIZE,
    pages: [
      { title: "Lantern Awards: the winners", text: "Best Film: The Ferry. Best Director: Ola Brenn for Nightjar." },
    ],
    expect: "NO",
  },
  {
    ask: PRIZE,
    pages: [{ title: "Lantern Awards: the winners", text: "Best Short Film: The Ferry. Best Director: Ola Brenn." }],
    expect: "UNCERTAIN",
  },
  { ask: LAUNCH, pages: [{ title: "Our satellites", text: "Petrel-2: launched 6 May 2026." }], expect: "YES" },
  { ask: LAUNCH, pages: [{ title: "Our satellites", text: "Petrel-1: launched 6 May 2026." }], expect: "UNCERTAIN" },
  {
    ask: "Was turnout in the Dunmere election at least 50 percent?",
    pages: [
      { title: "Dunmere election", text: "Turnout in the Dunmere election: 55.3 percent, after 48.1 percent in 2022." },
    ],
    expect: "YES",
  },
];
