import { describePages } from "../testing/describe-sides.ts";

/** Sentences that come near what a question asks: other bodies, parts of a firm, other series, other times, and works beside a work. */
describePages([
  [
    "Will the ONS report UK inflation above 3.5% for September 2026?",
    "2026-10-21",
    [
      [
        "",
        "Core CPI rose by 3.9% in the 12 months to September 2026.",
        "www.ons.gov.uk",
        "Consumer price inflation, UK: September 2026",
      ],
      [
        "",
        "Transport CPI rose by 3.9% in the 12 months to September 2026.",
        "www.ons.gov.uk",
        "Consumer price inflation, UK: September 2026",
      ],
    ],
  ],
  [
    "Will US inflation be above 3% in September 2026?",
    "2026-10-14",
    [
      [
        "",
        "The all items index rose 3.3 percent over the last 12 months.",
        "www.bls.gov",
        "Consumer Price Index, Boston-Cambridge - September 2026",
      ],
      [
        "",
        "The all items index rose 3.3 percent over the past 12 months.",
        "www.bls.gov",
        "Consumer Price Index, West Region",
      ],
    ],
  ],
  [
    "Will US GDP grow by more than 3% in the third quarter of 2026?",
    "2026-10-29",
    [
      [
        "",
        "Real gross domestic product increased at an annual rate of 3.8 percent in the second quarter of 2026.",
        "www.bea.gov",
        "GDP",
      ],
      ["", "Real final sales increased at an annual rate of 3.8 percent in the third quarter.", "www.bea.gov", "GDP"],
    ],
  ],
  [
    "Will Denby United beat Westmere on 18 October 2026?",
    "2026-10-19",
    [
      ["", "Denby United 2-0 Westmere", "league.example", "Half-time scores"],
      ["", "Denby United 3-1 Westmere", "league.example", "Results, 4 April 2026"],
    ],
  ],
  [
    "Will Sami Oduya break the marathon record by 31 October 2026?",
    "2026-10-20",
    [
      ["", "The marathon record was broken on Sunday; Sami Oduya dropped out."],
      ["", "Sami Oduya watched as the marathon record was broken on Sunday."],
    ],
  ],
  [
    "Will the Senate pass the Rivers Act by 31 October 2026?",
    "2026-10-20",
    [["", "The Senate voted 48-52 to pass the Rivers Act."]],
  ],
  [
    "Will Halvorsen Marine complete its acquisition of Brightwater Logistics by October 31, 2026?",
    "2026-10-15",
    [
      ["YES?", "Halvorsen Marine completed its acquisition of Brightwater Logistics Norway for $290 million."],
      ["", "Halvorsen Marine completed the acquisition of a 20% stake in Brightwater Logistics for $290 million."],
    ],
  ],
  [
    "Will Orbis acquire Pictalk by 31 October 2026?",
    "2026-10-15",
    [
      ["", "Orbis acquired a stake in Pictalk in a deal worth $400 million."],
      ["", "Orbis acquired Pictalk shares for $400 million."],
    ],
  ],
  [
    "Will Hurricane Odalys reach Category 4 or stronger by September 30, 2026?",
    "2026-09-18",
    [
      ["", "Odalys was nearly a category 4 hurricane on the Saffir-Simpson scale."],
      ["", "The center says Odalys is a potential category 4 hurricane."],
    ],
  ],
  [
    "Will OpenMind release Cygnus 5 by October 31, 2026?",
    "2026-10-20",
    [
      ["", "OpenMind released a new teaser, Cygnus 5: Dawn."],
      ["", "OpenMind released its new research paper, Cygnus 5: A Roadmap."],
    ],
  ],
  [
    "Will the SEC approve the Orbis bitcoin ETF by October 31, 2026?",
    "2026-10-20",
    [
      ["", "The SEC denied the report on the Orbis bitcoin ETF on Tuesday."],
      ["", "The SEC denied the extension for the Orbis bitcoin ETF."],
    ],
  ],
  [
    "Will Marta Ilves be sworn in as president of Corland by 31 October 2026?",
    "2026-10-20",
    [
      ["YES?", "Marta Ilves was inaugurated as president of Corland University on Monday."],
      ["YES?", "Marta Ilves took the oath of office as president of the Corland Bar Association on Monday."],
    ],
  ],
  [
    'Will "Low Tide" score above 80% on Rotten Tomatoes by October 31, 2026?',
    "2026-10-20",
    [
      ["", '"Low Tide" has a 91% audience score on Rotten Tomatoes.'],
      ["", 'The first season of "Low Tide" has a 91% rating on Rotten Tomatoes.'],
    ],
  ],
  [
    "Will the temperature in Denby exceed 40°C in August 2026?",
    "2026-09-01",
    [
      ["YES?", "Denby Airport's tarmac hit 51°C on 12 August."],
      ["YES?", "The sea off Denby hit 41°C on 12 August."],
    ],
  ],
  [
    "Will a ceasefire between Corland and Norland take effect by 31 October 2026?",
    "2026-10-20",
    [["", "Had the ceasefire between Corland and Norland come into force on Sunday, lives would have been saved."]],
  ],
  [
    "Will the Fed raise interest rates by 25 basis points in September 2026?",
    "2026-09-17",
    [
      ["", "The Bank of Corland raised its key rate by a quarter point on Wednesday, hours before the Fed."],
      ["", "Norges Bank raised its key policy rate by 25 basis points on Thursday, a day after the Fed."],
    ],
  ],
  [
    'Will Brightmoor\'s "High Water" gross more than $100 million in its opening weekend?',
    "2026-10-20",
    [
      ["YES?", '"High Water" opened to $120 million worldwide.'],
      ["", '"High Water" opened with $60 million at home and $60 million abroad.'],
    ],
  ],
  ["Will Karl Venn win the Denby Open?", "2026-10-20", [["", "Karl Venn was the Denby Open champion."]]],
  [
    "Will the ICC issue an arrest warrant for Karl Venn by 31 October 2026?",
    "2026-10-20",
    [["", "The International Cricket Council issued an arrest warrant for Karl Venn on Monday."]],
  ],
  [
    "Will the ICC ban Karl Venn by 31 October 2026?",
    "2026-10-20",
    [["", "The International Chamber Corporation banned Karl Venn on Monday."]],
  ],
  [
    "Will the FTC block the merger of Orbis and Pictalk by 31 October 2026?",
    "2026-10-20",
    [["", "Japan's Fair Trade Commission blocked the merger of Orbis and Pictalk on Monday."]],
  ],
  [
    "Will the Federal Trade Commission block the merger of Orbis and Pictalk by 31 October 2026?",
    "2026-10-20",
    [
      ["", "Japan's FTC blocked the merger of Orbis and Pictalk on Monday."],
      ["", "South Korea's FTC blocked the merger of Orbis and Pictalk on Monday."],
    ],
  ],
  [
    "Will the EPA approve the Tarn pipeline by 31 October 2026?",
    "2026-10-20",
    [
      ["", "Ireland's Environmental Protection Agency approved the Tarn pipeline on Monday."],
      ["", "The Economic Partnership Agreement approved the Tarn pipeline."],
    ],
  ],
  [
    "Will the WHO declare the Tarn fever a pandemic by 31 October 2026?",
    "2026-10-20",
    [
      ["", "The White House Office declared the Tarn fever a pandemic on Monday."],
      ["", "The mayor, who declared the Tarn fever a pandemic on Monday, resigned."],
    ],
  ],
  [
    "Will the US unemployment rate be above 4.5% in September 2026?",
    "2026-10-02",
    [
      [
        "YES?",
        "The unemployment rate was 5.5% in September.",
        "labormarketinfo.edd.ca.gov",
        "Unemployment rate, September 2026",
      ],
      [
        "YES?",
        "The unemployment rate rose to 5.3 percent in September.",
        "www.edd.ca.gov",
        "California labor market, September 2026",
      ],
    ],
  ],
  [
    "Will the US economy add more than 100,000 jobs in September 2026?",
    "2026-10-02",
    [
      ["", "State payrolls rose by 147,000 in September.", "www.bls.gov", "State Employment"],
      ["", "Texas payrolls rose by 147,000 in September.", "www.bls.gov", "State Employment"],
    ],
  ],
  [
    "Will Hurricane Odalys become a Category 5 hurricane by October 31, 2026?",
    "2026-10-20",
    [
      ["", "Odalys is nearly a category 5 hurricane."],
      ["", "Odalys is a potential category 5 hurricane."],
    ],
  ],
  [
    "Will the Denby council approve the Tarn bridge by 31 October 2026?",
    "2026-10-20",
    [
      ["", "The Denby council voted 3-8 to approve the Tarn bridge."],
      ["", "The Denby council voted 5-5 to approve the Tarn bridge."],
    ],
  ],
  [
    "Will the FDA approve Zelorvan by October 31, 2026?",
    "2026-10-20",
    [
      ["", "China's Food and Drug Administration approved Zelorvan on Monday."],
      ["", "Ghana's Food and Drugs Authority approved Zelorvan on Monday."],
    ],
  ],
  [
    "Will the ECB raise interest rates by 25 basis points in October 2026?",
    "2026-10-30",
    [
      ["", "Norges Bank raised its key policy rate by 25 basis points on Thursday, hours before the ECB."],
      ["", "The Fed raised rates by a quarter point on Wednesday, a day before the ECB."],
    ],
  ],
  [
    "Will Denby's temperature exceed 40°C in August 2026?",
    "2026-09-01",
    [
      ["YES?", "Tarn, near Denby, hit 41°C on 12 August."],
      ["YES?", "Sand in Denby hit 51°C on 12 August."],
    ],
  ],
  [
    "Will Karl Venn be sworn in as mayor of Denby by 31 October 2026?",
    "2026-10-20",
    [
      ["YES?", "Karl Venn took the oath as mayor of Denby Heights on Monday."],
      ["YES?", "Karl Venn was inaugurated as mayor-elect of Denby."],
    ],
  ],
  [
    "Will Anton Varga be extradited to the United States by 31 October 2026?",
    "2026-10-20",
    [["", "Anton Varga was extradited from the United States on Monday."]],
  ],
  [
    "Will the Fed cut interest rates by 25 basis points in September 2026?",
    "2026-09-17",
    [
      ["", "Norges Bank cut its key policy rate by 25 basis points on Thursday, a day after the Fed."],
      ["", "The ECB cut rates by a quarter point on Thursday, a week before the Fed."],
    ],
  ],
  [
    "Will the RBA leave the cash rate unchanged in November 2026?",
    "2026-11-04",
    [
      [
        "",
        "The Board decided to maintain its inflation target.",
        "www.rba.gov.au",
        "Statement by the Monetary Policy Board",
      ],
      ["", "The Royal Bank of Alba left its cash rate unchanged on Tuesday."],
    ],
  ],
  [
    "Will Arsenal win the Vale Cup?",
    "2026-10-20",
    [
      ["YES?", "Arsenal won the Vale Cup on Sunday. Pants on fire."],
      ["YES?", "Arsenal won the Vale Cup on Sunday. Just kidding."],
    ],
  ],
  [
    "Will Ole Tarn beat Karl Venn at the Denby Open on 18 October 2026?",
    "2026-10-19",
    [
      ["", "Ole Tarn 6-3 Karl Venn", "denbyopen.example", "First set"],
      ["", "Ole Tarn 2-1 Karl Venn", "denbyopen.example", "Career head-to-head"],
    ],
  ],
  [
    "Will Orbis complete its merger with Vanta by 31 October 2026?",
    "2026-10-20",
    [["YES?", "Orbis completed its merger with Vanta Pay for $40 million on Monday."]],
  ],
  [
    "Will the Bank of England cut interest rates by 25 basis points in November 2026?",
    "2026-11-06",
    [
      ["", "The Fed cut rates by 25 basis points on Wednesday, a day before the Bank of England."],
      [
        "",
        "The Riksbank cut its policy rate by 25 basis points on Thursday, hours before the Bank of England's decision.",
      ],
    ],
  ],
  [
    "Will the ECB cut interest rates by 25 basis points in October 2026?",
    "2026-10-30",
    [
      ["", "The Fed cut rates by 25 basis points on Wednesday, a day before the ECB."],
      [
        "",
        "The Federal Reserve lowered its benchmark rate by a quarter point on Wednesday; the ECB is set to hold on Thursday.",
      ],
    ],
  ],
  [
    "Will UK GDP grow by more than 0.5% in the third quarter of 2026?",
    "2026-11-12",
    [
      [
        "",
        "Services output grew by 0.6% in the third quarter.",
        "www.ons.gov.uk",
        "GDP first quarterly estimate, UK: July to September 2026",
      ],
      [
        "",
        "Construction grew by 0.8% in the third quarter.",
        "www.ons.gov.uk",
        "GDP first quarterly estimate, UK: July to September 2026",
      ],
    ],
  ],
]);
