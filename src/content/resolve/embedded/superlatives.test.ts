import { describe, expect, test } from "bun:test";
import { sideOf } from "../testing/verdict-of.ts";

type Row = readonly [side: "YES" | "YES?" | "NO" | "", sentence: string];

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  'Is "Nine Winters" the highest-grossing film in Merrow?': [
    ["YES", '"Nine Winters" is the highest-grossing film in Merrow.'],
    ["", '"Nine Winters" is one of the highest-grossing films in Merrow.'],
    ["", '"Nine Winters" is almost the highest-grossing film in Merrow.'],
    ["NO", '"Nine Winters" is the third highest-grossing film in Merrow.'],
    ["", '"Nine Winters" is the highest-grossing film in Merrow since 2019.'],
  ],
  "Is Ardel the tallest mountain in Sarin?": [
    ["YES", "Ardel is the tallest mountain in Sarin."],
    ["YES", "The mighty Ardel is the tallest mountain in Sarin."],
    ["", "Ardel is the lowest mountain in Sarin."],
    ["", "Ardel is the tallest volcano in Sarin."],
    ["", "Ardel is the tallest Bormian mountain in Sarin."],
    ["NO", "Bor is the tallest mountain in Sarin."],
    ["", "A hill is the tallest mountain in Sarin."],
    ["", "Is the tallest mountain in Sarin known?"],
    ["", "Ardel is the tallest in Sarin."],
    ["", "Ardel is the tallest mountain in Sarin, at least since the flood."],
    ["YES", "Ardel is the tallest mountain on record in Sarin."],
    ["", "Ardel is the tallest mountain in Sarin since the flood."],
    ["", "Ardel is the tallest mountain in Sarin on record since the flood."],
    ["YES?", "Ardel is the tallest mountain in Sarin since measurements began."],
    ["", "Ardel is the tallest mountain in Sarin since the end of all records."],
  ],
  "Is Ardel the tallest mountain in Sarin in 2026?": [["YES", "Ardel is the tallest mountain in Sarin."]],
  "Is it the tallest mountain in Sarin?": [["", "Ardel is the tallest mountain in Sarin."]],
  "Is Lena Ost the most popular minister in Westmark?": [
    ["YES", "Lena Ost is the most popular minister in Westmark."],
    ["YES", "Lena Ost is the most popular minister on record in Westmark."],
    ["NO", "Ida Kern is the most popular minister in Westmark."],
    ["", "Lena Kern is the most popular minister in Westmark."],
    ["", "Lena Ost is the most powerful minister in Westmark."],
    ["", "Lena Ost is the least popular minister in Westmark."],
    ["", "Lena Ost is the most popular woman in Westmark."],
    ["", "Lena Ost is the most popular Halden minister in Westmark."],
    ["NO", "Lena Ost is the second most popular minister in Westmark."],
  ],
  "Bleibt Lena Ost die jüngste Ministerin in Westmark?": [
    ["YES", "Lena Ost ist die jüngste Ministerin in Westmark."],
    ["NO", "Ida Kern ist die jüngste Ministerin in Westmark."],
    ["YES?", "Lena Ost ist die jüngste Ministerin in Westmark seit Beginn der Aufzeichnungen."],
    ["", "Lena Ost ist eine der jüngsten Ministerinnen in Westmark."],
  ],
  "Léa Morel est-elle la plus jeune ministre de Valdor ?": [
    ["YES", "Mais Léa Morel est la plus jeune ministre de Valdor."],
    ["NO", "Ida Blanc est la plus jeune ministre de Valdor."],
    ["YES?", "Léa Morel est la plus jeune ministre de Valdor depuis le début des relevés."],
    ["", "Léa Morel est parmi les plus jeunes ministres de Valdor."],
  ],
  "¿Es Ana Ruiz la ministra más joven de Valdor?": [
    ["YES", "Ana Ruiz es la ministra más joven de Valdor."],
    ["NO", "Eva Gil es la ministra más joven de Valdor."],
    ["", "Eva Gil es la alcaldesa más joven de Valdor."],
    ["", "Ana Ruiz es una de las ministras más jóvenes de Valdor."],
  ],
  "Anna Ricci è la sindaca più giovane di Valdor?": [
    ["YES", "Anna Ricci è la sindaca più giovane di Valdor."],
    ["", "Rita Ricci è la sindaca più giovane di Valdor."],
    ["", "Anna Ricci è la consigliera più giovane di Valdor."],
  ],
};

describe.each(Object.entries(TABLES))("a superlative: %s", (question, rows) => {
  test.each(rows)("%p: %s", async (side, sentence) => expect<string>(await sideOf(question, sentence)).toBe(side));
});
