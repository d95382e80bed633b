package english

import "strings"

// verbClasses are further verbs, by what they state: a line is a type, the voice and the
// preposition as in verbRules, and the verbs of which it holds. A "<" before the type
// turns it round.
const verbClasses = `
CAUSES a - spark prompt elicit evoke engender precipitate inflict arouse
PREVENTS a - avert thwart preclude halt ban outlaw obstruct repel counteract forestall stifle foil
PREVENTS a from protect shield
INFLUENCES a with interact interfere
INFLUENCES a - abolish activate adapt adjust aggravate alleviate ameliorate amend amplify attenuate automate bleach brighten bias burden cleanse coat colour complicate compress compromise constrain contaminate corrode corrupt crush curb dampen darken decimate decrease deepen deform degrade delay delete deplete depress deter devastate dilute diminish disable discourage dissolve disturb divert double drain ease elevate encourage endanger enlarge enrich erase erode exacerbate expand expedite extinguish fertilise fertilize filter flatten flood foster fragment freeze fuel halve hamper harden hasten heat hinder hurt ignite illuminate impact impede impoverish infiltrate injure inspire insulate intensify interrupt irrigate irritate loosen magnify mitigate moderate modernise modernize modify motivate neutralise neutralize nourish nurture obscure offset optimise optimize overwhelm oxidise oxidize paralyse paralyze penetrate perturb poison pollute prolong purify quicken ravage redden reform refine reform regenerate reinforce relax relieve repair reshape restore restrict retard revive revolutionise revolutionize ruin sabotage scatter sharpen shatter smooth soften stabilise stabilize stain standardise standardize stiffen stop streamline sweeten taint tame thicken thin tighten transform trim triple truncate undermine unify update upgrade void warm warp weaken whiten widen wound wreck train educate teach coach end repeal revoke open close appoint nominate move insert transmit drive guide attract attack besiege defeat invade bombard depose
ENABLES a - empower authorise authorize unlock
SUPPORTS a - aid assist back bolster defend endorse finance fund guarantee help promote protect safeguard serve shield sponsor subsidise subsidize sustain underpin uphold substantiate ensure
VALIDATES a - validate verify certify authenticate
PRODUCES a - prepare provide supply deliver issue forge brew bake craft fabricate assemble construct erect author draft carve sculpt film devise conceive pioneer introduce launch excrete exude radiate render return record compile sell offer make distil knit sew spin mint formulate cultivate grow award grant confer bestow impose levy
PRODUCES a off give
PRODUCES a out give carry
HAS_PART a - have hold store house feature incorporate encompass enclose accommodate boast bear host
HAS_PART p with furnish fill load stock pack cover coat
LOCATED_IN p in keep house display exhibit bury hide preserve install hold place establish build construct mount position print host register record save cache define archive document quarry plant
LOCATED_IN p on mount install place display keep hold host print store
LOCATED_IN p at hold keep house display place station build
LOCATED_IN p near locate situate find build
LOCATED_IN a in run live reside dwell stand sit grow occur stay nest settle thrive exist rest
LOCATED_IN a on stand sit grow rest perch
LOCATED_IN a at stand sit live reside stay study
LOCATED_IN a near stand lie live grow
LOCATED_IN a through flow
LOCATED_IN a along grow live stretch
USES p in encode rewrite
USES p by identify calibrate
SUPPORTS a - approve
PART_OF a - attend
LOCATED_IN a - inhabit
USES a - adopt exploit harness leverage wield consult read wear invoke import speak query reuse play wield
USES a to talk connect resort
USES a on draw
USES a with communicate
USES p with make cook season measure fasten clean cut treat
<USES p during use
<USES p by use
CONSUMES a - ingest devour drink digest exhaust swallow burn absorb
CONSUMES a on prey graze
LEADS a - direct oversee supervise command administer captain steer rule run operate
LEADS a over preside rule reign
IMPLEMENTS a with comply conform
IMPLEMENTS a to conform adhere
PRECEDES a - predate antedate
DERIVED_FROM p from borrow copy translate fork buy import cut carve adopt receive distil inherit bake brew
<DERIVED_FROM p into spin weave press grind smelt refine distil
DERIVED_FROM a from inherit grow borrow hail
DERIVED_FROM p after model
DERIVED_FROM p on found
DEPENDS_ON a on live
PART_OF a - join
PART_OF a in participate star appear feature
PART_OF a for play work
PART_OF p in contain embed enclose incorporate
PART_OF p into integrate build merge incorporate
PART_OF p to add append attach fix fasten screw
PART_OF p into insert lock screw pour fold stir plug
PART_OF p from remove detach unscrew
LOCATED_IN p in place put soak poach simmer immerse dip drop lay
LOCATED_IN p on place put lay spread
REPLACES a - displace oust
REQUIRES a - demand presuppose
REQUIRES a for call
DEFINES a - specify
ANALOGOUS_TO a - equal mimic imitate mirror
ANALOGOUS_TO a to correspond
ANALOGOUS_TO p with confuse
OVERLAPS p with associate
OVERLAPS a with correlate coincide
COMPLEMENTS a - accompany supplement
CONTRADICTS a - violate dispute challenge
CONTRADICTS a with conflict clash
REFUTES a - rebut debunk invalidate
<ACQUIRED p to sell
ACQUIRED a - buy purchase obtain annex conquer win
DISCOVERED a - find uncover isolate
FOUNDED a - establish
FOUNDED a up set
PRODUCES a - form
IS_A a as work
IS_A p as eat appoint
IS_A p - elect appoint
IS_A a - become constitute
`

// classRules calls add with each rule of verbClasses, as lines of verbRules are.
func classRules(add func(lemma, voice, prep, typ string)) {
	for line := range strings.SplitSeq(strings.TrimSpace(verbClasses), "\n") {
		f := strings.Fields(line)
		for _, lemma := range f[3:] {
			add(lemma, f[1], f[2], f[0])
		}
	}
}
