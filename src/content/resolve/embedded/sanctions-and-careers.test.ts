import { describeSides } from "../testing/describe-sides.ts";

/** Sanctions, takeovers, extraditions, pardons, votes of confidence, careers and prices in the words of newsrooms, and reports that come near. */
describeSides({
  "Will Corland and Norland sign a peace treaty by 31 October 2026?": {
    "": ["Corland and Norland have agreed on the text of a peace treaty, which is to be signed in December."],
    "YES?": ["Corland and Norland signed a trade treaty on Friday, two years after their peace talks began."],
  },
  "Will the European Union impose sanctions on Ruthen by 31 October 2026?": {
    "": [
      "The European Union threatened Ruthen with sanctions on Monday.",
      "The European Union extended its sanctions on Norland on Monday and warned Ruthen.",
    ],
  },
  "Will Orbis Motors recall its Vela electric car by 31 October 2026?": {
    YES: ["The Vela electric car has been recalled by Orbis Motors after three battery fires."],
    "": [
      "Orbis Motors said it saw no need to recall the Vela electric car.",
      "The road safety agency urged Orbis Motors to recall its Vela electric car.",
    ],
  },
  "Will retailer Halden & Sons file for bankruptcy by 31 October 2026?": {
    "YES?": ["Halden & Sons sought protection from its creditors on Tuesday, filing for bankruptcy in a Denby court."],
    YES: ["The retailer Halden & Sons has filed for bankruptcy, the court in Denby said."],
    "": ["Halden & Sons hired advisers on Tuesday to weigh a bankruptcy filing."],
  },
  "Will regulators block the takeover of Kestrel Air by Orbis by 31 October 2026?": {
    YES: [
      "The competition authority blocked Orbis's takeover of Kestrel Air on Wednesday, saying it would raise fares.",
    ],
    NO: ["The competition authority waved through Orbis's takeover of Kestrel Air on Wednesday."],
    "NO?": ["The competition authority cleared the takeover of Kestrel Air by Orbis on condition that slots are sold."],
    "": ["The competition authority opened an in-depth inquiry into the takeover of Kestrel Air by Orbis."],
  },
  "Will Mount Tarn erupt by 31 October 2026?": {
    YES: ["Mount Tarn erupted early on Sunday, sending ash 6 km into the sky."],
    "": [
      "Mount Tarn may erupt within days, scientists said on Sunday.",
      "Hundreds left their homes as Mount Tarn rumbled on Sunday.",
    ],
  },
  "Will the World Health Agency declare the Marl fever outbreak over by 31 October 2026?": {
    "": ["The Marl fever outbreak could be declared over in November, the World Health Agency said."],
  },
  "Will Silas Crewe be extradited to Norland by 31 October 2026?": {
    YES: [
      "Silas Crewe was flown to Norland on Monday after the court allowed the extradition.",
      "Marvia extradited Silas Crewe to Norland on Monday.",
      "Silas Crewe was handed over to Norland's police on Monday.",
    ],
    "": ["A court ruled on Monday that Silas Crewe can be extradited to Norland."],
  },
  "Will President Ana Reyes be impeached by 31 October 2026?": {
    YES: ["The Chamber of Deputies impeached President Ana Reyes on Monday by 301 votes to 144."],
    "": ["The opposition filed a motion to impeach President Ana Reyes on Monday."],
  },
  "Will President Ana Reyes pardon Silas Crewe by 31 October 2026?": {
    YES: [
      "President Ana Reyes granted Silas Crewe a full pardon on Monday.",
      "Silas Crewe walked out of Denby jail on Monday after President Ana Reyes pardoned Crewe.",
    ],
    "": ["President Ana Reyes is weighing a pardon for Silas Crewe."],
  },
  "Will Prime Minister Ida Marsh survive the no-confidence vote on 5 October 2026?": {
    YES: ["Ida Marsh survived Monday's no-confidence vote by a margin of four."],
    "": ["Ida Marsh faces a no-confidence vote on Monday."],
  },
  "Will Ivo Renn score in the Copper Cup final on 4 October 2026?": {
    YES: ["Ivo Renn headed in the winner in the 88th minute of Sunday's Copper Cup final."],
    NO: ["Ivo Renn, kept quiet all evening, failed to score in Sunday's Copper Cup final."],
    "": ["Ivo Renn scored twice in the semi-final of the Copper Cup."],
  },
  "Will Marl City be promoted to the Premier League in the 2025-26 season?": {
    YES: ["Marl City sealed promotion to the Premier League with a 2-0 win at Denby."],
    "": ["Marl City need one more win for promotion to the Premier League."],
  },
  "Will Vera Sandoval retire from tennis by 31 October 2026?": {
    YES: [
      "Vera Sandoval has called time on a tennis career of 15 years, the federation said on Tuesday.",
      "Vera Sandoval announced the retirement from tennis on Tuesday with immediate effect.",
    ],
    "": ["Vera Sandoval said on Tuesday that Sandoval would retire from tennis at the end of next year."],
  },
  "Will Jana Rehm break the women's marathon world record at the Denby Marathon on 4 October 2026?": {
    YES: [
      "Jana Rehm smashed the women's marathon world record in Denby on Sunday, finishing in 2:09:41.",
      "Jana Rehm took 32 seconds off the women's marathon world record in Denby on Sunday.",
    ],
    NO: ["Jana Rehm won the Denby Marathon on Sunday but missed the women's marathon world record by 12 seconds."],
    "": ["Jana Rehm said that Rehm would go for the women's marathon world record in Denby."],
  },
  'Will "Glass Harbour" win the Golden Lantern for Best Film in October 2026?': {
    YES: ['"Glass Harbour" scooped the Golden Lantern for Best Film on Sunday night.'],
    "": ['"Glass Harbour" won the Golden Lantern for Best Editing.'],
  },
  "Will the Lyra probe enter orbit around Mars by 31 October 2026?": {
    "": ["The Lyra probe is due to enter orbit around Mars on Tuesday."],
  },
  "Will the Tarn bridge reopen by 31 October 2026?": {
    YES: ["The first cars crossed the Tarn bridge on Monday morning after it reopened."],
    "YES?": ["The Tarn bridge reopened to cyclists on Monday; cars must wait."],
  },
  "Will the Corland parliament be dissolved by 31 October 2026?": {
    YES: ["President Ana Reyes dissolved the Corland parliament on Monday and called an election for 6 December."],
    "": ["The opposition demanded that the Corland parliament be dissolved."],
  },
  "Will Corland's trade union federation hold a general strike by 31 October 2026?": {
    YES: ["Corland came to a standstill on Thursday as the trade union federation held a general strike."],
    "": ["Corland's trade union federation called a general strike for 12 November."],
  },
  "Will annual CPI inflation in Estmere for September 2026 be above 3.0%?": {
    YES: [
      "Annual inflation in Estmere rose to 3.2% in September 2026, compared with 2.9% in August.",
      "Consumer prices in Estmere rose by 3.2% in the year to September 2026, up from 2.9% in the year to August.",
      "Prices in Estmere in September were 3.2 percent higher than a year before, beating the 3.0 that forecasters had in mind and the 2.9 recorded for August.",
      "Estmere's annual inflation rate picked up to 3.2 per cent last month from 2.9 per cent.",
      "Inflation in Estmere came in at 3.2% in September, above the 3.0% that economists had expected.",
      "Annual inflation in Estmere hit 3.2% in September.",
    ],
    NO: [
      "Consumer prices in Estmere rose by 2.8% in the 12 months to September 2026, compared with a rise of 3.3% in the 12 months to August.",
      "Consumer prices in Estmere rose by 2.8% in the 12 months to September 2026, after a 3.3% rise in the 12 months to August.",
      "Annual inflation in Estmere slowed to 2.8% in September, after rising to 3.3% in August.",
      "Inflation in Estmere came in at 2.7% in September, below the 3.1% that economists had expected.",
      "Inflation in Estmere cooled more than expected to 2.7% in September.",
      "At 2.7%, annual inflation in Estmere was lower in September than in any month since 2021.",
    ],
    "": [
      "Core inflation in Estmere rose to 3.2% in September.",
      "Annual inflation in Estmere is forecast to reach 3.2% in September.",
      "Inflation in Estmere was 3.2% in August 2026.",
      "Food prices in Estmere rose by 4.1% in the year to September 2026.",
    ],
  },
});
