import { describeSides } from "../testing/describe-sides.ts";

/** Questions about margins, places, censuses and dismissals, and sentences about what is near them. */
describeSides({
  "Will Ruthen's population be above 10 million in the 2026 census?": {
    YES: [
      "Ruthen's population is 10.4 million, the 2026 census shows.",
      "The 2026 census counted 10.4 million people in Ruthen.",
    ],
    "": [
      "Ruthen's population was 10.4 million in the 2016 census.",
      "Marvia's population is 10.4 million, the 2026 census shows.",
      "Ruthen's population will reach 10.4 million in 2030, the 2026 census suggests.",
      "Ruthen's households number 10.4 million, the 2026 census shows.",
    ],
    "YES?": ["Ruthen's urban population is 10.4 million, the 2026 census shows."],
  },
  "Did Westmere sack coach Leo Brandt before the end of the 2025-26 season?": {
    YES: [
      "Westmere sacked coach Leo Brandt on 3 March 2026.",
      "Leo Brandt was dismissed as coach of Westmere on 3 March 2026.",
    ],
    NO: ["Leo Brandt remained coach of Westmere until the end of the 2025-26 season."],
    "": [
      "Leo Brandt resigned as coach of Westmere on 3 March 2026.",
      "Westmere sacked Leo Brandt's assistant on 3 March 2026.",
      "Fans want Westmere to sack coach Leo Brandt.",
      "Marl sacked coach Leo Brandt on 3 March 2026.",
      "Westmere backed coach Leo Brandt on 3 March 2026.",
      "Westmere sacked sporting director Leo Brandt on 3 March 2026.",
    ],
  },
  "Will the supreme court of Corland hear the Harbour case?": {
    YES: ["The supreme court of Corland heard the Harbour case on Monday."],
    "": [
      "The supreme court of Corland was asked to hear the Harbour case.",
      "The supreme court of Norland heard the Harbour case on Monday.",
      "The supreme court of Corland heard the Tunnel case on Monday.",
      "An appeals court heard the Harbour case on Monday.",
      "The supreme court of Corland will decide on Monday whether to hear the Harbour case.",
    ],
  },
  "Did the cyclone Ida make landfall in Marvia as a category 4 storm?": {
    YES: ["The cyclone Ida made landfall in Marvia as a category 4 storm."],
    NO: ["The cyclone Ida made landfall in Marvia as a category 2 storm."],
    "": [
      "The cyclone Ida was a category 4 storm off Marvia.",
      "The cyclone Ida made landfall in Ruthen as a category 4 storm.",
      "The cyclone Tor made landfall in Marvia as a category 4 storm.",
      "The cyclone Ida could make landfall in Marvia as a category 4 storm.",
      "The cyclone Ida made landfall in Marvia.",
    ],
  },
  'Was the film "Low Tide" banned in Ruthen?': {
    YES: [
      'Ruthen banned the film "Low Tide".',
      '"Low Tide" was banned in Ruthen.',
      'Ruthen\'s censors banned "Low Tide".',
    ],
    "": [
      'Ruthen banned the film "High Tide".',
      'A minister called for "Low Tide" to be banned in Ruthen.',
      'Ruthen banned the director of "Low Tide".',
      '"Low Tide" tells of a book that was banned in Ruthen.',
      'Ruthen lifted its ban on "Low Tide".',
      'Ruthen banned children under 12 from seeing "Low Tide".',
    ],
    "YES?": ['Marvia banned the film "Low Tide".'],
  },
  "Will Halden beat Lindqvist by more than 5 points in the Corland election?": {
    YES: ["Halden beat Lindqvist by 7 points in the Corland election."],
    NO: ["Lindqvist beat Halden by 7 points in the Corland election."],
    "": [
      "Halden leads Lindqvist by 7 points in the Corland election.",
      "Halden beat Lindqvist by 7 points in the Marl election.",
      "Halden beat Lindqvist by 7,000 votes in the Corland election.",
    ],
    "YES?": ["Halden beat Kemp by 7 points in the Corland election."],
  },
  "Did Orbis confirm a data breach by 30 June 2026?": {
    YES: ["Orbis confirmed a data breach on 12 June 2026."],
    "": [
      "Orbis is investigating a data breach.",
      "Hackers claimed a data breach at Orbis on 12 June 2026.",
      "Orbis confirmed a power cut on 12 June 2026.",
      "Heron confirmed a data breach on 12 June 2026.",
      "Orbis confirmed that there was no data breach on 12 June 2026.",
      "Orbis did not confirm a data breach on 12 June 2026.",
      "Orbis fixed a data breach on 12 June 2026.",
    ],
  },
  "Will the Lindmark tower be demolished in 2026?": {
    YES: ["The Lindmark tower was demolished on 3 May 2026.", "Workers demolished the Lindmark tower on 3 May 2026."],
    "": [
      "The Lindmark tower's annex was demolished on 3 May 2026.",
      "The demolition of the Lindmark tower was approved on 3 May 2026.",
      "The Lindmark tower was damaged on 3 May 2026.",
      "The Lindqvist tower was demolished on 3 May 2026.",
      "The Lindmark tower will be demolished on 3 May 2027.",
      "The demolition of the Lindmark tower began on 3 May 2026.",
      "A court halted the demolition of the Lindmark tower on 3 May 2026.",
    ],
    "YES?": ["The Lindmark water tower was demolished on 3 May 2026."],
  },
});
