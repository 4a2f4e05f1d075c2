import { describeSides } from "../testing/describe-sides.ts";

/** Clauses of newsrooms beside the outcome: inserted ones, states that go on, days of reports, ranks and asides. */
describeSides({
  "Will Halvar Bank complete its purchase of Ostrem Savings by 30 June 2026?": {
    YES: [
      "Halvar Bank, which first approached Ostrem Savings in August 2026, completed the purchase of Ostrem Savings on 18 June 2026.",
    ],
  },
  "Will the Marden Tunnel open to traffic by 30 September 2026?": {
    NO: [
      "The Marden Tunnel did not open to traffic on 30 September 2026 as promised.",
      "The Marden Tunnel remains closed to traffic.",
    ],
    "": ["The remains of the Marden Tunnel were closed to traffic on 30 September 2026."],
  },
  "Will Quenby Software report revenue of at least $1.5 billion for the third quarter of 2026?": {
    YES: ["Quenby Software posted third-quarter revenue of $1.62 billion on 15 October 2026."],
  },
  "Will August 2026 be the hottest August on record in Gallia?": {
    NO: ["August 2026 was the third-warmest August on record in Gallia."],
  },
  "Will Orla Finch retire from international football before 5 September 2026?": {
    YES: ["Orla Finch retired from international football with immediate effect on 20 August 2026."],
  },
  "Will Amara Okoye win the 2026 Linden Prize for Fiction?": {
    YES: ["Amara Okoye won the 2026 Linden Prize for Fiction on Tuesday, for The Long River (Harbour Press)."],
    "": ["The Lagos-born writer won the 2026 Linden Prize for Fiction."],
    NO: ["Tess Malin won the 2026 Linden Prize for Fiction."],
  },
  "Will President Jonas Wieland sign the Maritime Safety Bill by 31 March 2026?": {
    YES: [
      "With eleven sailors standing beside the desk, President Jonas Wieland signed the Maritime Safety Bill on 30 March 2026.",
    ],
  },
  "Will Dr Hana Weiss be elected president of the World Medical Union?": {
    "NO?": ["The General Assembly elected Dr Thandi Stone as president of the World Medical Union."],
  },
  "Will Prime Minister Halloran not attend the Geneva climate conference?": {
    NO: ["Prime Minister Halloran attended the Geneva climate conference on Monday."],
  },
});
