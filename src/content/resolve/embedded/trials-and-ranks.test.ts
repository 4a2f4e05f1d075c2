import { describeSides } from "../testing/describe-sides.ts";

/** Questions about trials, confirmations and ranks, and sentences about what is near them. */
describeSides({
  "Will Estmark's inflation rate for September 2026 be lower than for August 2026?": {
    YES: ["Estmark's inflation rate fell to 2.1 percent in September 2026 from 2.4 percent in August 2026."],
    NO: [
      "Estmark's inflation rate rose to 2.6 percent in September 2026 from 2.4 percent in August 2026.",
      "Estmark's inflation rate was 2.4 percent in September 2026, unchanged from August 2026.",
    ],
    "": [
      "Marvia's inflation rate fell to 2.1 percent in September 2026 from 2.4 percent in August 2026.",
      "Estmark's inflation rate fell to 2.1 percent in August 2026 from 2.4 percent in July 2026.",
      "Estmark's inflation rate was 2.1 percent in September 2026.",
    ],
  },
  "Will Vireo overtake Lumen as the largest streaming service by subscribers in 2026?": {
    YES: [
      "Vireo overtook Lumen as the largest streaming service by subscribers in June 2026.",
      "Vireo passed Lumen in June 2026 to become the largest streaming service by subscribers.",
    ],
    "": [
      "Lumen overtook Vireo as the largest streaming service by subscribers in June 2026.",
      "Vireo overtook Tern as the second largest streaming service by subscribers in June 2026.",
      "Vireo overtook Lumen as the largest streaming service by revenue in June 2026.",
      "Vireo could overtake Lumen as the largest streaming service by subscribers in 2026.",
    ],
    "YES?": [
      "Vireo overtook Lumen in the number of downloads in June 2026.",
      "Vireo overtook Lumen as the largest streaming service by subscribers in Norway in June 2026.",
    ],
  },
  "Will Ilse Brandt be acquitted?": {
    YES: [
      "Ilse Brandt was acquitted on Friday.",
      "The court acquitted Ilse Brandt.",
      "The jury found Ilse Brandt not guilty.",
    ],
    NO: ["Ilse Brandt was convicted on Friday."],
    "NO?": ["The jury found Ilse Brandt guilty.", "Ilse Brandt was sentenced to four years in prison."],
    "": [
      "Ilse Brandt's lawyer expects that Ilse Brandt will be acquitted.",
      "Ilse Brandt's husband was acquitted on Friday.",
      "The prosecutor asked the court to acquit Ilse Brandt.",
      "Ilse Brandt pleaded not guilty.",
      "An appeals court overturned the acquittal of Ilse Brandt.",
      "Ilse Brandt acquitted herself well in the debate.",
      "Ilse Brandt was released on bail.",
    ],
    "YES?": ["Ilse Brandt was acquitted of one of three charges."],
  },
  "Did Corland's senate confirm Nora Whitt as central bank governor in May 2026?": {
    YES: [
      "Corland's senate confirmed Nora Whitt as central bank governor on 12 May 2026.",
      "Nora Whitt was confirmed as central bank governor by Corland's senate on 12 May 2026.",
      "Corland's senate approved the appointment of Nora Whitt as central bank governor on 12 May 2026.",
    ],
    NO: [
      "Corland's senate rejected Nora Whitt as central bank governor on 12 May 2026.",
      "Corland's senate voted down the nomination of Nora Whitt as central bank governor on 12 May 2026.",
    ],
    "": [
      "Corland's president nominated Nora Whitt as central bank governor on 12 May 2026.",
      "A committee of Corland's senate confirmed Nora Whitt as central bank governor on 12 May 2026.",
      "Corland's senate confirmed Jon Whitt as central bank governor on 12 May 2026.",
      "Corland's senate confirmed that Nora Whitt will be heard as candidate for central bank governor on 12 May 2026.",
      "Corland's senate will vote on Nora Whitt as central bank governor on 12 May 2026.",
      "Corland's senate confirmed the date of Nora Whitt's hearing as central bank governor on 12 May 2026.",
      "Norland's senate confirmed Nora Whitt as central bank governor on 12 May 2026.",
    ],
    "YES?": ["Corland's senate confirmed Nora Whitt as deputy central bank governor on 12 May 2026."],
  },
  "Did Tarnby United score first in the match against Wexley?": {
    YES: ["Tarnby United scored first in the match against Wexley."],
    "": [
      "Tarnby United scored twice in the match against Wexley.",
      "Tarnby United scored last in the match against Wexley.",
      "Tarnby United scored first in the match against Marl.",
      "Tarnby United won the match against Wexley.",
      "Tarnby United's women scored first in the match against Wexley.",
    ],
  },
  "Is the Sable dam the tallest dam in Corland?": {
    YES: ["The Sable dam is the tallest dam in Corland.", "At 212 metres, the Sable dam is Corland's tallest dam."],
    "NO?": ["The Sable dam is the second tallest dam in Corland.", "The Rhode dam is the tallest dam in Corland."],
    "": [
      "The Sable dam is the tallest dam in Norland.",
      "The Sable dam is the oldest dam in Corland.",
      "The Sable dam is one of the tallest dams in Corland.",
      "The Sable dam will be the tallest dam in Corland.",
      "The Sable dam was the tallest dam in Corland until 1998.",
      "The Sable dam's tower is the tallest tower in Corland.",
      "The Sable dam is the tallest concrete dam in Corland.",
    ],
    "YES?": ["The Sable dam is as tall as the tallest dam in Corland."],
  },
  "Did the Senate of Ruthen ratify the Oslo Accord unanimously?": {
    YES: [
      "The Senate of Ruthen ratified the Oslo Accord unanimously.",
      "The Senate of Ruthen unanimously ratified the Oslo Accord.",
    ],
    NO: ["The Senate of Ruthen rejected the Oslo Accord."],
    "YES?": ["The Senate of Ruthen ratified the Oslo Accord."],
    "": [
      "The Senate of Ruthen debated the Oslo Accord.",
      "A committee of the Senate of Ruthen ratified the Oslo Accord unanimously.",
      "The Senate of Ruthen ratified the Bergen Accord unanimously.",
      "The Senate of Marvia ratified the Oslo Accord unanimously.",
    ],
  },
});
