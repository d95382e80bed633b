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
follow a - FOLLOWS
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
transmit transport transfer translate flow host absorb attack orbit override ensure deny access guard schedule trap signal leak circulate drain erupt melt freeze condense evaporate dissolve boil taste smell
`

// verbOnlyWords are verbs that a tagger should never take for nouns.
const verbOnlyWords = `
depend rely consist belong contain require prevent derive arise enable allow include inhibit produce generate comprise provide receive
become exist occur describe determine contradict refute imply entail prohibit facilitate emit absorb override transmit maintain ensure reduce
follow precede consume resemble`

// irregularVerbs give past and participle of verbs that do not take -ed.
const irregularVerbs = `
become became become|begin began begun|bind bound bound|break broke broken|bring brought brought|build built built|buy bought bought|
catch caught caught|choose chose chosen|come came come|cut cut cut|do did done|draw drew drawn|drive drove driven|eat ate eaten|
fall fell fallen|feed fed fed|fight fought fought|find found found|fly flew flown|forbid forbade forbidden|freeze froze frozen|
get got got|give gave given|go went gone|grow grew grown|hear heard heard|hit hit hit|hold held held|keep kept kept|know knew known|
lay laid laid|lead led led|learn learnt learnt|leave left left|let let let|lie lay lain|lose lost lost|make made made|mean meant meant|
meet met met|pay paid paid|prove proved proven|put put put|read read read|rise rose risen|run ran run|say said said|see saw seen|
seek sought sought|sell sold sold|send sent sent|set set set|show showed shown|shrink shrank shrunk|sink sank sunk|sit sat sat|
sleep slept slept|speak spoke spoken|spend spent spent|split split split|spread spread spread|stand stood stood|steal stole stolen|
strike struck struck|take took taken|teach taught taught|tell told told|think thought thought|wake woke woken|wear wore worn|
win won won|write wrote written|arise arose arisen|undergo underwent undergone|overcome overcame overcome`

// verbForm says what a word is when it is a verb.
type verbForm struct {
	lemma string
	shape verbShape
}

// verbShape is a set of inflections that look the same.
type verbShape uint8

const (
	shapeBase verbShape = 1 << iota
	shapeS
	shapePast
	shapeParticiple
	shapeIng
)

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

// newVerbs lists every form of the verbs that the extractor knows.
func newVerbs() map[string]verbForm {
	verbs := make(map[string]verbForm, 4000)
	add := func(form, lemma string, s verbShape) {
		f := verbs[form]
		if f.lemma != "" && f.lemma != lemma {
			return
		}
		verbs[form] = verbForm{lemma: lemma, shape: f.shape | s}
	}
	irregular := map[string]bool{}
	for line := range strings.SplitSeq(irregularVerbs, "|") {
		f := strings.Fields(line)
		irregular[f[0]] = true
		add(f[1], f[0], shapePast)
		add(f[2], f[0], shapeParticiple)
	}
	var lemmas []string
	for line := range strings.SplitSeq(strings.TrimSpace(verbRules), "\n") {
		lemmas = append(lemmas, strings.Fields(line)[0])
	}
	for _, lemma := range append(lemmas, strings.Fields(plainVerbs)...) {
		add(lemma, lemma, shapeBase)
		add(thirdPerson(lemma), lemma, shapeS)
		add(withSuffix(lemma, "ing"), lemma, shapeIng)
		if !irregular[lemma] {
			add(withSuffix(lemma, "ed"), lemma, shapePast|shapeParticiple)
		}
	}
	return verbs
}

// newRules reads verbRules.
func newRules() map[ruleKey]verbRule {
	rules := map[ruleKey]verbRule{}
	for line := range strings.SplitSeq(strings.TrimSpace(verbRules), "\n") {
		f := strings.Fields(line)
		key := ruleKey{lemma: f[0], passive: f[1] == "p", prep: strings.Trim(f[2], "-")}
		typ, inverted := strings.CutPrefix(f[3], "<")
		rules[key] = verbRule{typ: typ, inverted: inverted}
		if !key.passive && key.prep == "" {
			rules[ruleKey{lemma: f[0], passive: true, prep: "by"}] = verbRule{typ: typ, inverted: !inverted}
		}
	}
	return rules
}

// thirdPerson returns the -s form of a verb.
func thirdPerson(v string) string {
	switch {
	case strings.HasSuffix(v, "y") && len(v) > 2 && !strings.ContainsRune("aeou", rune(v[len(v)-2])):
		return v[:len(v)-1] + "ies"
	case strings.HasSuffix(v, "s"), strings.HasSuffix(v, "x"), strings.HasSuffix(v, "ch"), strings.HasSuffix(v, "sh"),
		strings.HasSuffix(v, "z"), v == "go", v == "do":
		return v + "es"
	}
	return v + "s"
}

// doubling lists the verbs whose last letter is doubled before -ed and -ing.
const doubling = " stop begin cut drop fit get hit let map permit plan put run set sit split stem submit transmit win emit commit control occur transfer compel forbid "

// withSuffix returns v with -ed or -ing.
func withSuffix(v, suffix string) string {
	n := len(v)
	switch {
	case strings.HasSuffix(v, "ie") && suffix == "ing":
		return v[:n-2] + "ying"
	case strings.HasSuffix(v, "e") && !strings.HasSuffix(v, "ee"):
		return v[:n-1] + suffix
	case strings.HasSuffix(v, "y") && suffix == "ed" && !strings.ContainsRune("aeou", rune(v[n-2])):
		return v[:n-1] + "ied"
	case strings.Contains(doubling, " "+v+" "):
		return v + v[n-1:] + suffix
	}
	return v + suffix
}
