import { type MadePage, type MadeQuestion } from "./case.ts";

const SIGNED = "Did Governor Marlow sign the Water Act?";
const YES = "Governor Marlow signed the Water Act on Monday.";
const NO = "Governor Marlow did not sign the Water Act.";
const WIRE =
  "HARBOUR CITY (Wire) - Governor Marlow signed the Water Act on Monday, ending two years of debate. " +
  "The act gives the city eleven million for pipes, and the work begins in the spring with the streets around the market.";
const OFFICIAL = "Resolves according to the State Register (register.example.gov).";

function at(url: string, text: string, published?: string): MadePage {
  return { url, text, ...(published === undefined ? {} : { published }) };
}

/** Sources that agree, contradict, copy, age, joke or correct themselves, and the source that decides. */
export const voices: readonly MadeQuestion[] = [
  { ask: SIGNED, pages: [YES, "The Water Act was signed by Governor Marlow, the station reports."], expect: "YES" },
  { ask: SIGNED, pages: [NO, "Governor Marlow has not signed the Water Act, his office says."], expect: "NO" },
  { ask: SIGNED, pages: [YES, NO], expect: "UNCERTAIN" },
  { ask: SIGNED, pages: [WIRE, WIRE, WIRE, WIRE, `${WIRE} Read more.`], expect: "YES" },
  { ask: SIGNED, pages: [WIRE, WIRE, WIRE, WIRE, NO], expect: "UNCERTAIN" },
  {
    ask: SIGNED,
    pages: [at("https://a.test/", YES, "2026-06-12"), at("https://b.test/", NO, "2026-05-01")],
    expect: "YES",
  },
  {
    ask: SIGNED,
    pages: [at("https://a.test/", YES, "2026-05-01"), at("https://b.test/", NO, "2026-06-12")],
    expect: "UNCERTAIN",
  },
  {
    ask: SIGNED,
    criteria: OFFICIAL,
    pages: [
      at("https://register.example.gov/1", YES),
      NO,
      "Governor Marlow refused to sign the Water Act.",
      "Governor Marlow never signed the Water Act.",
    ],
    expect: "YES",
  },
  {
    ask: SIGNED,
    criteria: OFFICIAL,
    pages: [
      at("https://www.register.example.gov/1", NO),
      YES,
      "Governor Marlow signed the Water Act at noon, witnesses said.",
    ],
    expect: "NO",
  },
  {
    ask: SIGNED,
    criteria: OFFICIAL,
    pages: [at("https://register.example.gov.evil.test/1", YES), NO],
    expect: "UNCERTAIN",
  },
  { ask: SIGNED, criteria: OFFICIAL, pages: [at("https://notregister.example.gov/1", YES), NO], expect: "UNCERTAIN" },
  { ask: SIGNED, criteria: "According to NASA.", pages: [at("https://www.nasa.gov/x", YES), NO], expect: "YES" },
  {
    ask: SIGNED,
    criteria: "According to NASA.",
    pages: [at("https://nasa.example.test/x", YES), NO],
    expect: "UNCERTAIN",
  },
  { ask: SIGNED, pages: [at("https://www.theonion.com/x", YES)], expect: "UNCERTAIN" },
  { ask: SIGNED, pages: [`${YES} This is a satirical website.`], expect: "UNCERTAIN" },
  { ask: SIGNED, pages: [`The Daily Pip is a satire site. ${YES}`], expect: "UNCERTAIN" },
  { ask: SIGNED, pages: [{ title: "Parody news", text: `This article is satire.\n\n${YES}` }, NO], expect: "NO" },
  { ask: SIGNED, pages: [`${YES}\n\nCorrection: Governor Marlow did not sign the Water Act.`], expect: "NO" },
  { ask: SIGNED, pages: [`${YES}\n\nThis story has been retracted.`], expect: "UNCERTAIN" },
  { ask: SIGNED, pages: [`Editor's note: this article has been retracted.\n\n${YES}`], expect: "UNCERTAIN" },
  {
    ask: SIGNED,
    pages: [
      "Governor Marlow had not signed the Water Act on June 1, 2026.\n\nUpdate: Governor Marlow signed the Water Act on June 5, 2026.",
    ],
    expect: "YES",
  },
  {
    ask: SIGNED,
    pages: [
      "Governor Marlow signed the Water Act on June 5, 2026. On June 1, 2026, Governor Marlow had not signed the Water Act.",
    ],
    expect: "YES",
  },
  { ask: SIGNED, pages: ["Governor Marlow denied that he signed the Water Act."], expect: "NO" },
  {
    ask: SIGNED,
    pages: [YES, "Governor Marlow may sign the Water Act.", "Governor Marlow will sign the Water Act."],
    expect: "YES",
  },
  {
    ask: SIGNED,
    pages: [
      "Governor Marlow will sign the Water Act.",
      "Governor Marlow plans to sign the Water Act.",
      "Governor Marlow is expected to sign the Water Act.",
    ],
    expect: "UNCERTAIN",
  },
  {
    ask: SIGNED,
    pages: [{ title: "Marlow to sign the Water Act", text: "Governor Marlow spoke about the Water Act." }],
    expect: "UNCERTAIN",
  },
  { ask: SIGNED, pages: ["", " \n ", "…"], expect: "UNCERTAIN" },
];
