import { type MadeQuestion } from "./case.ts";

const PRICE = "Did Bitcoin close above $100,000 on June 9, 2026?";
const RATE = "Was the unemployment rate in Canada below 6% in May 2026?";
const VOTES = "Did the Harbour Bill get at least 60 votes in the Senate?";
const FILM = "Did the film Northwind earn more than $50 million on its opening weekend?";
const RUNNERS = "Did at least 10,000 runners finish the Lisbon Marathon?";
const LENGTH = "Is the Aldar Tunnel longer than 50 kilometres?";
const SHORT = "Is the Aldar Tunnel no longer than 50 kilometres?";
const CUT = "Did the Central Bank of Norway cut its rate by at least 25 basis points in May 2026?";
const RANGE = "Was inflation in Chile between 2% and 3% in May 2026?";
const DEATHS = "Did fewer than 20 people die in the Corvo ferry accident?";

export const thresholds: readonly MadeQuestion[] = [
  { ask: PRICE, pages: ["Bitcoin closed at $104,300 on June 9, 2026."], expect: "YES" },
  { ask: PRICE, pages: ["Bitcoin closed at $97,150 on June 9, 2026."], expect: "NO" },
  { ask: PRICE, pages: ["Bitcoin closed above $103,000 on June 9, 2026, exchanges report."], expect: "YES" },
  { ask: PRICE, pages: ["Bitcoin closed below $95,000 on June 9, 2026, exchanges report."], expect: "NO" },
  { ask: PRICE, pages: ["Bitcoin did not close above $100,000 on June 9, 2026."], expect: "NO" },
  { ask: PRICE, pages: ["Bitcoin closed at $101,200 on June 9, 2026, up from $98,400 a day before."], expect: "YES" },
  { ask: PRICE, pages: ["Bitcoin could close above $100,000 on June 9, 2026, analysts say."], expect: "UNCERTAIN" },
  { ask: PRICE, pages: ["Will Bitcoin close above $100,000 on June 9, 2026?"], expect: "UNCERTAIN" },
  { ask: PRICE, pages: ["Ethereum is a network for contracts."], expect: "UNCERTAIN" },
  { ask: PRICE, pages: ["Bitcoin closed at 104.3 thousand dollars on June 9, 2026."], expect: "YES" },
  { ask: RATE, pages: ["The unemployment rate in Canada was 5.8% in May 2026."], expect: "YES" },
  { ask: RATE, pages: ["The unemployment rate in Canada rose to 6.4 percent in May 2026."], expect: "NO" },
  { ask: RATE, pages: ["The unemployment rate in Canada stood at 6 per cent in May 2026."], expect: "NO" },
  { ask: RATE, pages: ["The unemployment rate in Canada was 5.9% in May 2025."], expect: "UNCERTAIN" },
  { ask: VOTES, pages: ["The Harbour Bill got 63 votes in the Senate."], expect: "YES" },
  { ask: VOTES, pages: ["The Harbour Bill got 60 votes in the Senate."], expect: "YES" },
  { ask: VOTES, pages: ["The Harbour Bill got only 58 votes in the Senate."], expect: "NO" },
  { ask: VOTES, pages: ["The Harbour Bill got more than 60 votes in the Senate."], expect: "YES" },
  { ask: VOTES, pages: ["The Harbour Bill got fewer than 55 votes in the Senate."], expect: "NO" },
  {
    ask: FILM,
    pages: ["Northwind earned $61.5 million on its opening weekend, a good start for the film."],
    expect: "YES",
  },
  {
    ask: FILM,
    pages: ["Northwind earned $38 million on its opening weekend, less than the film's makers hoped."],
    expect: "NO",
  },
  { ask: FILM, pages: ["The film Northwind earned $38 million on its opening weekend."], expect: "NO" },
  { ask: FILM, pages: ["The film Northwind earned $0.07 billion on its opening weekend."], expect: "YES" },
  { ask: RUNNERS, pages: ["12,480 runners finished the Lisbon Marathon."], expect: "YES" },
  { ask: RUNNERS, pages: ["8,900 runners finished the Lisbon Marathon."], expect: "NO" },
  { ask: RUNNERS, pages: ["Over ten thousand pasta meals were served at the Porto Marathon."], expect: "UNCERTAIN" },
  { ask: LENGTH, pages: ["The Aldar Tunnel is 57 km long."], expect: "YES" },
  { ask: LENGTH, pages: ["The Aldar Tunnel is 30 miles long."], expect: "NO" },
  { ask: LENGTH, pages: ["The Aldar Tunnel is 35 miles long."], expect: "YES" },
  { ask: LENGTH, pages: ["The Aldar Tunnel cost 57 million euros."], expect: "UNCERTAIN" },
  { ask: LENGTH, pages: ["The Aldar Tunnel is no longer than 48 km."], expect: "NO" },
  { ask: LENGTH, pages: ["The Aldar Tunnel is not longer than 48 km."], expect: "NO" },
  { ask: LENGTH, pages: ["The Aldar Tunnel is not shorter than 52 km."], expect: "YES" },
  { ask: LENGTH, pages: ["The Aldar Tunnel is no longer than 60 km."], expect: "UNCERTAIN" },
  { ask: SHORT, pages: ["The Aldar Tunnel is 30 miles long."], expect: "YES" },
  { ask: SHORT, pages: ["The Aldar Tunnel is 57 km long."], expect: "NO" },
  { ask: SHORT, pages: ["The Aldar Tunnel is no longer than 48 km."], expect: "YES" },
  { ask: DEATHS, pages: ["No fewer than 31 people died in the Corvo ferry accident."], expect: "NO" },
  { ask: DEATHS, pages: ["No more than 12 people died in the Corvo ferry accident."], expect: "YES" },
  { ask: CUT, pages: ["The Central Bank of Norway cut its rate by 0.5 percentage points in May 2026."], expect: "YES" },
  { ask: CUT, pages: ["The Central Bank of Norway cut its rate by 10 basis points in May 2026."], expect: "NO" },
  { ask: RANGE, pages: ["Inflation in Chile was 2.4% in May 2026."], expect: "YES" },
  { ask: RANGE, pages: ["Inflation in Chile was 3.6% in May 2026."], expect: "NO" },
  { ask: RANGE, pages: ["Inflation in Chile was 1.1% in May 2026."], expect: "NO" },
  { ask: DEATHS, pages: ["12 people died in the Corvo ferry accident."], expect: "YES" },
  { ask: DEATHS, pages: ["At least 31 people died in the Corvo ferry accident."], expect: "NO" },
];
