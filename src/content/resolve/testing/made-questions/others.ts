import { type MadeQuestion } from "./case.ts";

const ACT = "Did the Senate of Orland pass the Clean Rivers Act?";
const RESIGN = "Did minister Ada Kohl resign?";
const RECORD = "Did Jana Holt break the world record in the 400 metres?";
const NURSES = "Did the nurses of Halmont end their strike?";
const FILM = 'Is "Nine Winters" the highest-grossing film in Merrow?';
const SEATS = "Did the Greens win at least 20 seats in the election in Merrow?";

function tableOf(...rows: string[]): string {
  return rows.map((row) => row.replaceAll(" | ", "\t")).join("\n\n");
}

/** Sentences about another thing, place, person or sense than the question's, rows of tables, and superlatives. */
export const others: readonly MadeQuestion[] = [
  { ask: ACT, pages: ["The Senate of Orland passed a motion to debate the Clean Rivers Act."], expect: "UNCERTAIN" },
  { ask: ACT, pages: ["The Senate of Orland passed over the Clean Rivers Act without debate."], expect: "UNCERTAIN" },
  {
    ask: ACT,
    pages: ["The Clean Rivers Act was not passed before the recess in Orland's Senate."],
    expect: "UNCERTAIN",
  },
  { ask: RESIGN, pages: ["Ada Kohl, the minister, resigned from the party's youth wing."], expect: "UNCERTAIN" },
  { ask: RESIGN, pages: ["Minister Ada Kohl accepted the resignation of the police chief."], expect: "UNCERTAIN" },
  {
    ask: RECORD,
    pages: ["Jana Holt broke the world record in the 400 metres, but the time was not ratified."],
    expect: "UNCERTAIN",
  },
  {
    ask: NURSES,
    pages: ["The nurses of Halmont met. In neighbouring Durne the nurses ended their strike."],
    expect: "UNCERTAIN",
  },
  { ask: NURSES, pages: ["Some nurses of Halmont ended their strike."], expect: "UNCERTAIN" },
  {
    ask: "Was Lena Voss convicted of fraud?",
    pages: ["Lena Voss was convicted of perjury."],
    expect: "UNCERTAIN",
  },
  {
    ask: "Was the fire at the Linden warehouse started by an employee?",
    pages: ["Police arrested an employee on suspicion of having started the fire at the Linden warehouse."],
    expect: "UNCERTAIN",
  },
  {
    ask: "Was the statue of Admiral Pryce toppled by protesters?",
    pages: ["The statue of Admiral Pryce was toppled by a lorry."],
    expect: "UNCERTAIN",
  },
  {
    ask: "Did more than 100 people die in the Orland flood?",
    pages: ["More than 100 people were feared dead in the Orland flood."],
    expect: "UNCERTAIN",
  },
  { ask: FILM, pages: ['"Nine Winters" is the highest-grossing film in Merrow.'], expect: "YES" },
  { ask: FILM, pages: ['"Robot Aunt" remains the highest-grossing film in Merrow.'], expect: "NO" },
  {
    ask: FILM,
    pages: ['"Nine Winters" is the highest-grossing film in Merrow since 2019.'],
    expect: "UNCERTAIN",
  },
  {
    ask: SEATS,
    pages: [{ title: "Merrow election: seats", text: tableOf("Party | Seats | Change", "Greens | 23 | +9") }],
    expect: "YES",
  },
  {
    ask: SEATS,
    pages: [{ title: "Merrow election: seats", text: tableOf("Party | Seats | Change", "Greens | 11 | +9") }],
    expect: "NO",
  },
  {
    ask: "Did Halmark-3 reconnect to the grid by 15 June 2026?",
    pages: [
      {
        title: "Outages of units on the grid",
        text: tableOf("Unit | Disconnected | Reconnected", "Halmark-3 | 11 April 2026 | 9 June 2026"),
      },
    ],
    expect: "YES",
  },
];
