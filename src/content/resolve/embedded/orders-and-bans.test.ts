import { describeSides } from "../testing/describe-sides.ts";

/** Questions about orders, bans, records, charges and strikes, and sentences about what is near them. */
describeSides({
  "Did Halvorsen Shipping order at least 10 ferries from Kestrel Yards in 2026?": {
    YES: [
      "Halvorsen Shipping ordered 12 ferries from Kestrel Yards in March 2026.",
      "Kestrel Yards received an order for 12 ferries from Halvorsen Shipping in March 2026.",
    ],
    "NO?": ["Halvorsen Shipping ordered six ferries from Kestrel Yards in 2026."],
    "": [
      "Halvorsen Shipping ordered 12 ferries from Denby Yards in March 2026.",
      "Halvorsen Shipping ordered 12 tugs from Kestrel Yards in March 2026.",
      "Halvorsen Shipping has an option for 12 ferries from Kestrel Yards.",
      "Halvorsen Shipping cancelled 12 ferries from Kestrel Yards in March 2026.",
      "Halvorsen Shipping chartered 12 ferries from Kestrel Yards in March 2026.",
      "Tarn Shipping ordered 12 ferries from Kestrel Yards in March 2026.",
      "Halvorsen Shipping wants to order 12 ferries from Kestrel Yards.",
      "Halvorsen Shipping ordered repairs of 12 ferries from Kestrel Yards in March 2026.",
    ],
  },
  "Will Ruthen ban petrol cars in its capital before 2027?": {
    YES: ["Ruthen banned petrol cars in its capital on 1 June 2026."],
    "": [
      "Ruthen banned diesel cars in its capital on 1 June 2026.",
      "Ruthen's capital banned petrol boats on 1 June 2026.",
      "Ruthen will ban petrol cars in its capital on 1 June 2028.",
      "Ruthen banned the sale of petrol cars in its capital on 1 June 2026.",
      "Ruthen lifted a ban on petrol cars in its capital on 1 June 2026.",
      "Ruthen proposed to ban petrol cars in its capital on 1 June 2026.",
      "Marvia banned petrol cars in its capital on 1 June 2026.",
      "Ruthen banned advertisements for petrol cars in its capital on 1 June 2026.",
      "A court suspended Ruthen's ban on petrol cars in its capital on 1 June 2026.",
    ],
    "YES?": ["Ruthen banned petrol cars from one street in its capital on 1 June 2026."],
  },
  "Did Jana Rehm break the world record in the 1,500 metres in 2026?": {
    YES: [
      "Jana Rehm broke the world record in the 1,500 metres on 3 July 2026.",
      "Jana Rehm set a world record in the 1,500 metres on 3 July 2026.",
      "Jana Rehm set a new world record in the 1,500 metres on 3 July 2026.",
    ],
    "": [
      "Jana Rehm broke the world record in the 3,000 metres on 3 July 2026.",
      "Jana Rehm broke the world junior record in the 1,500 metres on 3 July 2026.",
      "Jana Rehm equalled the world record in the 1,500 metres on 3 July 2026.",
      "Jana Rehm holds the world record in the 1,500 metres.",
      "Jana Rehm was on course to break the world record in the 1,500 metres on 3 July 2026.",
      "Jana Rehm attacked the world record in the 1,500 metres on 3 July 2026.",
      "Jana Rehm's coach broke the world record in the 1,500 metres on 3 July 2006.",
      "Jana Rehm broke the world indoor record in the 1,500 metres on 3 July 2026.",
      "The federation did not ratify the world record in the 1,500 metres that Jana Rehm broke on 3 July 2026.",
    ],
    "YES?": [
      "Jana Rehm broke the European record in the 1,500 metres on 3 July 2026.",
      "Jana Rehm broke the world record in the 1,500 metres hurdles on 3 July 2026.",
    ],
  },
  "Was Mayor Orla Kemp charged with bribery by 1 August 2026?": {
    YES: [
      "Mayor Orla Kemp was charged with bribery on 12 July 2026.",
      "Prosecutors charged Mayor Orla Kemp with bribery on 12 July 2026.",
      "Orla Kemp, the mayor, was indicted for bribery on 12 July 2026.",
    ],
    "YES?": [
      "Mayor Orla Kemp was charged with fraud on 12 July 2026.",
      "Mayor Orla Kemp was charged with drafting the budget on 12 July 2026.",
    ],
    "": [
      "Mayor Orla Kemp was questioned about bribery on 12 July 2026.",
      "Mayor Orla Kemp's brother was charged with bribery on 12 July 2026.",
      "Mayor Orla Kemp charged a rival with bribery on 12 July 2026.",
      "Mayor Orla Kemp was cleared of bribery on 12 July 2026.",
      "The opposition wants Mayor Orla Kemp charged with bribery.",
      "Mayor Orla Kemp was sued for bribery on 12 July 2026.",
      "Former Mayor Jon Kemp was charged with bribery on 12 July 2026.",
      "Mayor Orla Kemp could be charged with bribery by 12 July 2026.",
      "A man who tried to bribe Mayor Orla Kemp was charged with bribery on 12 July 2026.",
    ],
  },
  "Will at least three parties be in Estmark's governing coalition after the 2026 election?": {
    "": [
      "Four parties are in opposition in Estmark after the 2026 election.",
      "Four parties are negotiating about Estmark's governing coalition.",
      "Four parties left Estmark's governing coalition.",
      "Four parties won seats in the 2026 election in Estmark.",
    ],
  },
  "Did the Denby hospital strike end before 15 May 2026?": {
    YES: [
      "The Denby hospital strike ended on 9 May 2026.",
      "The strike at the Denby hospital ended on 9 May 2026.",
      "Nurses ended their strike at the Denby hospital on 9 May 2026.",
    ],
    NO: ["The Denby hospital strike ended on 19 May 2026.", "The Denby hospital strike continued until 19 May 2026."],
    "": [
      "The Denby school strike ended on 9 May 2026.",
      "The Denby hospital strike began on 9 May 2026.",
      "The Denby hospital strike vote ended on 9 May 2026.",
      "The first week of the Denby hospital strike ended on 9 May 2026.",
      "Talks to end the Denby hospital strike ended on 9 May 2026.",
      "A court refused to end the Denby hospital strike on 9 May 2026.",
      "The Denby hospital strike was suspended on 9 May 2026.",
    ],
    "YES?": ["The Denby hospital strike ended in chaos on 9 May 2026."],
  },
  "Did Zetalk remove the limit on free calls in 2026?": {
    YES: ["Zetalk removed the limit on free calls in April 2026."],
    "": [
      "Zetalk raised the limit on free calls in April 2026.",
      "Zetalk removed the limit on paid calls in April 2026.",
      "Zetalk removed free calls in April 2026.",
      "Zetalk introduced a limit on free calls in April 2026.",
      "Zetalk tested removing the limit on free calls in April 2026.",
      "Users asked Zetalk to remove the limit on free calls in April 2026.",
    ],
    "YES?": [
      "Zetalk removed the limit on free calls for a weekend in April 2026.",
      "Zetalk removed the limit on free calls for students in April 2026.",
    ],
  },
});
