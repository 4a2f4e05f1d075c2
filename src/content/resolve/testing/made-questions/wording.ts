import { type MadeQuestion } from "./case.ts";

const SIGNED = "Did Governor Marlow sign the Water Act?";
const RESIGN = "Did Minister Okafor resign?";
const CUP = "Did Arsenal win the FA Cup?";
const BEAT = "Did Arsenal beat Chelsea?";
const MERGER = "Did Northbank acquire Eastrail?";

/** Negation, double negation, hedges, denials, quotations, questions, roles. */
export const wording: readonly MadeQuestion[] = [
  { ask: SIGNED, pages: ["Governor Marlow signed the Water Act on Monday."], expect: "YES" },
  { ask: SIGNED, pages: ["Governor Marlow did not sign the Water Act."], expect: "NO" },
  { ask: SIGNED, pages: ["Governor Marlow refused to sign the Water Act."], expect: "NO" },
  { ask: SIGNED, pages: ["Governor Marlow never signed the Water Act."], expect: "NO" },
  {
    ask: SIGNED,
    pages: [
      "Governor Marlow did not refuse to sign the Water Act: the Water Act was signed by Governor Marlow on Monday.",
    ],
    expect: "UNCERTAIN",
  },
  { ask: SIGNED, pages: ["It is not true that Governor Marlow did not sign the Water Act."], expect: "UNCERTAIN" },
  { ask: SIGNED, pages: ["It is false that Governor Marlow signed the Water Act."], expect: "NO" },
  { ask: SIGNED, pages: ["Governor Marlow may sign the Water Act."], expect: "UNCERTAIN" },
  { ask: SIGNED, pages: ["Governor Marlow reportedly signed the Water Act."], expect: "UNCERTAIN" },
  { ask: SIGNED, pages: ["Governor Marlow promised to sign the Water Act."], expect: "UNCERTAIN" },
  { ask: SIGNED, pages: ["Did Governor Marlow sign the Water Act?"], expect: "UNCERTAIN" },
  { ask: SIGNED, pages: ["Did Governor Marlow sign the Water Act? No."], expect: "NO" },
  { ask: SIGNED, pages: ["Did Governor Marlow sign the Water Act? Yes, on Monday."], expect: "YES" },
  { ask: SIGNED, pages: ["A post on Facebook claims that Governor Marlow signed the Water Act."], expect: "UNCERTAIN" },
  { ask: SIGNED, pages: ["Governor Marlow signed the Road Act on Monday."], expect: "UNCERTAIN" },
  {
    ask: SIGNED,
    pages: ["Although he did not attend the ceremony, Governor Marlow signed the Water Act."],
    expect: "UNCERTAIN",
  },
  {
    ask: "Did Governor Marlow not sign the Water Act?",
    pages: ["Governor Marlow did not sign the Water Act."],
    expect: "YES",
  },
  {
    ask: "Did Governor Marlow not sign the Water Act?",
    pages: ["Governor Marlow signed the Water Act on Monday."],
    expect: "NO",
  },
  {
    ask: "Did Governor Marlow fail to sign the Water Act?",
    pages: ["Governor Marlow signed the Water Act on Monday."],
    expect: "NO",
  },
  {
    ask: "Did Governor Marlow fail to sign the Water Act?",
    pages: ["Governor Marlow never signed the Water Act."],
    expect: "YES",
  },
  { ask: RESIGN, pages: ["Minister Okafor resigned on Friday."], expect: "YES" },
  { ask: RESIGN, pages: ["Minister Okafor stepped down on Friday."], expect: "YES" },
  { ask: RESIGN, pages: ["Minister Okafor has not resigned."], expect: "NO" },
  { ask: RESIGN, pages: ["Minister Okafor remains in office."], expect: "NO" },
  { ask: RESIGN, pages: ["Minister Okafor might resign on Friday."], expect: "UNCERTAIN" },
  { ask: RESIGN, pages: ["If Minister Okafor resigned, an election would follow."], expect: "UNCERTAIN" },
  { ask: RESIGN, pages: ["Minister Okafor opened a bridge on Friday."], expect: "UNCERTAIN" },
  { ask: CUP, pages: ["Arsenal won the FA Cup on Saturday."], expect: "YES" },
  { ask: CUP, pages: ["Arsenal lost the FA Cup final on Saturday."], expect: "NO" },
  { ask: CUP, pages: ["Manchester City won the FA Cup on Saturday."], expect: "NO" },
  { ask: CUP, pages: ["Arsenal play in the FA Cup final on Saturday."], expect: "UNCERTAIN" },
  { ask: BEAT, pages: ["Arsenal beat Chelsea 2-1."], expect: "YES" },
  { ask: BEAT, pages: ["Chelsea beat Arsenal 2-1."], expect: "NO" },
  { ask: BEAT, pages: ["Chelsea was beaten by Arsenal."], expect: "YES" },
  { ask: MERGER, pages: ["Northbank acquired Eastrail on Tuesday."], expect: "YES" },
  { ask: MERGER, pages: ["Northbank is in talks and may acquire Eastrail."], expect: "UNCERTAIN" },
  { ask: MERGER, pages: ["Northbank said it will acquire Eastrail."], expect: "UNCERTAIN" },
  { ask: MERGER, pages: ["Westmoor acquired Eastrail on Tuesday."], expect: "NO" },
  {
    ask: "Is it true that Minister Okafor resigned?",
    pages: ["The claim that Minister Okafor resigned is false."],
    expect: "NO",
  },
  {
    ask: 'Is the following claim true: "Minister Okafor resigned"?',
    pages: ["Minister Okafor resigned on Friday."],
    expect: "YES",
  },
];
