import { describeSides } from "../testing/describe-sides.ts";

/** Outcomes in other words than the question's, and bodies, things and votes of the same name that are others. */
describeSides({
  "Did the SEC approve the Halden Bitcoin fund in September 2026?": {
    YES: [
      "The SEC signed off on the Halden Bitcoin fund on 12 September 2026.",
      "America's SEC gave its approval to the Halden Bitcoin fund on 12 September 2026.",
    ],
    "": [
      "Thailand's SEC approved the Halden Bitcoin fund on 12 September 2026.",
      "The Halden Bitcoin fund won approval from Thailand's SEC on 12 September 2026.",
    ],
  },
  "Did the FDA approve the drug Orlevant in September 2026?": {
    "": ["Saudi Arabia's FDA approved the drug Orlevant on 12 September 2026."],
  },
  "Was the Pellan telescope switched on in September 2026?": {
    "": ["The Tarn telescope was switched on, on 12 September 2026, a year after the Pellan site was chosen."],
  },
  "Did Orwell Air order the Brightwater jet in September 2026?": {
    "": ["Orwell Air ordered the Castor jet on 12 September 2026 at a show where the Brightwater jet was on display."],
  },
  "Did Brightwater acquire Quillon in September 2026?": {
    YES: ["Brightwater acquired all outstanding shares of Quillon on 12 September 2026."],
    "": [
      "Brightwater acquired shares of Quillon on 12 September 2026.",
      "Brightwater bought a third of the shares of Quillon on 12 September 2026.",
    ],
  },
  "Did the Senate ratify the Tarn treaty in September 2026?": {
    YES: ["The Senate gave its consent to the Tarn treaty on 12 September 2026."],
    "": ["The Senate's vote of 12 September 2026 to ratify the Tarn treaty was void."],
  },
  "Did Halden appoint Lena Ost as coach in September 2026?": {
    YES: [
      "Halden tapped Lena Ost as its next coach on 12 September 2026.",
      "Halden hired Lena Ost as coach on 12 September 2026.",
    ],
  },
  "Did the party elect Ivo Marsh as leader in September 2026?": {
    YES: [
      "The party chose Ivo Marsh as its new leader on 12 September 2026.",
      "The party picked Ivo Marsh to be its leader on 12 September 2026.",
    ],
  },
  "Did the President pardon Ivo Marsh in September 2026?": {
    YES: [
      "The President granted a full pardon to Ivo Marsh on 12 September 2026.",
      "The President signed a pardon for Ivo Marsh on 12 September 2026.",
    ],
    "": ["The President granted a conditional pardon for part of the sentence of Ivo Marsh on 12 September 2026."],
  },
  "Was the Orion phone released in September 2026?": {
    YES: ["Castor began shipping the Orion phone on 12 September 2026."],
  },
  "Did the Denby bridge open in September 2026?": {
    YES: [
      "The mayor cut the ribbon on the Denby bridge on 12 September 2026.",
      "The Denby bridge has been open to traffic since 12 September 2026.",
    ],
    "YES?": ["The Denby bridge is now open to traffic, the city said on 12 September 2026."],
  },
  "Did Norland join the Arctic Union in September 2026?": {
    YES: [
      "Norland became a full member of the Arctic Union on 12 September 2026.",
      "Norland formally acceded to the Arctic Union on 12 September 2026.",
    ],
  },
  "Did the strike at Quillon end in September 2026?": {
    YES: [
      "The strike at Quillon is over, the union said on 12 September 2026.",
      "Workers called an end to the strike at Quillon on 12 September 2026.",
    ],
  },
  "Was Quillon fined in September 2026?": {
    YES: [
      "The regulator slapped Quillon with a fine of 20 million euros on 12 September 2026.",
      "The regulator imposed a fine on Quillon on 12 September 2026.",
    ],
  },
  "Did the central bank raise its rate in September 2026?": {
    YES: ["The central bank raised its rate on 12 September 2026, as widely expected."],
    "YES?": ["The central bank lifted its key rate to 4% on 12 September 2026, as expected by economists."],
  },
  "Did Quillon sign the contract with Halden in September 2026?": {
    YES: ["Quillon inked the contract with Halden on 12 September 2026."],
  },
  "Did Anna Weld win the Tarn Open in September 2026?": {
    YES: ["Anna Weld triumphed at the Tarn Open on 12 September 2026."],
  },
  "Did the council approve the Denby tunnel in September 2026?": {
    YES: ["The council gave the Denby tunnel its final approval on 12 September 2026."],
  },
  "Did the parliament pass the water bill in September 2026?": {
    YES: ["The parliament voted by a wide margin to pass the water bill on 12 September 2026."],
  },
  "Did line 7 of the Denby metro open in September 2026?": {
    "": ["Line 8 of the Denby metro opened on 12 September 2026, seven years after line 7 was planned."],
  },
});
