import { expect, test } from "bun:test";
import { describePages } from "../testing/describe-sides.ts";
import { sideOfPage } from "../testing/verdict-of.ts";

const NOW = Date.UTC(2026, 11, 1);

/** Results, figures, offices and rulings on the sites of leagues, authorities and courts, and reports of them. */
describePages([
  [
    "Will the ONS report UK inflation above 3.5% for September 2026?",
    "2026-10-21",
    [
      [
        "YES",
        "The Consumer Prices Index (CPI) rose by 3.8% in the 12 months to September 2026, unchanged from August.",
        "www.ons.gov.uk",
        "Consumer price inflation, UK: September 2026",
      ],
      [
        "NO",
        "The Consumer Prices Index (CPI) rose by 3.2% in the 12 months to September 2026, down from 3.8% in the 12 months to August.",
        "www.ons.gov.uk",
        "Consumer price inflation, UK: September 2026",
      ],
      ["YES", "UK inflation held at 3.8% in September, the Office for National Statistics said."],
      [
        "",
        "CPIH rose by 4.1% in the 12 months to September 2026.",
        "www.ons.gov.uk",
        "Consumer price inflation, UK: September 2026",
      ],
      [
        "",
        "The Retail Prices Index rose by 4.5% in the 12 months to September 2026.",
        "www.ons.gov.uk",
        "Consumer price inflation, UK: September 2026",
      ],
    ],
  ],
  [
    "Will US retail sales rise in September 2026?",
    "2026-10-16",
    [["NO", "US retail sales fell 0.3 percent in September, the Commerce Department said."]],
  ],
  [
    "Will Marta Ilves be sworn in as president of Corland by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Marta Ilves took the oath of office as president of Corland on Monday."],
      ["YES", "Marta Ilves was inaugurated as president of Corland on Monday."],
      ["", "Marta Ilves will be sworn in as president of Corland in January."],
    ],
  ],
  [
    "Will the Supreme Court of Marvia overturn the conviction of Silas Crewe by 31 October 2026?",
    "2026-10-20",
    [
      [
        "YES",
        "The judgment of the Court of Appeal is reversed and the conviction of Silas Crewe is quashed.",
        "supremecourt.marvia.example",
        "Crewe v. State",
      ],
      ["YES", "The Supreme Court of Marvia threw out the conviction of Silas Crewe on Tuesday."],
      [
        "NO",
        "The appeal is dismissed. The conviction of Silas Crewe stands.",
        "supremecourt.marvia.example",
        "Crewe v. State",
      ],
      ["NO", "The Supreme Court of Marvia refused to overturn the conviction of Silas Crewe on Tuesday."],
      ["", "The Supreme Court of Marvia agreed to hear the appeal of Silas Crewe against the conviction."],
    ],
  ],
  [
    "Will Denby United win the 2026 Copper Cup?",
    "2026-10-20",
    [
      ["YES", "Denby United are the 2026 Copper Cup winners.", "coppercup.example", "Final"],
      ["YES", "FULL TIME: Denby United 2-1 Westmere. Denby United lift the Copper Cup.", "coppercup.example", "Final"],
      ["YES", "Denby United beat Westmere 2-1 in Sunday's Copper Cup final."],
      ["NO", "Denby United lost 2-1 to Westmere in Sunday's Copper Cup final."],
      ["NO?", "Westmere won the Copper Cup on Sunday, beating Denby United 4-2 on penalties."],
      ["", "Denby United reached the Copper Cup final on Sunday."],
    ],
  ],
  [
    "Will Denby United beat Westmere on 18 October 2026?",
    "2026-10-19",
    [
      ["YES", "Denby United ran out 3-1 winners against Westmere on Sunday."],
      ["YES", "Westmere went down 3-1 at Denby United on Sunday."],
      ["NO", "Denby United and Westmere drew 1-1 on Sunday."],
      ["NO", "Denby United were held to a 1-1 draw by Westmere on Sunday."],
      ["", "Denby United beat Westmere 3-1 in March."],
    ],
  ],
  [
    "Will Kestrel Air file for bankruptcy by 31 October 2026?",
    "2026-10-20",
    [
      [
        "YES?",
        "Kestrel Air today filed voluntary petitions under Chapter 11 of the Bankruptcy Code.",
        "kestrelair.example",
        "Kestrel Air to restructure",
      ],
      ["", "Kestrel Air denied on Monday that it would file for bankruptcy."],
    ],
  ],
  [
    "Will Orbis announce a stock split by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Orbis announced a 4-for-1 stock split on Monday."],
      ["", "Analysts expect Orbis to announce a stock split."],
    ],
  ],
  [
    "Will Tom Varga be fired as CEO of Orbis by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "The board of Orbis dismissed Tom Varga as chief executive on Monday."],
      ["YES", "Orbis has ousted CEO Tom Varga."],
      ["", "Tom Varga resigned as chief executive of Orbis on Monday."],
    ],
  ],
  [
    "Will the SEC approve the Orbis bitcoin ETF by October 31, 2026?",
    "2026-10-20",
    [
      ["YES", "The Securities and Exchange Commission approved the Orbis bitcoin ETF on Tuesday."],
      ["NO", "The SEC denied the Orbis bitcoin ETF on Tuesday."],
      ["", "The SEC delayed its decision on the Orbis bitcoin ETF to December."],
    ],
  ],
  [
    "Will NASA launch Lyra by October 31, 2026?",
    "2026-10-20",
    [["YES?", "NASA's Lyra rolled out to the launch pad on Monday."]],
  ],
  [
    'Will "Low Tide" score above 80% on Rotten Tomatoes by October 31, 2026?',
    "2026-10-20",
    [
      ["YES", '"Low Tide" has a 91% rating on Rotten Tomatoes.'],
      ["", '"High Tide" has a 91% rating on Rotten Tomatoes.'],
    ],
  ],
  [
    "Will the temperature in Denby exceed 40°C in August 2026?",
    "2026-09-01",
    [
      ["YES?", "Denby recorded 41.2°C on 12 August, the meteorological office said."],
      ["YES?", "The mercury hit 40.6°C in Denby on 12 August."],
      ["NO", "The highest temperature in Denby in August was 38.4°C."],
      ["", "Temperatures in Tarn exceeded 41°C in August."],
    ],
  ],
  [
    "Will a ceasefire between Corland and Norland take effect by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "A ceasefire between Corland and Norland came into force at midnight on Sunday."],
      ["YES", "The ceasefire between Corland and Norland took effect on Sunday."],
      ["", "A ceasefire between Corland and Norland is to take effect in November."],
    ],
  ],
  [
    "Will Halvorsen Marine complete its acquisition of Brightwater Logistics by October 31, 2026?",
    "2026-10-15",
    [
      [
        "YES",
        "Halvorsen Marine ASA (ticker: HALV) today announced that it has closed the purchase of Brightwater Logistics for a total consideration of USD 2.9 billion.",
        "halvorsenmarine.example",
        "Halvorsen Marine welcomes new colleagues",
      ],
      ["YES", "Halvorsen Marine has completed its $2.9 billion acquisition of Brightwater Logistics."],
      ["YES", "Halvorsen Marine completed the acquisition of Brightwater Logistics for $2.9 billion in cash."],
      ["", "Halvorsen Marine agreed to buy Brightwater Logistics for $2.9 billion."],
      ["", "Halvorsen Marine completed the acquisition of a stake in Brightwater Logistics for $290 million."],
    ],
  ],
  [
    "Will Orbis acquire Pictalk by 31 October 2026?",
    "2026-10-15",
    [
      ["YES", "Orbis acquired Pictalk in a deal worth $400 million."],
      ["YES", "Orbis bought Pictalk for about €400 million."],
      ["", "Orbis acquired Pictalk's mapping unit for $40 million."],
      ["", "Orbis offered to buy Pictalk for $400 million."],
    ],
  ],
  [
    "Will Hurricane Odalys reach Category 4 or stronger by September 30, 2026?",
    "2026-09-18",
    [
      [
        "YES",
        "Odalys is a category 4 hurricane on the Saffir-Simpson scale.",
        "tcc.example",
        "Hurricane Odalys Advisory Number 27",
      ],
      [
        "YES",
        "Odalys strengthened to a category 4 hurricane with maximum sustained winds near 145 mph.",
        "tcc.example",
        "Hurricane Odalys Advisory Number 27",
      ],
      [
        "",
        "Odalys is a category 3 hurricane on the Saffir-Simpson scale.",
        "tcc.example",
        "Hurricane Odalys Advisory Number 27",
      ],
      [
        "",
        "Odalys is forecast to be a category 4 hurricane on Friday.",
        "tcc.example",
        "Hurricane Odalys Advisory Number 27",
      ],
    ],
  ],
  [
    "Will Zadie Marlowe and Tomasz Grell get married by September 15, 2026?",
    "2026-09-02",
    [
      ["YES", "Zadie Marlowe and Tomasz Grell tied the knot on Saturday."],
      ["YES?", "Zadie Marlowe and Tomasz Grell exchanged vows in a boathouse on Saturday."],
      ["YES", "The registrar pronounced actors Zadie Marlowe and Tomasz Grell husband and wife on 29 August."],
      ["YES", "Zadie Marlowe married Tomasz Grell on Saturday."],
      ["", "Zadie Marlowe and Tomasz Grell are engaged."],
      ["", "Zadie Marlowe and Elias Grell tied the knot on Saturday."],
      ["", "Zadie Marlowe and Tomasz Grell will tie the knot in October."],
      ["YES?", 'Zadie Marlowe and Tomasz Grell exchanged vows in the last scene of "Undertow".'],
    ],
  ],
  [
    "Will former President Horacio Beltramar of Costa Aurea die before January 1, 2027?",
    "2026-11-20",
    [
      ["YES", "Horacio Beltramar passed away on Tuesday aged 91."],
      ["", "The wife of Horacio Beltramar passed away on Tuesday."],
      ["", "Horacio Beltramar's brother passed away on Tuesday."],
    ],
  ],
]);

test.each([
  ["Did the Senate vote against the Rivers Act?", "The Senate voted for the Rivers Act on Monday.", "NO"],
  ["Did the Senate vote against the Rivers Act?", "The Senate voted against the Rivers Act on Monday.", "YES"],
  ["Did Sami Oduya break the marathon record?", "The marathon record of 2:02 by Sami Oduya was broken.", ""],
  ["Did Sami Oduya break the marathon record?", "The marathon record was broken by Sami Oduya.", "YES"],
])("%s %s %j", async (question, sentence, side) => {
  const published = Date.UTC(2026, 9, 20);
  expect(await sideOfPage(question, { sentence, title: "", host: "news.example", published }, NOW)).toBe(side);
});
