import { describeSides } from "../testing/describe-sides.ts";

/** Questions whose circumstance, object or owner decides, and sentences about other ones. */
describeSides({
  "Will Senator Mara Voss be the Unity Party's candidate for president in 2026?": {
    YES: ["The Unity Party nominated Senator Mara Voss as its candidate for president on 3 August 2026."],
    "": [
      "Mara Voss is running for the Unity Party's nomination for president.",
      "Mara Voss leads the race for the Unity Party's nomination for president.",
      "The Unity Party's youth wing nominated Mara Voss as its candidate for president on 3 August 2026.",
      "The Unity Party nominated Mara Voss as its candidate for governor on 3 August 2026.",
      "The Liberty Party nominated Mara Voss as its candidate for president on 3 August 2026.",
      "Mara Voss nominated Jon Lindqvist as the Unity Party's candidate for president on 3 August 2026.",
      "Mara Voss endorsed the Unity Party's candidate for president on 3 August 2026.",
      "Mara Voss would be the Unity Party's strongest candidate for president, a poll found.",
      "Mara Voss was the Unity Party's candidate for president in 2022.",
      "Mara Voss is the favourite to be the Unity Party's candidate for president.",
    ],
  },
  "Did the ceasefire between Corland and Norland hold until 31 August 2026?": {
    "YES?": [
      "The ceasefire between Corland and Norland held until 31 August 2026.",
      "Corland and Norland held talks on the ceasefire until 31 August 2026.",
    ],
    YES: ["The ceasefire between Corland and Norland held throughout August 2026, observers said on 2 September."],
    "": [
      "The ceasefire between Corland and Norland came into force on 12 August 2026.",
      "The ceasefire between Corland and Norland is holding, observers said on 3 August 2026.",
      "Corland accused Norland of breaking the ceasefire on 12 August 2026.",
      "The ceasefire between Corland and Westland collapsed on 12 August 2026.",
      "Corland and Norland extended the ceasefire until 31 August 2026.",
    ],
  },
  "Will the Harbour tunnel project be completed under budget?": {
    YES: [
      "The Harbour tunnel project was completed under budget.",
      "The Harbour tunnel project was completed 4 million under budget.",
    ],
    "NO?": [
      "The Harbour tunnel project was completed over budget.",
      "The Harbour tunnel project was completed 40 million over budget.",
    ],
    "YES?": [
      "The Harbour tunnel project was completed.",
      "The Harbour tunnel project was completed under a new budget law.",
    ],
    "": [
      "The Harbour bridge project was completed under budget.",
      "The Harbour tunnel project's first phase was completed under budget.",
      "The contractor hopes that the Harbour tunnel project will be completed under budget.",
      "The Harbour tunnel project is under budget so far.",
    ],
  },
  "Was Orbis's bid for Kestrel blocked by the regulator?": {
    YES: [
      "The regulator blocked Orbis's bid for Kestrel.",
      "Orbis's bid for Kestrel was blocked by the regulator.",
      "The regulator prohibited Orbis's bid for Kestrel.",
    ],
    NO: ["The regulator cleared Orbis's bid for Kestrel.", "Orbis's bid for Kestrel was approved by the regulator."],
    "": [
      "The regulator opened an inquiry into Orbis's bid for Kestrel.",
      "The regulator blocked Tecnova's bid for Kestrel.",
      "The regulator blocked Orbis's bid for Heron.",
      "Kestrel's board blocked Orbis's bid for Kestrel.",
      "A court blocked Orbis's bid for Kestrel.",
      "The regulator was asked to block Orbis's bid for Kestrel.",
      "Orbis withdrew its bid for Kestrel before the regulator could block it.",
      "A court overturned the regulator's decision to block Orbis's bid for Kestrel.",
      "The regulator blocked Kestrel's bid for Orbis.",
    ],
    "YES?": ["The regulator blocked Orbis's first bid for Kestrel in 2019."],
  },
  "Did Ella Novak serve the full term as mayor of Denby?": {
    YES: ["Ella Novak served the full term as mayor of Denby."],
    NO: ["Ella Novak did not serve the full term as mayor of Denby."],
    "": [
      "Ella Novak served as mayor of Denby.",
      "Ella Novak served as mayor of Marl.",
      "Ella Novak wants to serve the full term as mayor of Denby.",
      "Ella Novak served as deputy mayor of Denby.",
    ],
  },
  "Will Sillo be listed on the Corland stock exchange in 2026?": {
    YES: [
      "Sillo was listed on the Corland stock exchange on 3 June 2026.",
      "Sillo went public on the Corland stock exchange on 3 June 2026.",
      "Shares of Sillo began trading on the Corland stock exchange on 3 June 2026.",
    ],
    "": [
      "Sillo was delisted from the Corland stock exchange on 3 June 2026.",
      "Sillo was listed on the Norland stock exchange on 3 June 2026.",
      "Sillo filed to be listed on the Corland stock exchange on 3 June 2026.",
      "Sillo listed its bonds on the Corland stock exchange on 3 June 2026.",
      "Sillo's subsidiary was listed on the Corland stock exchange on 3 June 2026.",
      "Sillo postponed its listing on the Corland stock exchange on 3 June 2026.",
      "Sillo was listed among the Corland stock exchange's risks on 3 June 2026.",
      "Sillo Holdings was listed on the Corland stock exchange on 3 June 2016.",
    ],
    "YES?": ["Sillo was listed on the Corland stock exchange's watch list on 3 June 2026."],
  },
  "Did more senators vote for the Harbour Act than against it?": {
    YES: ["Senators voted for the Harbour Act by 52 to 48."],
    "": [
      "Senators will vote on the Harbour Act.",
      "Some senators voted for the Harbour Act.",
      "Deputies voted for the Harbour Act by 52 to 48.",
    ],
  },
  "Was the Kessler mine closed by 30 June 2026?": {
    YES: [
      "The Kessler mine closed on 12 June 2026.",
      "The Kessler mine was closed on 12 June 2026.",
      "The owners shut the Kessler mine on 12 June 2026.",
    ],
    NO: ["The Kessler mine closed on 12 July 2026.", "The Kessler mine remained open after 30 June 2026."],
    "": [
      "The Kessler mine will close on 12 June 2026.",
      "The Kessler mine's canteen closed on 12 June 2026.",
      "The Kessler mine closed a deal on 12 June 2026.",
      "The road to the Kessler mine closed on 12 June 2026.",
      "The Kessler copper mine museum closed on 12 June 2026.",
      "The Kessler mine was closed on 12 June 2016.",
      "The minister closed a visit to the Kessler mine on 12 June 2026.",
    ],
    "YES?": [
      "The Kessler mine closed for a day on 12 June 2026.",
      "The Kessler mine closed one of its shafts on 12 June 2026.",
    ],
    "NO?": ["The Kessler mine reopened on 12 June 2026."],
  },
  "Did any team score more than 4 goals in the 2026 Tarn Cup?": {
    "YES?": ["Dock City scored five goals in the 2026 Tarn Cup.", "Jana Rehm scored five goals in the 2026 Tarn Cup."],
    "": ["Dock City scored five goals in the 2025 Tarn Cup."],
    "NO?": ["Dock City scored four goals in the 2026 Tarn Cup."],
  },
  "Did Halden Air cancel its order for 20 Kestrel jets?": {
    YES: [
      "Halden Air cancelled its order for 20 Kestrel jets.",
      "Halden Air has called off its order for 20 Kestrel jets.",
    ],
    "": [
      "Halden Air cut its order for Kestrel jets by 20.",
      "Halden Air cancelled its order for 20 Heron jets.",
      "Halden Air cancelled 20 flights with Kestrel jets.",
      "Tecnova Air cancelled its order for 20 Kestrel jets.",
      "Halden Air postponed its order for 20 Kestrel jets.",
      "Halden Air cancelled an option for 20 Kestrel jets.",
      "Halden Air's lessor cancelled its order for 20 Kestrel jets.",
      "Halden Air threatened to cancel its order for 20 Kestrel jets.",
    ],
    "YES?": ["Halden Air had cancelled its order for 20 Kestrel jets, but placed it again."],
  },
});
