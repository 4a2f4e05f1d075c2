import { type MadeQuestion } from "./case.ts";

const TREATY = "Will the Senate ratify the Baltic Treaty by June 30, 2026?";
const PAST = "Will the Senate ratify the Baltic Treaty by June 1, 2026?";
const NUMERIC = "Will the Senate ratify the Baltic Treaty by 03/04/2026?";
const HOUR = "Will Orbis launch the Heron rocket by 5pm ET on June 10, 2026?";
const REPORT = "The Senate ratified the Baltic Treaty on May 28, 2026.";

export const deadlines: readonly MadeQuestion[] = [
  { ask: TREATY, pages: [REPORT], expect: "YES" },
  { ask: TREATY, pages: ["The Senate has not ratified the Baltic Treaty."], expect: "UNCERTAIN" },
  {
    ask: TREATY,
    pages: [
      "The Senate has not yet ratified the Baltic Treaty.",
      "The Baltic Treaty is still not ratified, the Senate's clerk said.",
    ],
    expect: "UNCERTAIN",
  },
  { ask: TREATY, pages: ["The Senate rejected the Baltic Treaty on June 3, 2026."], expect: "NO" },
  { ask: TREATY, pages: ["The Senate will vote on the Baltic Treaty on June 25, 2026."], expect: "UNCERTAIN" },
  { ask: TREATY, pages: ["The Senate is expected to ratify the Baltic Treaty this week."], expect: "UNCERTAIN" },
  { ask: TREATY, pages: ["Senate to ratify the Baltic Treaty"], expect: "UNCERTAIN" },
  { ask: TREATY, pages: [], expect: "UNCERTAIN" },
  { ask: TREATY, pages: ["The Baltic Sea has little salt."], expect: "UNCERTAIN" },
  { ask: PAST, pages: [REPORT], expect: "YES" },
  { ask: PAST, pages: ["The Senate ratified the Baltic Treaty on June 9, 2026."], expect: "NO" },
  {
    ask: PAST,
    pages: [{ text: "The Senate has not ratified the Baltic Treaty.", published: "2026-06-05" }],
    expect: "NO",
  },
  {
    ask: PAST,
    pages: [{ text: "The Senate has not ratified the Baltic Treaty.", published: "2026-04-05" }],
    expect: "UNCERTAIN",
  },
  { ask: PAST, pages: ["The Senate plans to ratify the Baltic Treaty before the summer."], expect: "UNCERTAIN" },
  { ask: PAST, pages: [], expect: "UNCERTAIN" },
  { ask: PAST, pages: ["The Senate ratified the Baltic Treaty on June 1, 2026."], expect: "YES" },
  { ask: PAST, pages: ["The Senate ratified the Baltic Treaty on June 2, 2026."], expect: "NO" },
  {
    ask: "Will the Senate ratify the Baltic Treaty before June 1, 2026?",
    pages: ["The Senate ratified the Baltic Treaty on June 1, 2026."],
    expect: "NO",
  },
  {
    ask: "Will the Senate ratify the Baltic Treaty before June 1, 2026?",
    pages: ["The Senate ratified the Baltic Treaty on May 31, 2026."],
    expect: "YES",
  },
  { ask: NUMERIC, pages: ["The Senate ratified the Baltic Treaty on March 1, 2026."], expect: "YES" },
  { ask: NUMERIC, pages: ["The Senate ratified the Baltic Treaty on March 20, 2026."], expect: "UNCERTAIN" },
  { ask: NUMERIC, pages: ["The Senate ratified the Baltic Treaty on April 20, 2026."], expect: "NO" },
  {
    ask: "Will the Senate ratify the Baltic Treaty by March 20, 2026?",
    pages: ["The Senate ratified the Baltic Treaty on 03/04/2026."],
    expect: "UNCERTAIN",
  },
  {
    ask: "Will the Senate ratify the Baltic Treaty by March 20, 2026?",
    pages: ["The Senate ratified the Baltic Treaty on 03/04/2026. The vote was called on 02/27/2026."],
    expect: "YES",
  },
  {
    ask: "Will the Senate ratify the Baltic Treaty by March 20, 2026?",
    pages: ["The Senate ratified the Baltic Treaty on 03/04/2026. The vote was called on 27/02/2026."],
    expect: "NO",
  },
  {
    ask: "Will the Senate ratify the Baltic Treaty in May 2026?",
    pages: ["The Senate ratified the Baltic Treaty on April 12, 2026."],
    expect: "UNCERTAIN",
  },
  { ask: "Will the Senate ratify the Baltic Treaty in May 2026?", pages: [REPORT], expect: "YES" },
  {
    ask: "Will the Senate ratify the Baltic Treaty in May 2026?",
    pages: ["The Senate ratified the Baltic Treaty on 4 June 2026."],
    expect: "NO",
  },
  { ask: "Did the Senate ratify the Baltic Treaty in 2025?", pages: [REPORT], expect: "UNCERTAIN" },
  { ask: "Did the Senate ratify the Baltic Treaty in 2026?", pages: [REPORT], expect: "YES" },
  { ask: "Will the Senate ratify the Baltic Treaty by the end of the year?", pages: [REPORT], expect: "YES" },
  {
    ask: "Will the Senate ratify the Baltic Treaty by the end of the month?",
    pages: ["The Senate has not ratified the Baltic Treaty."],
    expect: "UNCERTAIN",
  },
  { ask: HOUR, pages: ["Orbis launched the Heron rocket on June 8, 2026."], expect: "YES" },
  { ask: HOUR, pages: ["Orbis launched the Heron rocket on June 12, 2026."], expect: "NO" },
  // 5 pm in New York is 21:00 UTC: at 20:30 UTC the deadline has not passed, at 21:30 UTC it has.
  { ask: HOUR, now: "2026-06-10T20:30:00Z", pages: ["Orbis has not launched the Heron rocket."], expect: "UNCERTAIN" },
  { ask: HOUR, now: "2026-06-10T21:30:00Z", pages: ["Orbis has not launched the Heron rocket."], expect: "NO" },
  {
    ask: "Will Orbis launch the Heron rocket by June 10, 2026?",
    criteria: "Resolves YES if the rocket lifts off by June 10, 2026, 11:59 PM PT.",
    now: "2026-06-11T06:00:00Z",
    pages: ["Orbis has not launched the Heron rocket."],
    expect: "UNCERTAIN",
  },
  {
    ask: "Will Orbis launch the Heron rocket by June 10, 2026?",
    criteria: "Resolves YES if the rocket lifts off by June 10, 2026, 11:59 PM PT.",
    now: "2026-06-11T08:00:00Z",
    pages: ["Orbis has not launched the Heron rocket."],
    expect: "NO",
  },
  {
    ask: "Will Orbis launch the Heron rocket by June 10, 2026, 12:00 JST?",
    now: "2026-06-10T04:00:00Z",
    pages: ["Orbis has not launched the Heron rocket."],
    expect: "NO",
  },
  {
    ask: "Will Orbis launch the Heron rocket by June 10, 2026, 12:00 UTC-5?",
    now: "2026-06-10T16:00:00Z",
    pages: ["Orbis has not launched the Heron rocket."],
    expect: "UNCERTAIN",
  },
  {
    ask: "Will Orbis launch the Heron rocket?",
    pages: ["Orbis has not launched the Heron rocket."],
    expect: "UNCERTAIN",
  },
  { ask: "Has Orbis launched the Heron rocket?", pages: ["Orbis has not launched the Heron rocket."], expect: "NO" },
  {
    ask: "Will Orbis launch the Heron rocket by June 30, 2026?",
    pages: ["Orbis cancelled the Heron rocket on June 2, 2026."],
    expect: "NO",
  },
  {
    ask: "Will Orbis launch the Heron rocket by June 30, 2026?",
    pages: ["Orbis postponed the Heron rocket."],
    expect: "UNCERTAIN",
  },
];
