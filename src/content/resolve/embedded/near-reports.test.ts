import { describeSides } from "../testing/describe-sides.ts";

/** Sentences near the plain reports of newsrooms: other persons, places, agreements, stages and things. */
describeSides({
  "Will Daria Holm still be chief executive of Velora on 30 September 2026?": {
    "": [
      "Velora ousted finance chief Daria Holm's deputy on 12 September 2026.",
      "Daria Holm ousted Velora's finance chief Tomas Reik on 12 September 2026.",
      "Daria Holm replaced Tomas Reik as chair of Velora's charity on 12 September 2026.",
      "Velora fired 400 people on 12 September 2026, chief executive Daria Holm said.",
      "Velora replaced its auditor on 12 September 2026 after pressure from Daria Holm.",
      "Daria Holm lost the post of a columnist on 12 September 2026.",
      "Daria Holm succeeded Ola Berg as chief executive of Velora on 12 September 2026.",
      "Velora removed Daria Holm's portrait on 12 September 2026.",
      "Velora's board met on 12 September 2026 to discuss replacing Daria Holm.",
    ],
    "NO?": [
      "Daria Holm left Velora's headquarters on 12 September 2026 without comment.",
      "Daria Holm was removed from the guest list on 12 September 2026.",
      "Former chief executive Ola Berg was replaced by Daria Holm on 12 September 2026.",
      "Daria Holm was dismissed by critics on 12 September 2026 as a lightweight.",
    ],
    NO: ["Daria Holm is no longer chief executive of Velora, the company said on 12 September 2026."],
  },
  "Will Arden United sign striker Luca Brandt before 1 September 2026?": {
    "": [
      "Luca Brandt joined Arden United's youth academy in 2019.",
      "Luca Brandt signed with Arden United's sponsor on 28 August 2026.",
      "Luca Brandt joined Arden United players for a charity match on 28 August 2026.",
      "Luca Brandt moved to Arden on 28 August 2026.",
      "Arden United completed the signing of Luca Brandt's brother on 28 August 2026.",
      "Arden United joined Luca Brandt's foundation on 28 August 2026.",
      "Arden United women joined Luca Brandt on 28 August 2026.",
    ],
    "YES?": ["Luca Brandt joined Arden United on loan talks on 28 August 2026."],
  },
  "Will Irena Vasko win the Morlund presidential election in October 2026?": {
    "": [
      "Irena Vasko defeated Petr Dolan in the televised debate on 4 October 2026.",
      "Irena Vasko beat Petr Dolan in the capital in Morlund's presidential election on 4 October 2026.",
      "Irena Vasko beat Petr Dolan in the first round of Morlund's presidential election on 4 October 2026.",
      "Irena Vasko defeated Petr Dolan in the 2020 Morlund presidential election.",
      "Irena Vasko swept to victory in Morlund's northern districts on 4 October 2026.",
      "Irena Vasko's brother defeated Petr Dolan in the Morlund parliamentary election on 4 October 2026.",
      "Ola Berg conceded defeat in Morlund's presidential election on 4 October 2026.",
      "Irena Vasko conceded defeat in a court case on 4 October 2026.",
    ],
  },
  "Will Corran and Estmark sign a peace agreement in October 2026?": {
    "": [
      "The leaders of Corran and Norvia signed a peace agreement on 3 October 2026.",
      "The foreign ministers of Corran and Estmark signed a visa agreement on 3 October 2026.",
      "The leaders of Corran and Estmark signed a joint letter about a peace agreement on 3 October 2026.",
      "Opposition leaders from Corran and Estmark signed a peace pledge on 3 October 2026.",
      "Corran and Estmark put their signatures to a road map for a peace agreement on 3 October 2026.",
    ],
  },
  "Will Norvia lift its ban on drone exports before 1 October 2026?": {
    "": [
      "Norvia scrapped its ban on drone racing on 14 September 2026.",
      "Norvia dropped a plan to lift its ban on drone exports on 14 September 2026.",
      "Norvia ended its restrictions on drone imports on 14 September 2026.",
      "Norvia scrapped a tax on drone exports on 14 September 2026.",
      "A court ended Norvia's ban on drone photographs on 14 September 2026.",
      "Norvia removed a limit on drone exports to Ostria on 14 September 2026.",
    ],
  },
  "Will Halvorsen Foods and Brightmere complete their merger by 30 September 2026?": {
    "": [
      "Halvorsen Foods closed its sale of a dairy to Brightmere on 15 September 2026.",
      "Brightmere walked away from a merger with Orbis on 15 September 2026.",
      "Halvorsen Foods pulled out of a deal to sponsor a race on 15 September 2026.",
      "The merger of two Halvorsen Foods subsidiaries was completed on 15 September 2026.",
      "Talks between Brightmere and its banks collapsed on 15 September 2026.",
      "Halvorsen Foods and Brightmere closed 40 shops on 15 September 2026 ahead of their merger.",
    ],
  },
  "Will the Orland Light Rail open to passengers before 1 November 2026?": {
    "": [
      "The Orland Light Rail museum welcomed its first visitors on 12 September 2026.",
      "The Orland Light Rail depot opened to the public for a day on 12 September 2026.",
      "The Orland Light Rail's rival carried its first passengers on 12 September 2026.",
      "A prototype of the Orland Light Rail carried its first passengers in a test on 12 September 2026.",
      "The Orland Light Rail contract was opened to the public for comment on 12 September 2026.",
    ],
    "NO?": [
      "The second line of the Orland Light Rail will not open until 2028.",
      "The Orland Light Rail's cafe will not open until 2027.",
    ],
  },
  "Will a hurricane make landfall in Coralia before 1 November 2026?": {
    "YES?": [
      "Hurricane Ines made landfall in Norvia on 9 September 2026 after passing Coralia.",
      "Hurricane Ines hit the coast of Norvia on 9 September 2026, and its rain reached Coralia.",
    ],
    "": [
      "A truck slammed into a shop in Coralia on 9 September 2026 as Hurricane Ines neared.",
      "The remnants of Hurricane Ines came ashore in Coralia on 9 September 2026.",
      "Hurricane Ines made landfall in Coralia in 2019.",
    ],
  },
  "Will Marl City be relegated from the Vale League this season?": {
    "": [
      "Marl City's rivals Denby Rovers were relegated from the Vale League on 17 May 2026.",
      "Marl City sealed Denby Rovers' relegation from the Vale League on 17 May 2026.",
    ],
    "YES?": [
      "Marl City fell from first place in the Vale League on 17 May 2026.",
      "Marl City dropped from third to fifth in the Vale League on 17 May 2026.",
    ],
    "NO?": ["Marl City kept their place in the Vale League's top four on 17 May 2026."],
  },
  "Will Halden's parliament pass the pension reform by 30 September 2026?": {
    "": [
      "The health reform became law in Halden on 28 September 2026.",
      "The pension reform's predecessor became law in Halden on 28 September 2026.",
      "Halden's parliament adjourned on 28 September 2026 without voting on the health reform.",
      "Halden's parliament voted 92 to 71 on 28 September 2026 to debate the pension reform.",
      "Halden's parliament voted 92-71 on 28 September 2026 to reject an amendment to the pension reform.",
    ],
  },
  "Will the Federal Reserve of Ostria cut interest rates in September 2026?": {
    "": [
      "The Federal Reserve of Ostria cut the benchmark rate's fee on 16 September 2026.",
      "Banks in Ostria cut their key lending rates on 16 September 2026, ignoring the Federal Reserve.",
      "The Federal Reserve of Ostria cut its base rate forecast on 16 September 2026.",
      "Policymakers at the Bank of Norvia cut interest rates on 16 September 2026, ahead of the Federal Reserve of Ostria.",
      "Policymakers at the Federal Reserve of Ostria trimmed their growth forecast on 16 September 2026.",
    ],
  },
});
