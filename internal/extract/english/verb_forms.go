package english

import "strings"

// irregularVerbs give past and participle of verbs that do not take -ed.
const irregularVerbs = `
become became become|begin began begun|bind bound bound|break broke broken|bring brought brought|build built built|buy bought bought|
catch caught caught|choose chose chosen|come came come|cut cut cut|do did done|draw drew drawn|drive drove driven|eat ate eaten|
fall fell fallen|feed fed fed|fight fought fought|find found found|fly flew flown|forbid forbade forbidden|freeze froze frozen|
get got got|give gave given|go went gone|grow grew grown|hear heard heard|hit hit hit|hold held held|keep kept kept|know knew known|
lay laid laid|lend lent lent|lead led led|learn learnt learnt|leave left left|let let let|lie lay lain|lose lost lost|make made made|mean meant meant|
meet met met|pay paid paid|prove proved proven|put put put|read read read|rise rose risen|run ran run|say said said|see saw seen|
seek sought sought|sell sold sold|send sent sent|set set set|show showed shown|shrink shrank shrunk|sink sank sunk|sit sat sat|
sleep slept slept|speak spoke spoken|spend spent spent|split split split|spread spread spread|stand stood stood|steal stole stolen|
strike struck struck|take took taken|teach taught taught|tell told told|think thought thought|wake woke woken|wear wore worn|
win won won|write wrote written|arise arose arisen|bear bore born|breed bred bred|undergo underwent undergone|overcome overcame overcome|
have had had|weave wove woven|spin spun spun|sew sewed sewn|hang hung hung|drink drank drunk|uphold upheld upheld|oversee oversaw overseen|swell swelled swollen|bend bent bent|bite bit bitten|bleed bled bled|blow blew blown|
creep crept crept|deal dealt dealt|dig dug dug|flee fled fled|fling flung flung|forget forgot forgotten|forgive forgave forgiven|hide hid hidden|kneel knelt knelt|
ride rode ridden|shake shook shaken|sing sang sung|slide slid slid|stick stuck stuck|sweep swept swept|swear swore sworn|swim swam swum|tear tore torn|throw threw thrown|
understand understood understood|weep wept wept|withdraw withdrew withdrawn|withstand withstood withstood|rewrite rewrote rewritten`

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
	add("has", "have", shapeS)
	var lemmas []string
	for line := range strings.SplitSeq(strings.TrimSpace(verbRules), "\n") {
		lemmas = append(lemmas, strings.Fields(line)[0])
	}
	classRules(func(lemma, _, _, _ string) { lemmas = append(lemmas, lemma) })
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
const doubling = " equip skip stop refer trim halt ban stir spin thin knit step prefer begin cut drop fit get hit let map permit plan put run set sit split stem submit transmit win emit commit omit admit control occur transfer compel forbid "

// withSuffix returns v with -ed or -ing.
func withSuffix(v, suffix string) string {
	n := len(v)
	switch {
	case strings.HasSuffix(v, "ie") && suffix == "ing":
		return v[:n-2] + "ying"
	case strings.HasSuffix(v, "ee") && suffix == "ed":
		return v + "d"
	case strings.HasSuffix(v, "e") && !strings.HasSuffix(v, "ee"):
		return v[:n-1] + suffix
	case strings.HasSuffix(v, "y") && suffix == "ed" && !strings.ContainsRune("aeou", rune(v[n-2])):
		return v[:n-1] + "ied"
	case strings.Contains(doubling, " "+v+" "):
		return v + v[n-1:] + suffix
	}
	return v + suffix
}
