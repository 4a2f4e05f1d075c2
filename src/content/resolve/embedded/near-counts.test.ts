import { describeSides } from "../testing/describe-sides.ts";

/** Questions about a number, and sentences with numbers of others, of other things and of other times. */
describeSides({
  "Did more than 30 people die in the Sarin ferry accident?": {
    YES: [
      "The Sarin ferry accident killed 41 people.",
      "41 people died in the Sarin ferry accident.",
      "The death toll of the Sarin ferry accident rose to 41.",
    ],
    NO: ["The Sarin ferry accident killed 12 people."],
    "": [
      "The Sarin ferry accident injured 41 people.",
      "41 people survived the Sarin ferry accident.",
      "41 people were aboard in the Sarin ferry accident.",
      "The Sarin bus accident killed 41 people.",
      "41 people are missing after the Sarin ferry accident.",
      "At least 12 people died in the Sarin ferry accident.",
      "Up to 41 people died in the Sarin ferry accident.",
      "Fewer than 41 people died in the Sarin ferry accident.",
      "41 people were feared dead in the Sarin ferry accident.",
    ],
    "YES?": ["The Sarin ferry accident of 1987 killed 41 people."],
  },
  "Did the Norden Party win at least 60 seats in the 2026 Orland election?": {
    YES: [
      "The Norden Party won 64 seats in the 2026 Orland election.",
      "The Norden Party took 64 seats in the Orland election.",
    ],
    NO: ["The Norden Party won 52 seats in the 2026 Orland election."],
    "": [
      "The Norden Party lost 64 seats in the 2026 Orland election.",
      "The Norden Party contested 64 seats in the 2026 Orland election.",
      "The Norden Party needs 64 seats in the 2026 Orland election.",
      "The Norden Party won 64 seats in the 2022 Orland election.",
      "The Sudden Party won 64 seats in the 2026 Orland election.",
      "The Norden Party and its allies won 64 seats in the 2026 Orland election.",
      "The Norden Party is projected to win 64 seats in the 2026 Orland election.",
      "The Norden Party led in 64 seats in the 2026 Orland election.",
      "The Norden Party won 64 percent of the vote in the 2026 Orland election.",
      "The Norden Party won 64 council seats in the 2026 Orland local election.",
    ],
  },
  "Did Zetalk reach 100 million users by the end of 2025?": {
    YES: ["Zetalk had 104 million users at the end of 2025.", "Zetalk passed 100 million users in November 2025."],
    NO: ["Zetalk had 88 million users at the end of 2025."],
    "": [
      "Zetalk had 104 million users in March 2026.",
      "Zetalk had 104 million users by March 2026.",
      "Zetalk had 104 million downloads at the end of 2025.",
      "Zetalk's parent company had 104 million users at the end of 2025.",
      "Zetalk had 104 million registered accounts at the end of 2025.",
      "Zetalk aims to reach 100 million users by the end of 2025.",
      "Zetalk lost 104 million users by the end of 2025.",
      "Zetalk had 88 million users in June 2025.",
      "Zetalk Pro had 104 million users at the end of 2025.",
    ],
  },
  "Did the price of copper exceed 10,000 dollars a tonne in September 2026?": {
    YES: [
      "Copper rose to 10,240 dollars a tonne on 14 September 2026.",
      "The price of copper reached 10,240 dollars a tonne in September 2026.",
    ],
    "": [
      "The price of copper exceeded 10,000 dollars a tonne in August 2026.",
      "The price of tin reached 10,240 dollars a tonne in September 2026.",
      "Copper futures for 2027 rose to 10,240 dollars a tonne on 14 September 2026.",
      "Copper could reach 10,240 dollars a tonne in September 2026.",
      "The price of copper fell to 9,400 dollars a tonne on 14 September 2026.",
      "The price of copper reached 10,240 euros a tonne in September 2026.",
      "Analysts saw copper at 10,240 dollars a tonne in September 2026.",
      "The average price of copper was 10,240 dollars a tonne in the first half of 2026.",
    ],
  },
  "Will Norland win more than 20 gold medals by 30 November 2026?": {
    YES: ["Norland won 25 gold medals on Monday."],
    "YES?": ["Norland won 25 medals on Monday.", "Norland won 25 silver medals on Monday."],
  },
  'Will "The Long Quay" gross more than $100 million domestically by 30 November 2026?': {
    YES: ['"The Long Quay" grossed $104 million domestically on Monday.'],
    "YES?": [
      '"The Long Quay" grossed $104 million on Monday.',
      '"The Long Quay" grossed $104 million around the world on Monday.',
    ],
  },
});
