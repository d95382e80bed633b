package english

import (
	"strings"
)

// verbRules say which verbs state which relationship. Each line is a verb, its
// voice (a for active, p for passive), the preposition it needs (- for a plain
// object, or the agent's "by" in the passive, which is derived and not listed),
// and the type. A "<" before the type turns it round: the object is the source.
const verbRules = `
cause a - CAUSES
trigger a - CAUSES
induce a - CAUSES
provoke a - CAUSES
lead a to CAUSES
give a to CAUSES
result a in CAUSES
result a from RESULTS_FROM
arise a from RESULTS_FROM
stem a from RESULTS_FROM
require a - REQUIRES
need a - REQUIRES
necessitate a - REQUIRES
depend a on DEPENDS_ON
depend a upon DEPENDS_ON
rely a on DEPENDS_ON
rely a upon DEPENDS_ON
hinge a on DEPENDS_ON
use a - USES
employ a - USES
utilize a - USES
utilise a - USES
contain a - HAS_PART
comprise a - HAS_PART
include a - HAS_PART
consist a of COMPOSED_OF
compose p of COMPOSED_OF
make p of COMPOSED_OF
make p up COMPOSED_OF
form p of COMPOSED_OF
divide p into HAS_PART
split p into HAS_PART
subdivide p into HAS_PART
belong a to PART_OF
prevent a - PREVENTS
avoid a - PREVENTS
inhibit a - PREVENTS
block a - PREVENTS
suppress a - PREVENTS
prohibit a - PREVENTS
forbid a - PREVENTS
protect a against PREVENTS
guard a against PREVENTS
enable a - ENABLES
allow a - ENABLES
permit a - ENABLES
facilitate a - ENABLES
allow a for ENABLES
produce a - PRODUCES
emit a - PRODUCES
generate a - PRODUCES
create a - PRODUCES
yield a - PRODUCES
release a - PRODUCES
secrete a - PRODUCES
manufacture a - PRODUCES
synthesize a - PRODUCES
write a - PRODUCES
compose a - PRODUCES
paint a - PRODUCES
invent a - PRODUCES
develop a - PRODUCES
design a - PRODUCES
build a - PRODUCES
publish a - PRODUCES
extend a - EXTENDS
implement a - IMPLEMENTS
precede a - PRECEDES
follow p by <FOLLOWS
succeed a - FOLLOWS
support a - SUPPORTS
confirm a - SUPPORTS
corroborate a - SUPPORTS
contradict a - CONTRADICTS
refute a - REFUTES
disprove a - REFUTES
imply a - IMPLIES
entail a - IMPLIES
influence a - INFLUENCES
affect a - INFLUENCES
regulate a - INFLUENCES
shape a - INFLUENCES
modulate a - INFLUENCES
govern a - INFLUENCES
control a - INFLUENCES
reduce a - INFLUENCES
increase a - INFLUENCES
lower a - INFLUENCES
consume a - CONSUMES
eat a - CONSUMES
feed a on CONSUMES
define a - DEFINES
resemble a - ANALOGOUS_TO
complement a - COMPLEMENTS
overlap a with OVERLAPS
derive a from DERIVED_FROM
derive p from DERIVED_FROM
originate a from DERIVED_FROM
descend p from DERIVED_FROM
descend a from DERIVED_FROM
evolve a from DERIVED_FROM
adapt p from DERIVED_FROM
make p from DERIVED_FROM
produce p from DERIVED_FROM
obtain p from DERIVED_FROM
extract p from DERIVED_FROM
develop a from DERIVED_FROM
develop p from DERIVED_FROM
base p on DERIVED_FROM
base p upon DERIVED_FROM
model p on DERIVED_FROM
build p on DERIVED_FROM
build p upon DERIVED_FROM
generalize a - GENERALIZES
specialize a - SPECIALIZES
oppose a - OPPOSITE_OF
use p in <USES
use p for <USES
use p as IS_A
employ p in <USES
serve a as IS_A
act a as IS_A
function a as IS_A
classify p as IS_A
define p as IS_A
remain a - IS_A
write p in USES
implement p in USES
power a - ENABLES
heat p with USES
run a on USES
bring a about CAUSES
contribute a to INFLUENCES
improve a - INFLUENCES
limit a - INFLUENCES
impair a - INFLUENCES
weaken a - INFLUENCES
strengthen a - INFLUENCES
stimulate a - INFLUENCES
disrupt a - INFLUENCES
alter a - INFLUENCES
accelerate a - INFLUENCES
determine a - INFLUENCES
damage a - INFLUENCES
include p in PART_OF
convert p into <DERIVED_FROM
transform p into <DERIVED_FROM
turn p into <DERIVED_FROM
process p into <DERIVED_FROM
ferment p into <DERIVED_FROM
evolve a into <DERIVED_FROM
measure p by USES
measure p with USES
sign p with USES
build p with USES
encrypt p with USES
compile p with USES
equip p with HAS_PART
fit p with HAS_PART
come a from DERIVED_FROM
work a on USES
bundle a - HAS_PART
combine a - HAS_PART
integrate a - HAS_PART
own a - OWNS
possess a - OWNS
retain a - OWNS
run p by <LEADS
operate p by <LEADS
maintain p by <LEADS
manage a - LEADS
organise a - LEADS
organize a - LEADS
breed a - PRODUCES
limit p to DEPENDS_ON
shorten a - INFLUENCES
lengthen a - INFLUENCES
raise a - INFLUENCES
boost a - INFLUENCES
enhance a - INFLUENCES
worsen a - INFLUENCES
distort a - INFLUENCES
slow a - INFLUENCES
slow a down INFLUENCES
speed a up INFLUENCES
kill a - INFLUENCES
destroy a - INFLUENCES
harm a - INFLUENCES
infect a - INFLUENCES
pollinate a - INFLUENCES
pollute a - INFLUENCES
remove a - INFLUENCES
fix a - INFLUENCES
change a - INFLUENCES
locate p in LOCATED_IN
locate p at LOCATED_IN
locate p on LOCATED_IN
situate p in LOCATED_IN
situate p on LOCATED_IN
base p in LOCATED_IN
base p at LOCATED_IN
headquarter p in LOCATED_IN
lie a in LOCATED_IN
lie a on LOCATED_IN
find p in LOCATED_IN
store p in LOCATED_IN
bear p in BORN_IN
found a - FOUNDED
cofound a - FOUNDED
co-found a - FOUNDED
acquire a - ACQUIRED
discover a - DISCOVERED
lead a - LEADS
head a - LEADS
chair a - LEADS
treat a - TREATS
cure a - TREATS
replace a - REPLACES
supersede a - REPLACES
supplant a - REPLACES
`

// plainVerbs state no relationship of the vocabulary, but knowing that they are
// verbs keeps noun phrases from swallowing them.
const plainVerbs = `
accept achieve stop raise acquire act add adjust adopt agree answer appear apply approach approve argue ask assign assume attach attempt attract
balance become begin behave believe belong bind bring burn buy calculate call cancel capture carry catch change check choose
claim clear close collect combine come commit compare compete complete compute concern confirm connect consider continue convert cool
cost count cover crash cross cut decide declare decline decrease defeat defend define delay delete deliver demand describe destroy
detect determine differ disappear discover distribute do draw drive drop earn emerge encourage end enter establish examine exceed
exchange exist expand expire explain explore express fail fall fight fill find finish fire fix flow fly force form gain
get give go grow guarantee handle happen hear help hit hold identify improve indicate inherit inject insert introduce invest
involve issue join keep know lack last launch lay learn leave let lie limit link list listen live load locate lock look lose love
maintain manage map mark match matter mean measure meet merge migrate mix move name notify obtain occur offer open
operate order own participate pass pay perform persist place plan play poll power present press process promote protect prove
provide pull push put race range reach react read receive recognize record recover reflect refuse reject relate remain remember remove
repeat replace reply report represent rescue reserve resist respond rest restart restore retain retry return reveal rise rotate run satisfy save say scale
scan see seek seem select sell send separate serve set settle share shift show shrink sign sink sit sleep solve sound speak
spend split spread stand start state stay steal stem step store strengthen strike study submit suffer suggest surround survive switch take talk
teach tell tend think threaten travel treat try turn update vary visit wait wake walk want watch weaken wear weigh win wish work store
collapse cease decline neglect forget allege report suppose estimate predict plan intend aim hope attempt pretend promise urge propose rumour rumor doubt speculate suspect insist assert hypothesise hypothesize imagine fear
filter treat cure heal kill destroy damage injure harm hurt infect spread penetrate pollute contaminate poison pump pour heat freeze burn light illuminate shine reflect refract rotate spin swim climb jump hunt graze hatch nest
sign ratify veto elect appoint nominate vote rule reign abolish enact repeal amend enforce prosecute convict sentence arrest fine sue appeal testify
headquarter situate found launch acquire merge rename relocate hire employ dismiss fund finance sponsor donate lend borrow owe invest trade import export ship deliver supply stock
marry divorce inhabit colonise colonize settle conquer invade occupy besiege liberate govern crown depose assassinate rebel surrender negotiate
compile parse render deploy install configure execute invoke log cache encrypt decrypt authenticate authorise authorize validate verify serialise serialize compress decode encode index query fetch load upload download sync replicate back monitor debug refactor document test benchmark allocate
sing dance perform record compose direct star feature depict portray illustrate narrate adapt translate edit print publish
assess evaluate investigate analyse analyze model simulate demonstrate suggest exhibit display illustrate highlight outline summarise summarize classify categorise categorize label annotate cluster
cook bake boil fry roast grill mix stir knead season pickle ferment
mean denote signify refer correspond equal constitute embody
supersede supplant displace substitute deprecate
head chair preside direct oversee supervise coordinate steer
transmit transport transfer translate flow host absorb attack orbit override ensure deny access guard schedule trap signal leak circulate drain erupt melt freeze condense evaporate dissolve boil taste smell
skip empty rewrite deprecate border consent comply terminate creep flee weep kneel
`

// verbOnlyWords are verbs that a tagger should never take for nouns.
const verbOnlyWords = `
depend rely consist belong contain require prevent derive arise enable allow include inhibit produce generate comprise provide receive
become exist occur describe determine contradict refute imply entail prohibit facilitate emit absorb override transmit maintain ensure reduce
follow precede consume resemble`

// verbRule is one line of verbRules.
type verbRule struct {
	typ      string
	inverted bool
}

// ruleKey finds a verbRule.
type ruleKey struct {
	lemma   string
	passive bool
	prep    string // "" for a plain object
}

// newRules reads verbRules and verbClasses.
func newRules() map[ruleKey]verbRule {
	rules := map[ruleKey]verbRule{}
	add := func(lemma, voice, prep, typ string) {
		key := ruleKey{lemma: lemma, passive: voice == "p", prep: strings.Trim(prep, "-")}
		if _, known := rules[key]; known {
			return
		}
		typ, inverted := strings.CutPrefix(typ, "<")
		rules[key] = verbRule{typ: typ, inverted: inverted}
		if by := (ruleKey{lemma: lemma, passive: true, prep: "by"}); !key.passive && key.prep == "" && rules[by].typ == "" {
			rules[by] = verbRule{typ: typ, inverted: !inverted}
		}
	}
	for line := range strings.SplitSeq(strings.TrimSpace(verbRules), "\n") {
		f := strings.Fields(line)
		add(f[0], f[1], f[2], f[3])
	}
	classRules(add)
	return rules
}
