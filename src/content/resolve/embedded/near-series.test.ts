import { describePages } from "../testing/describe-sides.ts";

/** Stages, offices, kinds of shares and of seats, times, and what central banks and election commissions state. */
describePages([
  [
    "Will the Riverside Hawks win the 2026 Continental Series?",
    "2026-10-29",
    [
      ["YES", "The Riverside Hawks won the 2026 Continental Series title on Wednesday night."],
      ["", "The Riverside Hawks won the 2026 Continental Series trophy replica in an auction."],
    ],
  ],
  [
    "Will Pella Vint win the by-election in Denby North on 15 October 2026?",
    "2026-10-16",
    [
      ["YES", "Pella Vint won the by-election in Denby North on Thursday."],
      ["NO", "Jon Marsh won the by-election in Denby North on Thursday."],
      ["", "Pella Vint won selection for the by-election in Denby North on Thursday."],
      ["", "Pella Vint won the postal vote in the by-election in Denby North on Thursday."],
    ],
  ],
  [
    "Will the Labour Union win more than 300 seats in the 2026 Corland election?",
    "2026-10-12",
    [
      ["YES", "The Labour Union won 312 seats in the 2026 Corland election."],
      ["YES?", "The Labour Union won 312 council seats in the 2026 Corland election."],
    ],
  ],
  [
    "Will the Green Party win the most seats in the 2026 Corland parliamentary election?",
    "2026-10-06",
    [["NO", "The Liberal Party won the most seats in the 2026 Corland parliamentary election on Sunday."]],
  ],
  [
    "Will Orbis report adjusted earnings above $2.00 per share for the third quarter of 2026?",
    "2026-10-29",
    [
      ["YES", "Orbis reported adjusted earnings of $2.14 per share for the third quarter of 2026."],
      ["YES?", "Orbis reported earnings of $2.14 per share for the third quarter of 2026."],
    ],
  ],
  [
    "Will Orbis deliver more than 400,000 vehicles in the third quarter of 2026?",
    "2026-10-03",
    [
      ["YES", "Orbis delivered 412,000 vehicles in the third quarter of 2026."],
      ["", "Orbis delivered 412,000 vehicles in the year to September 2026."],
      ["YES?", "Orbis delivered 412,000 used vehicles in the third quarter of 2026."],
    ],
  ],
  [
    "Will Orbis shares close above $150 on 30 October 2026?",
    "2026-10-31",
    [
      ["YES", "Orbis shares closed at $152.30 on 30 October 2026."],
      ["YES?", "Orbis preferred shares closed at $152.30 on 30 October 2026."],
    ],
  ],
  [
    "Will Marta Ilves be elected president of Corland by 31 October 2026?",
    "2026-10-12",
    [
      ["YES", "Marta Ilves wurde am Sonntag zur Präsidentin von Corland gewählt."],
      ["YES", "Marta Ilves fue elegida presidenta de Corland el domingo."],
      ["", "Marta Ilves wurde am Sonntag zur Bürgermeisterin von Corland gewählt."],
      ["", "Marta Ilves wurde am Sonntag zur Präsidentin des Parlaments von Corland gewählt."],
    ],
  ],
  [
    "Hat Orbis den Kauf von Pictalk bis zum 31. Oktober 2026 abgeschlossen?",
    "2026-10-16",
    [
      ["YES", "Orbis hat den Kauf von Pictalk am Donnerstag abgeschlossen."],
      ["", "Orbis hat den Kauf eines Anteils an Pictalk am Donnerstag abgeschlossen."],
    ],
  ],
  [
    "Le Fennick va-t-il remporter la Coupe de Norland 2026 ?",
    "2026-10-06",
    [
      ["YES", "Le Fennick a remporté la Coupe de Norland 2026 samedi."],
      ["YES?", "Le Fennick a remporté la Coupe de Norland 2026 des moins de 19 ans samedi."],
      ["YES?", "Le Fennick a remporté la Coupe de Norland féminine 2026 samedi."],
    ],
  ],
  [
    "La BCE va-t-elle baisser ses taux directeurs en octobre 2026 ?",
    "2026-10-30",
    [
      ["YES", "La BCE a abaissé ses taux directeurs de 0,25 point jeudi."],
      ["NO", "La BCE a maintenu ses taux directeurs inchangés jeudi."],
    ],
  ],
  [
    "Will the Bank of Canada cut its policy rate in October 2026?",
    "2026-10-29",
    [
      ["YES", "The Bank of Canada today reduced its target for the overnight rate by 25 basis points to 2%."],
      ["NO", "The Bank of Canada today held its target for the overnight rate at 2.25%."],
      ["", "The Bank of Canada cut its overnight rate forecast on Wednesday."],
      ["", "Harbor Bank of Canada cut its overnight rate on Wednesday."],
      ["", "The Bank of Canada is lowering the ceiling on overnight rates for brokers."],
    ],
  ],
  [
    "Will the Swiss National Bank lower its policy rate in September 2026?",
    "2026-09-25",
    [
      [
        "YES",
        "The SNB is lowering the SNB policy rate by 0.25 percentage points to 0%.",
        "www.snb.ch",
        "Monetary policy assessment of 24 September 2026",
      ],
      [
        "NO",
        "The SNB is leaving the SNB policy rate unchanged at 0.25%.",
        "www.snb.ch",
        "Monetary policy assessment of 24 September 2026",
      ],
      ["", "The market expects that the SNB is lowering the SNB policy rate."],
      [
        "",
        "The SNB is lowering its inflation forecast.",
        "www.snb.ch",
        "Monetary policy assessment of 24 September 2026",
      ],
    ],
  ],
  [
    "Will Norges Bank cut its policy rate in September 2026?",
    "2026-09-18",
    [
      [
        "YES",
        "Norges Bank's Monetary Policy and Financial Stability Committee decided to reduce the policy rate from 4.0 percent to 3.75 percent.",
      ],
      [
        "",
        "Norges Bank's Monetary Policy and Financial Stability Committee discussed whether to reduce the policy rate.",
      ],
    ],
  ],
  [
    "Will the Reserve Bank of New Zealand cut the Official Cash Rate in November 2026?",
    "2026-11-26",
    [
      ["YES", "The Reserve Bank of New Zealand agreed to reduce the OCR by 25 basis points to 2.25 percent."],
      ["NO", "The Reserve Bank of New Zealand today left the Official Cash Rate unchanged at 2.5 percent."],
      ["", "Two members agreed to reduce the OCR, and four to hold it."],
    ],
  ],
  [
    "Will Irena Vasko win the 2026 presidential election in Corland?",
    "2026-10-06",
    [
      [
        "YES",
        "The electoral commission declared Irena Vasko the winner of the 2026 presidential election in Corland on Monday.",
      ],
      [
        "NO",
        "The electoral commission declared Tomas Dorn the winner of the 2026 presidential election in Corland on Monday.",
      ],
      [
        "",
        "A campaign committee declared Irena Vasko the winner of the 2026 presidential election in Corland on Monday.",
      ],
      [
        "",
        "The party's campaign board declared Irena Vasko the winner of the 2026 presidential election in Corland on Monday.",
      ],
      [
        "",
        "The electoral commission declared Irena Vasko the winner of the first round of the 2026 presidential election in Corland on Monday.",
      ],
      [
        "",
        "The electoral commission has not declared Irena Vasko the winner of the 2026 presidential election in Corland.",
      ],
      [
        "",
        "The opposition wants the commission declared Irena Vasko the winner of the 2026 presidential election in Corland.",
      ],
      [
        "",
        "The court annulled the ruling in which the commission declared Irena Vasko the winner of the 2026 presidential election in Corland.",
      ],
      [
        "",
        "A mock electoral commission declared Irena Vasko the winner of the 2026 presidential election in Corland on Monday.",
      ],
      [
        "",
        "The debate committee declared Irena Vasko the winner of the 2026 presidential election debate in Corland on Monday.",
      ],
    ],
  ],
]);
