import { describe, expect, test } from "bun:test";
import { sideOfPage } from "../testing/verdict-of.ts";

const NOW = Date.UTC(2026, 11, 1);
const PUBLISHED = Date.UTC(2026, 9, 6);

/** The side that a page supports with its only sentence, with a question mark if it supports no verdict alone. */
async function sideOf(question: string, [sentence, title = "", host = "news.example"]: Page): Promise<string> {
  return await sideOfPage(question, { sentence, title, host, published: PUBLISHED }, NOW);
}

type Page = readonly [sentence: string, title?: string, host?: string];

/** Questions about a level or a number, and pages by the side that they support. */
const QUESTIONS: Readonly<Record<string, Readonly<Record<string, readonly Page[]>>>> = {
  "Will Corland's unemployment rate for August 2026 be below 5.0%?": {
    NO: [
      [
        "The unemployment rate stood at 5.3 per cent in August, up one tenth from July.",
        "Labour market, August 2026",
        "stats.corland.example",
      ],
      ["Corland's jobless rate was 5.3% in August, the statistics office said."],
    ],
    YES: [["Unemployment in Corland fell to 4.8% in August, the statistics office said."]],
    "": [
      ["Unemployment in neighbouring Marvia was 5.3% in August."],
      ["The unemployment rate stood at 5.3 per cent in July.", "Labour market, July 2026", "stats.corland.example"],
    ],
  },
  "Did the Marl Derby at Fenwick Park attract at least 40,000 people in 2025?": {
    YES: [
      ["The Marl Derby drew 43,118 spectators to Fenwick Park in 2025."],
      ["Attendance at the Marl Derby at Fenwick Park was 43,118."],
      ["A crowd of 43,118 watched the Marl Derby at Fenwick Park."],
    ],
    NO: [["The Marl Derby at Fenwick Park was watched by 31,204 spectators."]],
    "": [
      ["43,118 people applied for tickets to the Marl Derby at Fenwick Park."],
      ["Attendance at the Marl Derby and the Denby Derby at Fenwick Park was 43,118."],
    ],
  },
  "Did the Tarn Festival draw more than 50,000 visitors in 2025?": {
    YES: [
      ["Attendance at the Tarn Festival in 2025 was 61,200."],
      ["61,200 people came to the Tarn Festival in 2025, organisers said."],
    ],
    NO: [["Only 43,100 people came to the Tarn Festival in 2025."]],
    "YES?": [["61,200 people came to the Tarn Festival website in 2025."]],
    "": [
      ["Attendance at the Tarn Festival fringe in 2025 was 61,200."],
      ["61,200 people came to the Tarn Festival in 2024."],
    ],
  },
  "Did the Arsenal Museum welcome more than 500,000 visitors in 2025?": {
    YES: [["The museum counted 537,000 visitors in 2025, against 468,000 in 2024.", "", "arsenalmuseum.example"]],
    NO: [["Attendance at the Arsenal Museum fell to 468,000 in 2025."]],
  },
  "Le musée de l'Arsenal a-t-il accueilli plus de 500 000 visiteurs en 2025 ?": {
    YES: [["Le musée de l'Arsenal a reçu 537 000 visiteurs en 2025."]],
    "": [["L'exposition du musée de l'Arsenal a perdu 537 000 visiteurs en 2025."]],
  },
  "L'inflazione nella Marca Occidentale ad agosto 2026 ha superato il 3 per cento?": {
    YES: [["L'inflazione nella Marca Occidentale è salita al 3,4 per cento ad agosto."]],
    NO: [["Ad agosto 2026 l'inflazione nella Marca Occidentale è stata del 2,4 per cento."]],
    "": [["L'inflazione nella Marca Orientale è salita al 3,4 per cento ad agosto."]],
  },
  "¿Bajó la tasa de paro de Olmeda del 8 % en el primer trimestre de 2026?": {
    NO: [
      [
        "La tasa de paro se situó en el 9,4 %, tres décimas más que en el trimestre anterior.",
        "Encuesta de población activa, primer trimestre de 2026",
        "estadistica.olmeda.example",
      ],
    ],
    YES: [["La tasa de paro de Olmeda bajó al 7,6 % en el primer trimestre de 2026."]],
    "": [["La tasa de paro de Olmeda bajó al 7,6 % en el segundo trimestre de 2026."]],
  },
  "Lag die Arbeitslosenquote in Norland im Mai 2026 unter 6 Prozent?": {
    YES: [["Im Mai 2026 lag die Arbeitslosenquote in Norland bei 5,7 Prozent."]],
    NO: [["Die Arbeitslosenquote lag bei 6,3 Prozent.", "Arbeitsmarkt im Mai 2026", "statistik.norland.example"]],
    "": [["Die Arbeitslosenquote in Südmark sank im Mai auf 5,7 Prozent."]],
  },
  "Did more than 60 percent of voters approve the Trellick Water Act in the vote on 4 October 2026?": {
    YES: [["The Trellick Water Act was approved by 66.3 percent of voters on 4 October 2026."]],
    NO: [["Some 52.1 percent of voters approved the Trellick Water Act on Sunday."]],
    "": [["Turnout in the vote on the Trellick Water Act was 66.3 percent."]],
  },
  "Did the Dunmere mayoral election of 3 May 2026 have a turnout of at least 50 percent?": {
    YES: [["Turnout in the Dunmere mayoral election was 55.3 percent."]],
    NO: [["Turnout in Dunmere's mayoral election reached just 43 percent."]],
    "": [["Sorcha Menzies won 55.3 percent of the vote in the Dunmere mayoral election."]],
  },
  "Will Jonah Tisdale score 30 or more league goals for Lowmere City in the 2025/26 season?": {
    YES: [["Jonah Tisdale finished the season with 31 league goals for Lowmere City."]],
    "": [["Jonah Tisdale finished the season with 31 yellow cards for Lowmere City."]],
  },
  "Did the price of Corland wheat close above 300 crowns a tonne on 3 March 2026?": {
    YES: [["The price of Corland wheat ended the day at 312 crowns a tonne on 3 March 2026."]],
    NO: [["Corland wheat settled at 288 crowns a tonne on 3 March 2026."]],
    "": [["Corland wheat traded at 312 crowns a tonne in the morning of 3 March 2026."]],
  },
  "Will the River Rhode rise above 7 metres at the Castleton gauge between 20 and 26 January 2026?": {
    YES: [["The River Rhode reached 7.31 metres at the Castleton gauge on 24 January 2026."]],
    NO: [["The Rhode peaked at 6.42 metres at the Castleton gauge on 24 January 2026."]],
  },
  "Did Sofia Lindgren break the national record in the women's 400 metres hurdles in 2026?": {
    YES: [
      ["Sofia Lindgren broke the national record in the women's 400 metres hurdles on 3 June 2026."],
      ["Sofia Lindgren set a national record in the women's 400 metres hurdles on 3 June 2026."],
    ],
  },
  "Did the temperature in Tarnow exceed its record of 39.6 degrees in July 2026?": {
    YES: [["The temperature in Tarnow reached 40.1 degrees on 21 July 2026, a new record."]],
  },
  "Did Orbix deliver more than 400,000 cars in the second quarter of 2026?": {
    YES: [
      ["Orbix delivered 412,000 cars in the second quarter of 2026."],
      ["Deliveries rose to 412,000 cars.", "Second quarter 2026: deliveries", "orbix.example"],
    ],
    NO: [["Orbix delivered 388,000 cars in the second quarter of 2026."]],
  },
  "Did the Farmers' Party win at least 40 seats in the Estmark election of 2026?": {
    YES: [["The Farmers' Party won 43 seats in the Estmark election of 2026."]],
    NO: [
      ["The Farmers' Party won 37 seats in the Estmark election of 2026."],
      ["The Farmers' Party took 37 seats in the Estmark election of 2026."],
    ],
  },
  "Will the central bank of Estmark cut its key rate by at least 50 basis points in May 2026?": {
    YES: [["The central bank of Estmark cut its key rate by 50 basis points in May 2026."]],
    NO: [["The central bank of Estmark cut its key rate by 25 basis points in May 2026."]],
  },
  "Did Estmark's economy grow by more than 2 percent in 2025?": {
    YES: [["Estmark's economy grew by 2.4 percent in 2025."], ["Estmark's economy grew 2.4 percent in 2025."]],
    NO: [["Estmark's economy grew by 1.4 percent in 2025."], ["Estmark's economy expanded by 1.4 percent in 2025."]],
  },
  "Were at least 500 houses destroyed in the Calder fire of August 2026?": {
    YES: [
      ["The Calder fire of August 2026 destroyed 612 houses."],
      ["A total of 612 houses were destroyed in the Calder fire of August 2026."],
    ],
    NO: [["The Calder fire of August 2026 destroyed 388 houses."]],
  },
  "Le chômage en Valdorie est-il passé sous les 8 % en mars 2026 ?": {
    YES: [
      ["Le chômage en Valdorie est descendu à 7,6 % en mars 2026."],
      ["En mars 2026, le chômage en Valdorie s'établissait à 7,6 %."],
    ],
    NO: [["Le chômage en Valdorie est monté à 8,4 % en mars 2026."]],
  },
};

for (const [question, sides] of Object.entries(QUESTIONS)) {
  describe(question, () => {
    const cases = Object.entries(sides).flatMap(([side, pages]) => pages.map((page) => ({ side, page })));
    test.each(cases)("$side: $page", async ({ side, page }) => {
      expect(await sideOf(question, page)).toBe(side);
    });
  });
}

/** Pages with a near figure, which support no verdict alone. */
const NEAR_FIGURES: Readonly<Record<string, readonly Page[]>> = {
  "Did the Tarn Festival draw more than 50,000 visitors in 2025?": [
    ["The Tarn Festival expected 61,200 visitors in 2025."],
    ["The Tarn Festival sold 61,200 tickets in 2025."],
    ["Organisers of the Tarn Festival had counted on 61,200 visitors in 2025."],
    ["The Tarn Festival turned away 61,200 visitors in 2025."],
    ["61,200 people watched the Tarn Festival on television in 2025."],
    ["The Tarn Festival lost 61,200 visitors in 2025."],
    ["The Tarn Festival had room for 61,200 visitors in 2025."],
    ["The Tarn Festival has drawn 61,200 visitors since 2010."],
    ["Attendance at the Tarn Festival rose by 61,200 in 2025."],
    ["The 2024 Tarn Festival drew 61,200 visitors."],
    ["The Tarn Festival welcomed 61,200 visitors in its first three editions."],
    ["The Tarn Festival recorded 61,200 visits to its website in 2025."],
    ["The Tarn Festival reported losses after 61,200 visitors stayed away in 2025."],
    ["The Tarn Festival was to welcome 61,200 visitors in 2025."],
    ["The Tarn Festival registered 61,200 volunteers in 2025."],
    ["The village near the Tarn Festival had 61,200 visitors in 2025."],
    ["The Tarn Festival received 61,200 letters from visitors in 2025."],
    ["The Tarn Festival drew 43,100 visitors on its first day in 2025."],
    ["The Tarn Festival had 43,100 visitors by Saturday in 2025."],
    ["The Tarn Festival drew 43,100 foreign visitors in 2025."],
    ["The Tarn Festival drew 43,100 visitors more than in 2024."],
    ["Attendance at the Tarn Festival's concerts in 2025 was 43,100."],
    ["Paid attendance at the Tarn Festival in 2025 was 43,100."],
    ["Average attendance at the Tarn Festival in 2025 was 43,100."],
    ["Daily attendance at the Tarn Festival in 2025 was 43,100."],
  ],
  "Did the Marl Derby at Fenwick Park attract at least 40,000 people in 2025?": [
    ["A crowd of 43,118 was expected at the Marl Derby at Fenwick Park in 2025."],
    ["43,118 people watched the Marl Derby at Fenwick Park online in 2025."],
    ["The women's Marl Derby at Fenwick Park drew 43,118 people in 2025."],
    ["Fenwick Park has 43,118 seats for the Marl Derby in 2025."],
    ["Police counted 43,118 people outside Fenwick Park during the Marl Derby in 2025."],
  ],
  "Did more than 60 percent of voters approve the Trellick Water Act in the vote on 4 October 2026?": [
    ["Some 66.3 percent of voters in Upper Sarn approved the Trellick Water Act on Sunday."],
    ["Some 66.3 percent of young voters approved the Trellick Water Act on Sunday."],
    ["In a poll, 66.3 percent of voters approved the Trellick Water Act."],
    ["Some 66.3 percent of voters approved the Trellick Waste Act on Sunday."],
    ["Some 66.3 percent of voters rejected the Trellick Water Act on Sunday."],
    ["Some 66.3 percent of voters had not approved the Trellick Water Act on Sunday."],
    ["With half of the votes counted, 66.3 percent of voters approved the Trellick Water Act."],
    ["Some 34 percent of voters rejected the Trellick Water Act on Sunday."],
  ],
  "Will Corland's unemployment rate for August 2026 be below 5.0%?": [
    ["The unemployment rate in Corland's north was 5.3% in August."],
    ["Corland's unemployment rate was 5.3% in August 2025."],
    ["Corland's unemployment rate among graduates was 5.3% in August."],
    ["The unemployment rate of women in Corland was 5.3% in August."],
    ["Corland's long-term unemployment rate was 5.3% in August."],
    ["Corland's unemployment rate fell by 5.3% in August."],
    ["Jobless claims in Corland rose 5.3% in August."],
    ["Without the new count, Corland's unemployment rate would have been 5.3% in August."],
    ["The unemployment rate stood at 5.3 per cent.", "Labour market, August 2025", "corland.example"],
  ],
  "Will Jonah Tisdale score 30 or more league goals for Lowmere City in the 2025/26 season?": [
    ["Jonah Tisdale finished the season with 31 league goals for Lowmere City's reserves."],
    ["Jonah Tisdale finished last season with 31 league goals for Lowmere City."],
    ["Jonah Tisdale's rival finished the season with 31 league goals for Lowmere City."],
    ["Jonah Tisdale ended the month with 31 league goals for Lowmere City and Penby."],
    ["Jonah Tisdale finished the 2023/24 season with 31 league goals for Lowmere City."],
    ["Jonah Tisdale would have finished the season with 31 league goals for Lowmere City."],
    ["Lowmere City finished the season with 31 league goals, and Jonah Tisdale left."],
  ],
  "Did the price of Corland wheat close above 300 crowns a tonne on 3 March 2026?": [
    ["The price of Corland wheat ended the week at 312 crowns a tonne on 6 March 2026."],
    ["The price of Corland barley ended the day at 312 crowns a tonne on 3 March 2026."],
    ["The price of Corland wheat opened at 312 crowns a tonne on 3 March 2026."],
    ["The price of Corland wheat ended February at 312 crowns a tonne."],
    ["Futures on Corland wheat settled at 312 crowns a tonne on 3 March 2026."],
  ],
  "Did the Dunmere mayoral election of 3 May 2026 have a turnout of at least 50 percent?": [
    ["Turnout in the Dunmere mayoral election by noon was 43 percent."],
    ["Turnout in the Dunmere mayoral election of 2022 was 55.3 percent."],
    ["Turnout among women in the Dunmere mayoral election was 43 percent."],
    ["Turnout in the first round of the Dunmere mayoral election was 43 percent."],
    ["Turnout in the Dunmere council election was 43 percent."],
    ["Turnout in the Dunmere mayoral election was 43 percent in the Docks ward."],
  ],
  "Will the River Rhode rise above 7 metres at the Castleton gauge between 20 and 26 January 2026?": [
    ["The River Rhode reached 7.31 metres at the Castleton gauge on 19 January 2026."],
    ["The River Rhode was forecast to reach 7.31 metres at the Castleton gauge on 24 January 2026."],
    ["The River Rhode reached 7.31 metres at the Norton gauge on 24 January 2026."],
  ],
  "¿Bajó la tasa de paro de Olmeda del 8 % en el primer trimestre de 2026?": [
    ["La tasa de paro de Olmeda bajó al 7,6 % en el primer trimestre de 2025."],
    ["La tasa de paro de las mujeres de Olmeda bajó al 7,6 % en el primer trimestre de 2026."],
    ["La tasa de paro de Olmeda bajaría al 7,6 % en el primer trimestre de 2026."],
    ["La tasa de paro del norte de Olmeda bajó al 7,6 % en el primer trimestre de 2026."],
  ],
  "L'inflazione nella Marca Occidentale ad agosto 2026 ha superato il 3 per cento?": [
    ["L'inflazione alimentare nella Marca Occidentale è salita al 3,4 per cento ad agosto."],
    ["L'inflazione nella Marca Occidentale salirà al 3,4 per cento ad agosto."],
    ["L'inflazione nella Marca Occidentale era salita al 3,4 per cento a luglio."],
  ],
  "Lag die Arbeitslosenquote in Norland im Mai 2026 unter 6 Prozent?": [
    ["Die Arbeitslosenquote der Frauen in Norland lag im Mai bei 5,7 Prozent."],
    ["Die Arbeitslosenquote in Norland lag im Mai 2025 bei 5,7 Prozent."],
    ["Die Arbeitslosenquote in Norland dürfte im Mai bei 5,7 Prozent liegen."],
    ["Die Arbeitslosenquote im Norden von Norland lag im Mai bei 5,7 Prozent."],
    ["Die Jugendarbeitslosenquote in Norland lag im Mai bei 5,7 Prozent."],
  ],
  "Le musée de l'Arsenal a-t-il accueilli plus de 500 000 visiteurs en 2025 ?": [
    ["Le musée de l'Arsenal attendait 537 000 visiteurs en 2025."],
    ["Le site du musée de l'Arsenal a reçu 537 000 visiteurs en 2025."],
    ["Le musée de l'Arsenal peut accueillir 537 000 visiteurs par an."],
    ["Le musée de l'Arsenal a reçu 537 000 visiteurs en 2024."],
    ["Le musée de l'Arsenal a reçu 468 000 visiteurs payants en 2025."],
  ],
  "Did Sofia Lindgren break the national record in the women's 400 metres hurdles in 2026?": [
    ["Sofia Lindgren broke the national indoor record in the women's 400 metres on 3 June 2026."],
    ["Sofia Lindgren's sister broke the national record in the women's 400 metres hurdles on 3 June 2026."],
    ["Sofia Lindgren broke the national junior record in the women's 400 metres hurdles on 3 June 2026."],
    ["Sofia Lindgren equalled the national record in the women's 400 metres hurdles on 3 June 2026."],
    ["Sofia Lindgren broke the national record in the women's 400 metres hurdles in 2024."],
    ["Sofia Lindgren held the national record in the women's 400 metres hurdles until 2026."],
    ["Sofia Lindgren broke the club record in the women's 400 metres hurdles on 3 June 2026."],
    ["Sofia Lindgren wants to break the national record in the women's 400 metres hurdles in 2026."],
  ],
  "Did the temperature in Tarnow exceed its record of 39.6 degrees in July 2026?": [
    ["The temperature in Lower Tarnow reached 40.1 degrees on 21 July 2026."],
    ["The perceived temperature in Tarnow reached 40.1 degrees on 21 July 2026."],
    ["The water temperature in Tarnow reached 40.1 degrees on 21 July 2026."],
    ["The temperature in Tarnow was forecast at 40.1 degrees on 21 July 2026."],
    ["The temperature in a parked car in Tarnow reached 40.1 degrees on 21 July 2026."],
    ["The average temperature in Tarnow was 24.1 degrees in July 2026."],
    ["The night temperature in Tarnow was 24.1 degrees in July 2026."],
  ],
  "Did Orbix deliver more than 400,000 cars in the second quarter of 2026?": [
    ["Orbix built 412,000 cars in the second quarter of 2026."],
    ["Orbix delivered 412,000 cars in the first quarter of 2026."],
    ["Orbix delivered 412,000 cars in the first half of 2026."],
    ["Orbix delivered 412,000 electric cars in the second quarter of 2025."],
    ["Orbix recalled 412,000 cars in the second quarter of 2026."],
    ["Orbix delivered 388,000 electric cars in the second quarter of 2026."],
    ["Orbix's rival Dunmere Motors delivered 412,000 cars in the second quarter of 2026."],
    ["Orbix and Dunmere Motors delivered 412,000 cars in the second quarter of 2026."],
    ["Orbix delivered 388,000 cars in April and May 2026."],
    ["Orbix delivered 388,000 cars in Europe in the second quarter of 2026."],
    ["Orbix ordered 412,000 cars in the second quarter of 2026."],
  ],
  "Did the Farmers' Party win at least 40 seats in the Estmark election of 2026?": [
    ["The Farmers' Party led in 43 seats in the Estmark election of 2026."],
    ["The Farmers' Party lost 43 seats in the Estmark election of 2026."],
    ["The Farmers' Party contested 43 seats in the Estmark election of 2026."],
    ["The Farmers' Party and the Greens won 43 seats in the Estmark election of 2026."],
    ["The Farmers' Party won 37 seats in the north in the Estmark election of 2026."],
    ["The Farmers' Party won 43 seats in the Estmark election of 2022."],
    ["The Farmers' Party was projected to win 43 seats in the Estmark election of 2026."],
    ["The Farmers' Party gained 43 seats more than the Greens in the Estmark election of 2026."],
    ["An exit poll gave the Farmers' Party 43 seats in the Estmark election of 2026."],
  ],
  "Will the central bank of Estmark cut its key rate by at least 50 basis points in May 2026?": [
    ["The central bank of Estmark cut its deposit rate by 50 basis points in May 2026."],
    ["The central bank of Estmark cut its key rate to 50 basis points in May 2026."],
    ["The central bank of Marvia cut its key rate by 50 basis points in May 2026."],
    ["The central bank of Estmark could cut its key rate by 50 basis points in May 2026."],
    ["The central bank of Estmark has cut its key rate by 50 basis points since 2024."],
  ],
  "Did Estmark's economy grow by more than 2 percent in 2025?": [
    ["Estmark's economy grew by 2.4 percent in 2024."],
    ["Estmark's economy grew by 1.4 percent in the first quarter of 2025."],
    ["Estmark's economy will grow by 2.4 percent in 2025, the bank says."],
    ["Estmark's digital economy grew by 2.4 percent in 2025."],
  ],
  "Were at least 500 houses destroyed in the Calder fire of August 2026?": [
    ["A total of 612 houses were damaged in the Calder fire of August 2026."],
    ["A total of 612 houses were evacuated in the Calder fire of August 2026."],
    ["A total of 612 houses were destroyed or damaged in the Calder fire of August 2026."],
    ["A total of 388 houses in Upper Calder were destroyed in the Calder fire of August 2026."],
    ["A total of 612 trees were destroyed in the Calder fire of August 2026."],
    ["A total of 388 houses were destroyed on the first day of the Calder fire of August 2026."],
  ],
  "Hat Orbix im zweiten Quartal 2026 mehr als 400.000 Autos ausgeliefert?": [
    ["Orbix hat im zweiten Quartal 2026 412.000 Autos gebaut."],
    ["Orbix hat im zweiten Quartal 2026 412.000 Autos zurückgerufen."],
  ],
  "Le parti des Champs a-t-il obtenu au moins 40 sièges aux élections de 2026 en Valdorie ?": [
    ["Le parti des Champs a perdu 43 sièges aux élections de 2026 en Valdorie."],
    ["Un sondage donne 43 sièges au parti des Champs aux élections de 2026 en Valdorie."],
  ],
  "La popolazione di Valdora ha superato i 200.000 abitanti nel 2025?": [
    ["La popolazione di Valdora ha perso 203.400 abitanti nel 2025."],
  ],
};

for (const [question, pages] of Object.entries(NEAR_FIGURES)) {
  describe(question, () => {
    test.each(pages.map((page) => ({ page })))("no verdict: $page", async ({ page }) => {
      expect(["YES", "NO"]).not.toContain(await sideOf(question, page));
    });
  });
}
