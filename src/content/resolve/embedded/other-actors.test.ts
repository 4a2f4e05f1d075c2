import { describeSides } from "../testing/describe-sides.ts";

/** Questions about an act, and sentences about other actors, other objects and other places. */
describeSides({
  "Did both Norda and Velant recall their electric vans in 2026?": {
    "": [
      "Norda recalled its electric vans on 4 May 2026.",
      "Velant recalled its electric vans on 4 May 2026.",
      "Norda recalled its electric vans on 4 May 2026, and Velant did not.",
    ],
  },
  "Did either Norda or Velant recall its electric vans in 2026?": {
    "": ["Neither Norda nor Velant has recalled its electric vans."],
  },
  "Was the mayor of Dunmere, Orla Kemp, charged with bribery?": {
    YES: ["Orla Kemp was charged with bribery on Tuesday.", "Prosecutors charged mayor Orla Kemp with bribery."],
    NO: ["Prosecutors decided not to charge Orla Kemp with bribery."],
    "": [
      "Orla Kemp was questioned about bribery.",
      "Orla Kemp's deputy was charged with bribery.",
      "The mayor of Tarn was charged with bribery.",
      "Former mayor Orla Kempson was charged with bribery.",
      "A contractor was charged with bribing Orla Kemp.",
      "The charge of bribery against Orla Kemp was dropped.",
      "Prosecutors are expected to charge Orla Kemp with bribery.",
    ],
    "YES?": ["Orla Kemp was charged with speeding.", "Orla Kemp was charged with leading the inquiry into bribery."],
  },
  "Did the Lyra probe land on Europa before 1 November 2026?": {
    YES: [
      "The Lyra probe landed on Europa on 20 September 2026.",
      "Lyra touched down on Europa on 20 September.",
      "The Lyra probe has landed safely on Europa.",
    ],
    "": [
      "The Lyra probe landed on Ganymede on 20 September 2026.",
      "The Lyra probe entered orbit around Europa on 20 September 2026.",
      "The Lyra probe's predecessor landed on Europa on 20 September 2019.",
      "The Vega probe landed on Europa on 20 September 2026.",
      "A model of the Lyra probe landed in a test basin on 20 September 2026.",
      "The Lyra probe is on course to land on Europa on 20 September 2026.",
      "Data from the Lyra probe landed in Europe on 20 September 2026.",
      "Simulations show the Lyra probe landing on Europa on 20 September 2026.",
    ],
    "YES?": ["The Lyra probe landed on its side in a hangar before launch."],
  },
  "Did Halden Bank acquire Sillo Pay in 2026?": {
    YES: [
      "Halden Bank acquired Sillo Pay in March 2026.",
      "Halden Bank bought Sillo Pay for 90 million euros in March 2026.",
      "Halden Bank completed its acquisition of Sillo Pay on 3 March 2026.",
      "Sillo Pay was taken over by Halden Bank in March 2026.",
    ],
    "": [
      "Halden Bank acquired a 20 percent stake in Sillo Pay in March 2026.",
      "Halden Bank acquired Sillo Media in March 2026.",
      "Halden Bank agreed to acquire Sillo Pay in March 2026.",
      "Halden Bank's owner acquired Sillo Pay in March 2026.",
      "Halden Insurance acquired Sillo Pay in March 2026.",
      "Halden Bank acquired Sillo Pay's offices in March 2026.",
      "Halden Bank acquired the right to use Sillo Pay in March 2026.",
      "Halden Bank acquired customers from Sillo Pay in March 2026.",
      "Halden Bank sold Sillo Pay in March 2026.",
      "Shareholders of Halden Bank approved the acquisition of Sillo Pay in March 2026.",
      "Halden Bank acquired shares of Sillo Pay in March 2026.",
      "Regulators cleared Halden Bank to acquire Sillo Pay in March 2026.",
      "Halden Bank's staff acquired skills from Sillo Pay in March 2026.",
    ],
  },
  "Will the strike at Corran Ferries end before 1 September 2026?": {
    YES: ["The strike at Corran Ferries ended on 20 August 2026."],
    NO: ["The strike at Corran Ferries ended on 5 September 2026."],
    "": [
      "The strike at Corran Rail ended on 20 August 2026.",
      "Talks to end the strike at Corran Ferries began on 20 August 2026.",
      "The strike at Corran Ferries was suspended for a weekend on 20 August 2026.",
      "The first week of the strike at Corran Ferries ended on 20 August 2026.",
      "The minister called on crews to end the strike at Corran Ferries by 20 August 2026.",
      "The strike at Corran Ferries' Tarn office ended on 20 August 2026.",
      "The ballot on the strike at Corran Ferries ended on 20 August 2026.",
    ],
  },
  "Did Governor Marlow veto the Water Act?": {
    YES: ["Governor Marlow vetoed the Water Act on Friday.", "The Water Act was vetoed by Governor Marlow."],
    NO: ["Governor Marlow did not veto the Water Act."],
    "": [
      "Governor Marlow threatened to veto the Water Act.",
      "Governor Marlow vetoed a line of the Water Act.",
      "Governor Marlow vetoed the Fire Act.",
      "Lawmakers overrode Governor Marlow's veto of the Water Act.",
      "Mayor Marlow vetoed the Water Act.",
      "Governor Marlow's predecessor vetoed the Water Act.",
      "Governor Marlow vetoed funding for the Water Act.",
      "Governor Marlow used a pocket veto on the Waste Act.",
      "Governor Marlow vetoed an amendment to the Water Act.",
    ],
  },
  "Did Sami Oduya set a new world record in the marathon in 2026?": {
    YES: [
      "Sami Oduya set a new world record in the marathon in Osk on 3 May 2026.",
      "Sami Oduya broke the marathon world record on 3 May 2026.",
    ],
    "": [
      "Sami Oduya set a national record in the marathon on 3 May 2026.",
      "Sami Oduya's pacemaker set a new world record in the marathon on 3 May 2026.",
      "Sami Oduya set a course record in the marathon on 3 May 2026.",
      "Sami Oduya's world record in the marathon was broken on 3 May 2026.",
      "Sami Oduya set out to break the world record in the marathon on 3 May 2026.",
      "Sami Oduya would have set a new world record in the marathon on a flatter course.",
      "Sami Oduya's world record in the marathon was not ratified.",
      "Sami Oduya equalled the marathon world record on 3 May 2026.",
    ],
    "YES?": [
      "Sami Oduya set a new world record in the half marathon on 3 May 2026.",
      "Sami Oduya set a new world record in the indoor marathon on 3 May 2026.",
    ],
  },
  "Was the referendum on the Tarn dam declared invalid?": {
    YES: [
      "The referendum on the Tarn dam was declared invalid.",
      "The constitutional court declared the referendum on the Tarn dam invalid.",
    ],
    "NO?": ["The referendum on the Tarn dam was declared valid."],
    "": [
      "The referendum on the Marl dam was declared invalid.",
      "312 ballots in the referendum on the Tarn dam were declared invalid.",
      "The opposition declared the referendum on the Tarn dam invalid.",
      "The referendum on the Tarn dam was nearly declared invalid.",
      "The petition for a referendum on the Tarn dam was declared invalid.",
      "The referendum on the Tarn dam was declared invalid by a newspaper columnist.",
    ],
  },
});
