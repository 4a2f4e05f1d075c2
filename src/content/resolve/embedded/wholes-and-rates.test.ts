import { describeSides } from "../testing/describe-sides.ts";

/** Questions about all of several, rates that stay, resumptions and appointments, and sentences about what is near them. */
describeSides({
  "Will the Fed hold rates steady at its September 2026 meeting?": {
    YES: ["The Fed held rates steady at its September 2026 meeting."],
    "YES?": ["The Fed left rates unchanged on 16 September 2026."],
    NO: [
      "The Fed cut rates at its September 2026 meeting.",
      "The Fed raised rates by 25 basis points on 16 September 2026.",
    ],
    "": [
      "The Fed held rates steady at its July 2026 meeting.",
      "The Fed is expected to hold rates steady at its September 2026 meeting.",
      "The ECB held rates steady at its September 2026 meeting.",
    ],
  },
  "Will Corland's president pardon Silas Dunmore before leaving office?": {
    "": [
      "Corland's president pardoned Jon Dunmore on 3 May 2026.",
      "Corland's president refused on 3 May 2026 to say whether the president will pardon Silas Dunmore.",
      "Norland's president pardoned Silas Dunmore on 3 May 2026.",
      "Silas Dunmore asked Corland's president for a pardon on 3 May 2026.",
      "Corland's president met Silas Dunmore on 3 May 2026.",
      "Corland's president pardoned a friend of Silas Dunmore on 3 May 2026.",
    ],
  },
  "Did the Orland Giants win the championship in seven games?": {
    YES: ["The Orland Giants won the championship in seven games."],
    NO: [
      "The Orland Giants won the championship in five games.",
      "The Orland Giants lost the championship in seven games.",
    ],
    "": [
      "The Orland Giants won the championship.",
      "The Marl Giants won the championship in seven games.",
      "The Orland Giants won the semi-final in seven games.",
    ],
    "YES?": ["The Orland Giants won seven games."],
  },
  "Will at least one hurricane hit Marvia before 1 December 2026?": {
    YES: ["A hurricane hit Marvia on 3 September 2026."],
    "": [
      "A hurricane missed Marvia on 3 September 2026.",
      "A hurricane hit Norland on 3 September 2026.",
      "A hurricane warning hit Marvia's tourism on 3 September 2026.",
      "A tropical storm hit Marvia on 3 September 2026.",
      "A hurricane is forecast to hit Marvia on 3 November 2026.",
    ],
  },
  'Was the album "Night Ferry" certified platinum in 2026?': {
    YES: ['The album "Night Ferry" was certified platinum on 3 May 2026.'],
    "YES?": ['The album "Night Ferry" was certified gold on 3 May 2026.'],
    "": [
      'The album "Day Ferry" was certified platinum on 3 May 2026.',
      'The single "Night Ferry" was certified platinum on 3 May 2026.',
      'The album "Night Ferry" is close to being certified platinum.',
    ],
  },
  "Did Vale Pharma's share price double in 2026?": {
    YES: ["Vale Pharma's share price doubled in 2026."],
    "": [
      "Vale Pharma's share price rose by 40 percent in 2026.",
      "Vale Pharma's profit doubled in 2026.",
      "Heron Pharma's share price doubled in 2026.",
      "Vale Pharma's share price could double in 2026.",
      "Vale Pharma's share price halved in 2026.",
      "Vale Pharma doubled its dividend in 2026.",
    ],
  },
  "Will Tern Air resume flights to Marvia by 1 October 2026?": {
    YES: ["Tern Air resumed flights to Marvia on 3 September 2026."],
    NO: ["Tern Air resumed flights to Marvia on 3 October 2026."],
    "": [
      "Tern Air resumed flights to Norland on 3 September 2026.",
      "Tern Air suspended flights to Marvia on 3 September 2026.",
      "Kestrel Air resumed flights to Marvia on 3 September 2026.",
      "Tern Air plans to resume flights to Marvia on 3 September 2026.",
      "Tern Air resumed ticket sales for flights to Marvia on 3 September 2026.",
    ],
    "YES?": ["Tern Air resumed cargo flights to Marvia on 3 September 2026."],
  },
  "Is Lena Okoro still chief executive of Sillo?": {
    "": [
      "Lena Okoro was chief executive of Sillo from 2012 to 2019.",
      "Lena Okoro is chief executive of Heron.",
      "Lena Okoro may step down as chief executive of Sillo.",
      "Lena Okoro's brother remains chief executive of Sillo.",
    ],
  },
  "Will Brightwater FC appoint a new head coach before 1 September 2026?": {
    YES: ["Brightwater FC named a new head coach on 3 August 2026."],
    "": [
      "Brightwater FC sacked its head coach on 3 August 2026.",
      "Brightwater FC is looking for a new head coach.",
      "Marl FC appointed a new head coach on 3 August 2026.",
      "Brightwater FC appointed a new assistant coach on 3 August 2026.",
    ],
  },
  "Did the Norden Party lose its majority in the 2026 Orland election?": {
    YES: ["The Norden Party lost its majority in the 2026 Orland election."],
    NO: [
      "The Norden Party kept its majority in the 2026 Orland election.",
      "The Norden Party retained its majority in the 2026 Orland election.",
      "The Norden Party won a majority in the 2026 Orland election.",
    ],
    "": [
      "The Norden Party lost five seats in the 2026 Orland election.",
      "The Norden Party may lose its majority in the 2026 Orland election.",
      "The Norden Party lost its majority in the 2018 Orland election.",
      "The Norden Party lost its leader in the 2026 Orland election.",
      "The Sudden Party lost its majority in the 2026 Orland election.",
    ],
  },
  "Will Zetalk go down for more than an hour in September 2026?": {
    "": [
      "Zetalk was down for ten minutes on 12 September 2026.",
      "Zetalk was down for three hours on 12 August 2026.",
      "Heron was down for three hours on 12 September 2026.",
      "Zetalk's shares were down for three hours on 12 September 2026.",
    ],
  },
  "Did Corland withdraw its troops from Westland by 1 July 2026?": {
    YES: ["Corland withdrew its troops from Westland on 12 June 2026."],
    NO: ["Corland withdrew its troops from Westland on 12 July 2026."],
    "": [
      "Corland withdrew its ambassador from Westland on 12 June 2026.",
      "Corland withdrew its troops from Norland on 12 June 2026.",
      "Norland withdrew its troops from Westland on 12 June 2026.",
      "Corland agreed to withdraw its troops from Westland on 12 June 2026.",
      "Westland demanded that Corland withdraw its troops on 12 June 2026.",
    ],
    "YES?": ["Corland withdrew some of its troops from Westland on 12 June 2026."],
  },
  "Did the Senate of Orland confirm that it will investigate Tecnova?": {
    "": ["The Senate of Orland denied that it will investigate Tecnova.", "The Senate of Orland investigated Heron."],
  },
  "Was the treaty between Corland and Marvia ratified by both parliaments in 2026?": {
    "YES?": [
      "Both parliaments ratified the treaty between Corland and Marvia in May 2026.",
      "Corland's parliament ratified the treaty between Corland and Marvia in May 2026.",
    ],
    "": [
      "The treaty between Corland and Marvia was signed in May 2026.",
      "The treaty between Corland and Norland was ratified by both parliaments in May 2026.",
    ],
  },
  "Will a new species of whale be discovered in 2026?": {
    YES: [
      "A new species of whale was discovered on 3 May 2026.",
      "Scientists discovered a new species of whale on 3 May 2026.",
    ],
    "": [
      "A new species of shark was discovered on 3 May 2026.",
      "A new species of whale may be discovered in 2026.",
      "A whale was discovered on a beach on 3 May 2026.",
    ],
  },
  "Did Denby United win all their home games in the 2025-26 season?": {
    YES: ["Denby United won all their home games in the 2025-26 season."],
    NO: ["Denby United lost a home game in the 2025-26 season."],
    "": [
      "Denby United won most of their home games in the 2025-26 season.",
      "Denby United won all their away games in the 2025-26 season.",
    ],
    "YES?": ["Denby United won their home game in the 2025-26 season."],
  },
});
