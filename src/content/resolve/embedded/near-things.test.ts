import { describePages } from "../testing/describe-sides.ts";

/** Parts of a thing, stages, other series and results that are undone: each near a sentence that counts. */
describePages([
  [
    "Will Fennick win the 2026 Norland Cup?",
    "2026-10-06",
    [
      ["YES", "Fennick won the 2026 Norland Cup on Saturday."],
      ["YES?", "Fennick won the 2026 Norland Cup, but the title was later stripped."],
      ["", "Fennick ganó el partido de ida de la final de la Norland Cup 2026 el sábado."],
      ["YES?", "O Fennick feminino venceu a Norland Cup 2026 no sábado."],
    ],
  ],
  [
    "Will Denby United beat Westmere on 18 October 2026?",
    "2026-10-19",
    [
      ["YES", "Denby United beat Westmere 3-1 on 18 October 2026."],
      ["YES?", "Denby United beat Westmere 3-1 on 18 October 2026, a result later annulled by the league."],
      ["YES?", "Denby United had beaten Westmere 3-1 when they last met."],
    ],
  ],
  [
    "Will Irena Vasko win the 2026 presidential election in Corland?",
    "2026-10-06",
    [
      ["YES", "With 100 percent of votes counted, Irena Vasko won the 2026 presidential election in Corland."],
      ["", "With 60 percent of votes counted, Irena Vasko won the 2026 presidential election in Corland."],
      ["", "Irena Vasko won the 2026 presidential election in Corland, according to projections by two broadcasters."],
    ],
  ],
  [
    "Will the Green Party win the most seats in the 2026 Corland parliamentary election?",
    "2026-10-06",
    [
      ["YES", "The Green Party won the most seats in the 2026 Corland parliamentary election on Sunday."],
      ["YES?", "The Green Party won the most new seats in the 2026 Corland parliamentary election on Sunday."],
      ["YES?", "The Green Party won the most list seats in the 2026 Corland parliamentary election on Sunday."],
      ["YES?", "The Green Party won the second most seats in the 2026 Corland parliamentary election."],
    ],
  ],
  [
    "Will Silas Crewe be convicted of fraud by 31 October 2026?",
    "2026-10-16",
    [
      ["YES", "Silas Crewe fue condenado por fraude el jueves."],
      ["YES?", "Silas Crewe fue condenado por asesinato el jueves."],
      ["YES?", "Silas Crewe wurde am Donnerstag wegen Mordes verurteilt."],
      ["NO?", "Silas Crewe wurde am Donnerstag in einem von drei Fällen des Betrugs freigesprochen."],
      ["YES?", "Silas Crewe was convicted of fraud on Thursday but the verdict was set aside an hour later."],
    ],
  ],
  [
    "Will the Senate pass the Rivers Act by 31 October 2026?",
    "2026-10-16",
    [
      ["YES", "The Senate passed the Rivers Act on Thursday."],
      ["YES?", "The state Senate passed the Rivers Act on Thursday."],
      ["", "The Senate passed a resolution condemning the Rivers Act on Thursday."],
    ],
  ],
  [
    "Will Orbis report revenue above $5 billion for the third quarter of 2026?",
    "2026-10-29",
    [
      ["YES", "Orbis reported revenue of $5.2 billion for the third quarter of 2026."],
      ["", "Orbis reported adjusted revenue of $5.2 billion for the third quarter of 2026."],
      ["", "Orbis guided to revenue of $5.2 billion for the third quarter of 2026."],
      ["", "Orbis reported annualised revenue of $5.2 billion for the third quarter of 2026."],
      ["", "Orbis reported revenue of $5.2 billion for the first nine months of 2026."],
      ["", "Orbis withdrew its report of $5.2 billion revenue for the third quarter of 2026."],
    ],
  ],
  [
    "Will Orbis pay a dividend above $0.50 per share by 31 October 2026?",
    "2026-10-29",
    [
      ["YES", "Orbis paid a dividend of $0.60 per share on 15 October 2026."],
      ["", "Orbis declared a dividend of $0.60 per share, payable on 15 December 2026."],
    ],
  ],
  [
    "Will Bitcoin be above $120,000 on 31 October 2026?",
    "2026-11-01",
    [
      ["NO", "Bitcoin closed at $118,000 on 31 October 2026."],
      ["", "Bitcoin hit an intraday low of $118,000 on 31 October 2026."],
      ["YES?", "Wrapped Bitcoin closed at $121,400 on 31 October 2026."],
      ["", "Bitcoin mining cost was $118,000 on 31 October 2026."],
    ],
  ],
  [
    "Will the temperature in Denby exceed 40°C in August 2026?",
    "2026-09-02",
    [
      ["NO", "The highest temperature of the month in Denby was 38.4°C in August 2026."],
      ["", "The mean temperature in Denby was 28°C in August 2026."],
    ],
  ],
  [
    'Will "Low Sun" reach number one on the Norland Singles Chart by 31 October 2026?',
    "2026-10-16",
    [
      ["YES", '"Low Sun" reached number one on the Norland Singles Chart on Friday.'],
      ["YES?", '"Low Sun" reached number one on the midweek Norland Singles Chart on Friday.'],
      ["YES?", '"Low Sun" reached number one on the Norland Dance Singles Chart on Friday.'],
      ["", '"Low Sun" singer Ada Fenn reached number one on the Norland Singles Chart on Friday.'],
    ],
  ],
  [
    "Will Vanta release the Nimbus 2 headset by October 31, 2026?",
    "2026-10-16",
    [
      ["YES", "Vanta released the Nimbus 2 headset on Thursday."],
      ["", "Vanta released the Nimbus 2 headset trailer on Thursday."],
      ["", "Vanta released the Nimbus 2 headset's price on Thursday."],
      ["", "Vanta cancelled the Nimbus 2 headset event on Thursday."],
    ],
  ],
  [
    "Will NASA launch Lyra by October 31, 2026?",
    "2026-10-16",
    [
      ["NO", "NASA cancelled the Lyra launch on Thursday."],
      ["", "NASA cancelled the Lyra launch broadcast on Thursday."],
    ],
  ],
  [
    "Will Sable Energy sell its Norvik gas field by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Sable Energy sold its Norvik gas field on Monday."],
      ["YES", "Sable Energy sold its gas field at Norvik on Monday."],
      ["", "Sable Energy sold gas from its Norvik field on Monday."],
    ],
  ],
  [
    "Will Grey Harbour win the Golden Reel for best picture in 2026?",
    "2026-10-20",
    [
      ["YES", "Grey Harbour won the Golden Reel for best picture on Monday."],
      ["YES?", "Grey Harbour won the Golden Reel for best animated picture on Monday."],
    ],
  ],
  [
    "Will Nora Pike become the first woman to lead the Tarn Bank by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Nora Pike became the first woman to lead the Tarn Bank on Monday."],
      ["YES?", "Nora Pike became the first woman to lead the works council of the Tarn Bank on Monday."],
    ],
  ],
  // "war" and "son" are stop words of other languages.
  [
    "Will Norland declare war on Ostria by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Norland declared war on Ostria on Monday."],
      ["YES?", "Norland declared war on smuggling from Ostria on Monday."],
      ["", "Norland declared an embargo on Ostria on Monday."],
    ],
  ],
  [
    "Will Norland win the war against Ostria by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Norland won the war against Ostria on Monday."],
      ["", "Norland won the match against Ostria on Monday."],
    ],
  ],
  [
    "Will the son of Ivo Marsh win the 2026 Tarn Open?",
    "2026-10-20",
    [
      ["YES", "Ivo Marsh's son won the 2026 Tarn Open on Sunday."],
      ["", "Ivo Marsh won the 2026 Tarn Open on Sunday."],
    ],
  ],
  [
    "Will Lena Ost take over Halden by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "Lena Ost took over Halden on Monday."],
      ["", "Halden's youth side was taken over by Lena Ost on Monday."],
    ],
  ],
  [
    "Will the war in Kelmar end by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "The war in Kelmar ended on Monday."],
      ["YES?", "The price war in Kelmar ended on Monday."],
    ],
  ],
  [
    "Will Pia Holm finish in the top three of the 2026 Tarn rally?",
    "2026-10-20",
    [
      ["YES", "Pia Holm finished in the top three of the 2026 Tarn rally on Sunday."],
      ["YES?", "Pia Holm finished in the top thirty of the 2026 Tarn rally on Sunday."],
    ],
  ],
  [
    "Will the court sentence Ivo Marsh to prison by 31 October 2026?",
    "2026-10-20",
    [
      ["YES", "The court sentenced Ivo Marsh to prison on Monday."],
      ["YES?", "The court sentenced Ivo Marsh to a fine instead of prison on Monday."],
    ],
  ],
]);
