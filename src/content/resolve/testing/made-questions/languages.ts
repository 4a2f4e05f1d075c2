import { type MadeQuestion } from "./case.ts";

const RESIGN = "Did Clara Holm resign?";
const SHIP = "Did Orbis launch the Heron rocket by June 10, 2026?";
const BITCOIN = "Did Bitcoin close above $100,000 on June 9, 2026?";
const BUY = "Did Northbank acquire Eastrail?";

export const languages: readonly MadeQuestion[] = [
  { ask: RESIGN, pages: ["Clara Holm ist am Freitag zurückgetreten."], expect: "YES" },
  { ask: RESIGN, pages: ["Clara Holm ist nicht zurückgetreten."], expect: "NO" },
  { ask: RESIGN, pages: ["Clara Holm wird voraussichtlich zurücktreten."], expect: "UNCERTAIN" },
  { ask: RESIGN, pages: ["Clara Holm könnte zurücktreten."], expect: "UNCERTAIN" },
  { ask: RESIGN, pages: ["Clara Holm a démissionné vendredi."], expect: "YES" },
  { ask: RESIGN, pages: ["Clara Holm n'a pas démissionné."], expect: "NO" },
  { ask: RESIGN, pages: ["Clara Holm pourrait démissionner."], expect: "UNCERTAIN" },
  { ask: RESIGN, pages: ["Clara Holm dimitió el viernes."], expect: "YES" },
  { ask: RESIGN, pages: ["Clara Holm no ha dimitido."], expect: "NO" },
  { ask: RESIGN, pages: ["Clara Holm podría dimitir."], expect: "UNCERTAIN" },
  { ask: RESIGN, pages: ["Clara Holm周五辞职。"], expect: "UNCERTAIN" },
  { ask: RESIGN, pages: ["Clara Holm并未辞职。"], expect: "UNCERTAIN" },
  { ask: RESIGN, pages: ["Clara Holm可能辞职。"], expect: "UNCERTAIN" },
  { ask: SHIP, pages: ["Orbis hat die Rakete Heron am 8. Juni 2026 gestartet."], expect: "YES" },
  { ask: SHIP, pages: ["Orbis a lancé la fusée Heron le 8 juin 2026."], expect: "YES" },
  { ask: SHIP, pages: ["Orbis lanzó el cohete Heron el 8 de junio de 2026."], expect: "YES" },
  { ask: SHIP, pages: ["Orbis于2026年6月8日成功发射Heron火箭。"], expect: "UNCERTAIN" },
  { ask: SHIP, pages: ["Orbis a lancé la fusée Heron le 13 juin 2026."], expect: "NO" },
  { ask: SHIP, pages: ["Orbis hat die Rakete Heron nicht gestartet."], expect: "NO" },
  { ask: BITCOIN, pages: ["Bitcoin schloss am 9. Juni 2026 bei 104.300 Dollar."], expect: "YES" },
  { ask: BITCOIN, pages: ["Le Bitcoin a clôturé à 97 150 dollars le 9 juin 2026."], expect: "NO" },
  { ask: BITCOIN, pages: ["Bitcoin cerró en 104.300 dólares el 9 de junio de 2026."], expect: "YES" },
  { ask: BITCOIN, pages: ["2026年6月9日，比特币收于10.4万美元。"], expect: "UNCERTAIN" },
  { ask: BUY, pages: ["Northbank hat Eastrail übernommen."], expect: "YES" },
  { ask: BUY, pages: ["Northbank a racheté Eastrail."], expect: "YES" },
  { ask: BUY, pages: ["Northbank compró Eastrail."], expect: "YES" },
  { ask: BUY, pages: ["Northbank收购了Eastrail。"], expect: "UNCERTAIN" },
  { ask: BUY, pages: ["Northbank plant, Eastrail zu übernehmen."], expect: "UNCERTAIN" },
  { ask: "Ist Clara Holm zurückgetreten?", pages: ["Clara Holm ist am Freitag zurückgetreten."], expect: "YES" },
  { ask: "Clara Holm a-t-elle démissionné ?", pages: ["Clara Holm n'a pas démissionné."], expect: "NO" },
  { ask: "¿Dimitió Clara Holm?", pages: ["Clara Holm dimitió el viernes."], expect: "YES" },
];
