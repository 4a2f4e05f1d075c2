import { describeSides } from "../testing/describe-sides.ts";

/** Questions about votes, landings, fines, releases and awards, and sentences about what is near them. */
describeSides({
  "Will Corland's prime minister Ida Marsh lose a confidence vote before 1 December 2026?": {
    NO: [
      "Prime minister Ida Marsh survived a confidence vote on 3 September 2026.",
      "Prime minister Ida Marsh won a confidence vote on 3 September 2026.",
    ],
    "": [
      "Prime minister Ida Marsh faces a confidence vote on 3 November 2026.",
      "Opposition leader Ida Marsh lost a confidence vote on 3 September 2026.",
      "Prime minister Ida Marsh lost a budget vote on 3 September 2026.",
      "Prime minister Ida Marsh called a confidence vote on 3 September 2026.",
      "Norland's prime minister lost a confidence vote on 3 September 2026.",
    ],
  },
  "Did Heron land its probe on the moon Tethra in 2026?": {
    YES: ["Heron landed its probe on the moon Tethra on 3 May 2026."],
    "": [
      "Heron's probe entered orbit around the moon Tethra on 3 May 2026.",
      "Heron's probe landed on the moon Dione on 3 May 2026.",
      "Kestrel's probe landed on the moon Tethra on 3 May 2026.",
      "Heron's probe is to land on the moon Tethra on 3 May 2026.",
      "Heron's probe landed on the moon Tethra on 3 May 2016.",
      "Heron landed a contract for the moon Tethra on 3 May 2026.",
      "Heron aborted the landing of its probe on the moon Tethra on 3 May 2026.",
    ],
  },
  "Did the Tarn marathon have a women's winner from Corland in 2026?": {
    "": [
      "Corland's Leo Brandt won the men's race of the Tarn marathon on 3 May 2026.",
      "Norland's Ana Ruiz won the women's race of the Tarn marathon on 3 May 2026.",
    ],
  },
  "Will Zetalk be fined by the EU in 2026?": {
    YES: ["Zetalk was fined by the EU on 3 May 2026."],
    "": [
      "The EU threatened to fine Zetalk on 3 May 2026.",
      "A Corland court fined Zetalk on 3 May 2026.",
      "The EU fined Zetalk's owner on 3 May 2026.",
      "The EU fined Tecnova on 3 May 2026.",
      "The EU dropped its case against Zetalk on 3 May 2026.",
      "A court annulled the EU's fine for Zetalk on 3 May 2026.",
      "Zetalk set aside 90 million euros for an EU fine on 3 May 2026.",
      "Zetalk was fined in the EU's neighbour Corland on 3 May 2026.",
    ],
  },
  "Will Ilse Brandt be released from prison before 1 October 2026?": {
    YES: [
      "Ilse Brandt was released from prison on 3 September 2026.",
      "Ilse Brandt left prison on 3 September 2026.",
      "Ilse Brandt walked free from prison on 3 September 2026.",
    ],
    NO: ["Ilse Brandt was still in prison on 2 October 2026."],
    "": [
      "Ilse Brandt was moved to another prison on 3 September 2026.",
      "Ilse Brandt's son was released from prison on 3 September 2026.",
      "Ilse Brandt released a statement from prison on 3 September 2026.",
      "Ilse Brandt will be released from prison on 3 November 2026.",
      "A judge ordered the release of Ilse Brandt from prison on 3 September 2026.",
    ],
    "YES?": [
      "Ilse Brandt was released from hospital on 3 September 2026.",
      "Ilse Brandt was released from prison for a day on 3 September 2026.",
      "Ilse Brandt was released from a prison camp band on 3 September 2026.",
    ],
  },
  "Will Aldersea host the 2030 Games?": {
    "": [
      "Aldersea wants to host the 2030 Games.",
      "Aldersea will host the 2028 Games.",
      "Aldersea bid for the 2030 Games.",
      "Aldersea hosted a meeting on the 2030 Games.",
      "Aldersea withdrew its bid for the 2030 Games.",
      "Aldersea will host the 2030 Youth Games.",
    ],
  },
  "Did the jury award Mara Voss more than 1 million dollars?": {
    YES: ["The jury awarded Mara Voss 1.4 million dollars."],
    NO: ["The jury awarded Mara Voss 700,000 dollars."],
    "": [
      "Mara Voss had asked for 1.4 million dollars.",
      "The jury awarded Jon Voss 1.4 million dollars.",
      "The judge cut the award to Mara Voss to 700,000 dollars.",
      "The jury ordered Mara Voss to pay 1.4 million dollars.",
      "The jury awarded Mara Voss's landlord 1.4 million dollars.",
    ],
    "YES?": ["Mara Voss settled for 1.4 million dollars."],
  },
});
