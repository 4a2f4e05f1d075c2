import { describePages, describeSides } from "../testing/describe-sides.ts";

/** Reports with a seller, a price, a site, a duration or a work that the question does not have, and near ones. */
describeSides({
  "Did Halden buy Castor?": {
    YES: [
      "Halden bought Castor from the Loxley family.",
      "Halden has bought the power company Castor for 1.1 billion crowns.",
      "Halden bought Castor in only nineteen days.",
    ],
    "": [
      "Halden bought steel from Castor.",
      "Halden bought a stake in Castor from the Loxley family.",
      "Halden bought Castor's mill from the Loxley family.",
      "Halden bought Castor shares for 1.1 billion crowns.",
      "Halden bought a mill from the owner of Castor.",
    ],
  },
  "Will the Heron satellite be launched by 31 October 2026?": {
    YES: [
      "The Heron satellite was launched from Koura on 3 October 2026.",
      "The Heron satellite was launched on 3 October 2026 on board a Meridian rocket.",
      "The Heron satellite was launched on 3 October 2026 at the third attempt.",
    ],
    "": [
      "A model of the Heron satellite was launched from Koura on 3 October 2026.",
      "The Heron satellite's twin was launched from Koura on 3 October 2026.",
      "A campaign against the Heron satellite was launched from Koura on 3 October 2026.",
    ],
  },
  "Did Ana Rhee win the Lira Prize?": {
    YES: [
      "Ana Rhee won the Lira Prize for their second novel.",
      "The Lira Prize went to Ana Rhee for their second novel.",
    ],
    "YES?": ["Ana Rhee won the Lira Prize for Poetry.", "The Lira Prize for Poetry went to Ana Rhee."],
    "": ["The runner-up of the Lira Prize went to Ana Rhee's class.", "The Lira Prize jury went to Ana Rhee."],
  },
  "Did Ana Rhee win the Lira Prize for Fiction?": {
    YES: ["The Lira Prize for Fiction went to Ana Rhee.", "The Lira Prize for Fiction has gone to Ana Rhee."],
    "": ["The Lira Prize for Poetry went to Ana Rhee."],
  },
  "Did the Halvic Dockers win the league?": {
    YES: ["The Halvic Dockers won the league with three matches to spare."],
    "": ["The Halvic Dockers lead the league with three matches to spare."],
  },
  "Was the bridge's new lighting paid for by the Harlan Trust?": {
    YES: [
      "The Harlan Trust paid for the bridge's new lighting, which cost £1.2 million.",
      "The new lighting of the bridge was funded by the Harlan Trust.",
    ],
    "": [
      "The Harlan Trust paid for the bridge's new paint.",
      "The Harlan Trust paid for a study of the bridge's new lighting.",
      "The Harlan Trust offered to pay for the bridge's new lighting.",
    ],
    "YES?": ["The new lighting of the tunnel was funded by the Harlan Trust."],
  },
  "Did President Ivo Marn veto the press law?": {
    YES: [
      "Oskeria's president Ivo Marn has vetoed the press law.",
      "President Ivo Marn has vetoed the disputed press law.",
    ],
    "": [
      "Oskeria's president Ana Lund has vetoed the press law.",
      "Oskeria's president Ivo Marn has vetoed the disputed water law.",
      "Oskeria's president Ivo Marn may veto the disputed press law.",
    ],
  },
  "Was the data law struck down by the Supreme Court?": {
    YES: ["The Supreme Court struck down the data law on Wednesday."],
    NO: ["The Supreme Court upheld the data law on Wednesday."],
    "": ["The Supreme Court struck down the water law on Wednesday."],
  },
  "Did Nora Whitt become leader of the Civic Party?": {
    YES: ["Nora Whitt, elected leader of the Civic Party on Saturday, grew up near Aldon."],
    "": [
      "Nora Whitt, elected leader of the Green Party on Saturday, grew up near Aldon.",
      "Nora Whitt, once elected leader of a choir, may lead the Civic Party.",
      "Tom Aldous, elected leader of the Civic Party on Saturday, beat Nora Whitt.",
    ],
  },
  "Did the Dunmore Hawks reach the play-offs in 2026?": {
    YES: ["The Dunmore Hawks qualified for the play-offs.", "The Dunmore Hawks reached the play-offs."],
    "": [
      "The Dunmore Hawks qualified for the draft lottery.",
      "The Dunmore Hawks missed the first match of the play-offs.",
      "The Dunmore Hawks qualified for the play-offs draw party.",
      "The Elm City Bears qualified for the play-offs.",
      "The Dunmore Hawks women qualified for the play-offs.",
    ],
  },
  "Did the Vale Hawks reach the final?": {
    YES: ["The Vale Hawks qualified for the final on Sunday.", "The Vale Hawks advanced to the final."],
    NO: ["The Vale Hawks fell short of the final.", "The Vale Hawks were knocked out."],
    "": [
      "The Vale Hawks missed the final whistle.",
      "The Vale Hawks qualified for the final qualifying round.",
      "The Vale Hawks qualified for the play-offs.",
      "The Vale Hawks qualified.",
      "The Vale Hawks were eliminated from the youth cup.",
    ],
  },
  "Did the Vale Hawks reach the final of the Copper Cup?": {
    YES: ["The Vale Hawks advanced to the Copper Cup final."],
    "": [
      "The Vale Hawks qualified for the Copper Cup.",
      "The Vale Hawks advanced to the second round of the Copper Cup.",
    ],
  },
  "Did Ana Lund reach the semi-finals of the Marl Open?": {
    YES: ["Ana Lund advanced to the semi-finals of the Marl Open."],
    "": ["Ana Lund advanced to the second round of the Marl Open.", "Ana Lund qualified for the Marl Open."],
  },
  "Did turnout rise above 50 percent in Marl?": {
    YES: ["Turnout in Marl was unchanged at 54 percent."],
    "": ["Turnout in Marl remained unchanged from 2022."],
  },
  "Was Calder City chosen to host Expo 2034?": {
    YES: [
      "Calder City was chosen to host Expo 2034.",
      "Calder City will host Expo 2034 after defeating Port Amal by 92 votes to 67.",
    ],
    "": [
      "Calder City will host Expo 2031 after defeating Port Amal by 92 votes to 67.",
      "Port Amal will host Expo 2034 after defeating Calder City by 92 votes to 67.",
    ],
  },
  "Did Pellin Labs buy Cormorant Bio?": {
    YES: ["Pellin Labs bought Cormorant Bio on 12 March."],
    "": ["Pellin Labs is to buy Cormorant Bio on 12 March."],
  },
  "Hat der Rat von Lahnau den Bau des Windparks abgelehnt?": {
    YES: ["Der Rat von Lahnau hat den Bau des Windparks am Donnerstagabend abgelehnt."],
    "": ["Der Ausschuss des Rats von Lahnau hat den Bau des Windparks am Donnerstagabend abgelehnt."],
  },
});

/** Rates that stay, for questions about a cut. */
describePages([
  [
    "Did the Bank of Lunmark cut its key rate below 3 percent at its meeting in April 2026?",
    "2026-04-17",
    [
      ["NO", "The Bank of Lunmark left its key rate unchanged on Thursday."],
      ["YES", "The Bank of Lunmark cut its key rate to 2.75 percent on Thursday."],
      ["", "The Bank of Lunmark left its growth forecast unchanged on Thursday."],
      ["", "The Bank of Norland left its key rate unchanged on Thursday."],
    ],
  ],
]);
