package english

import "strings"

// throughObject reads what the verb says of its object at item at with the preposition
// behind it: "it stores salt in vacuoles" says of the salt what "is stored in" would.
func (r *reader) throughObject(at int, v verbGroup, confidence float64) {
	behind := r.afterChain(at)
	if v.passive || v.to || !v.finite && !v.gerund || r.kindOf(behind) != itemPreposition && r.kindOf(behind) != itemTo || r.kindOf(behind+1) != itemPhrase {
		return
	}
	prep := r.low(behind)
	if v.lemma == "sell" && !r.phraseOf(behind+1).name {
		return // "sold saffron to doctors"
	}
	rule, ok := r.rules[ruleKey{lemma: v.lemma, passive: true, prep: prep}]
	if !ok || rule.typ == typeIsA || prep == "by" || v.lemma == "use" && prep == "for" || r.idle(v, at) || r.complemented(v, at, behind) || r.setPhrase(behind+1) {
		return
	}
	from, to := r.concepts([]int{at}), r.concepts(r.list(behind+1))
	if rule.inverted {
		from, to = to, from
	}
	r.each(from, to, rule.typ, min(confidence, confidenceReduced))
}

// imperative reads "season the soup with pepper" at the verb of item i, which opens the
// sentence or follows one that does: whoever does it, the soup has pepper.
func (r *reader) imperative(i int, v verbGroup) {
	if v.to || v.lemma == "" || r.sentence.kind == blockRow || !r.commands(i) {
		return
	}
	if r.kindOf(i+1) == itemPreposition && r.low(i+1) == "from" && strings.Contains(" switch move migrate change ", " "+v.lemma+" ") && r.kindOf(i+3) == itemTo && r.kindOf(i+4) == itemPhrase {
		r.state(r.concept(i+4), r.concept(i+2), "REPLACES", confidenceReduced)
		return
	}
	if r.kindOf(i+1) != itemPhrase {
		return
	}
	v.finite, v.passive = true, false
	behind := r.afterChain(i + 1)
	if r.kindOf(behind+1) == itemPhrase {
		x, y := r.concept(i+1), r.concept(behind+1)
		switch {
		case v.lemma == "rename" && r.low(behind) == "to":
			r.state(y, x, "REPLACES", confidenceReduced)
			return
		case v.lemma == "fix" && r.low(behind) == "in":
			r.state(x, y, "LOCATED_IN", confidenceReduced)
			return
		}
	}
	if !r.swaps(i+1, v, nil, confidenceReduced) && !r.converts(i+1, v, "", confidenceReduced) {
		r.throughObject(i+1, v, confidenceReduced)
	}
}

// usedByUs reads "we use Grafana for dashboards" at the verb of item i: whoever uses it, the
// dashboards do.
func (r *reader) usedByUs(i int, v verbGroup) {
	behind := r.afterChain(i + 1)
	if v.lemma != "use" || v.passive || v.to || r.kindOf(i+1) != itemPhrase || r.kindOf(behind) != itemPreposition || r.low(behind) != "for" || r.kindOf(behind+1) != itemPhrase || r.phraseOf(i+1).pronoun {
		return
	}
	r.each(r.concepts(r.list(behind+1)), r.concepts([]int{i + 1}), "USES", confidenceReduced)
}

// commands reports whether the verb at item i stands where a command does.
func (r *reader) commands(i int) bool {
	switch r.kindOf(i - 1) {
	case itemStop:
		tokens := r.sentence.tokens
		if i == 0 && r.items[0].first == 0 && (tokens[0].tag == posPast || tokens[0].tag == posParticiple) {
			return !r.finiteBehind(0) // "Added a theme to the editor."
		}
		return tokens[r.items[i].first].tag == posBase && (r.items[i].first == 0 || tokens[r.items[i].first-1].text == ";")
	case itemComma, itemConjunction:
		return r.kindOf(0) == itemVerb && r.items[0].first == 0 && r.sentence.tokens[0].tag == posBase && r.sentence.tokens[r.items[i].first].tag == posBase
	}
	return false
}

// finiteBehind reports whether a finite verb follows item i that is not in a relative or
// other subordinate clause.
func (r *reader) finiteBehind(i int) bool {
	for k := i + 1; k < len(r.items); k++ {
		switch r.kindOf(k) {
		case itemWh, itemThat, itemStop:
			return false
		case itemVerb:
			if r.items[k].verb.finite {
				return true
			}
		}
	}
	return false
}

// adjectiveAfter reports whether an adjective without a noun follows the verb of item i.
func (r *reader) adjectiveAfter(i int) bool {
	if i+1 >= len(r.items) {
		return false
	}
	for _, t := range r.sentence.tokens[r.items[i].last:r.items[i+1].first] {
		if t.tag == posAdjective {
			return true
		}
	}
	return false
}

// partitive reports whether item i is the "of" of "two of", "most of" and the like,
// whose object is what the verb means.
func (r *reader) partitive(i int) bool {
	if i >= len(r.items) || r.low(i) != "of" || r.items[i].first == 0 || r.kindOf(i+1) != itemPhrase {
		return false
	}
	t := r.sentence.tokens[r.items[i].first-1]
	return t.tag == posNumber || strings.Contains(" most some many all half each both several one two three ", " "+t.low+" ")
}

// particle reports a word that goes with a verb and changes little of its meaning.
func particle(low string) bool {
	return low == "up" || low == "down" || low == "off"
}

// idleObjects are, for a verb, nouns that make one meaning with it: "holds a meeting",
// "makes use".
var idleObjects = map[string]string{
	"have":     " lock lease position office meeting election view opinion title record job degree talk hearing conference mandate seat vote breath hand interest effect influence impact right chance problem trouble difficulty doubt idea plan reason need way time look choice access advantage disadvantage fun lunch dinner breakfast history tendency ability potential role duty power permission question answer form fault priority room mib gib kib mb gb kb ",
	"make":     " use decision choice mistake error change difference effort progress way sense money call point contribution statement claim attempt noise peace war love payment request visit promise sure offer plan fun appearance room rise control access support ",
	"maintain": " compatibility support contact balance relationship record list ",
	"find":     " way time support evidence place use favour favor help ",
}

// messages are nouns of what is made when it is sent.
const messages = " message notification event signal letter request response reply answer header alert warning mail e-mail email heartbeat packet frame report query command ping light wave ray impulse pulse postcard telegram note invitation invoice parcel newsletter reminder "

// carried reports an object that was there before: "writes its address to the log".
func (r *reader) carried(v verbGroup, at int) bool {
	switch behind := r.afterChain(at); v.lemma {
	case "return":
		return r.kindOf(behind) == itemTo || r.phraseOf(at).name
	case "write", "record", "print":
		return r.kindOf(at-1) == itemVerb && r.owned(at) && (r.kindOf(behind) == itemTo || strings.Contains(" into in on ", " "+r.low(behind)+" "))
	}
	return false
}

// isMessage reports whether the phrase at item at is made when it is sent.
func (r *reader) isMessage(at int) bool {
	last := r.sentence.tokens[r.phraseOf(at).last-1]
	return !r.owned(at) && (last.tag == posCode || strings.Contains(messages, " "+singular(last.low)+" "))
}

// idle reports an object that the verb only carries.
func (r *reader) idle(v verbGroup, at int) bool {
	verb := v.lemma
	if r.carried(v, at) {
		return true
	}
	switch verb {
	case "hold", "keep":
		verb = "have"
	case "give", "offer", "provide":
		verb = "make"
	case "identify":
		verb = "find"
	}
	if d := r.phraseOf(at).determiner; verb == "have" && (d == "these" || d == "this" || d == "that" || d == "those") {
		return true
	}
	p := r.phraseOf(at)
	tokens := r.sentence.tokens[p.first:p.last]
	if n := len(tokens); verb == "have" && n > 1 && tokens[n-1].tag == posCode && strings.Contains(" form format name value type shape default ", " "+tokens[n-2].low+" ") {
		return true // "has the form `a: b`"
	}
	return strings.Contains(idleObjects[verb], " "+singular(tokens[len(tokens)-1].low)+" ")
}

// organizations are nouns of what people run.
const organizations = " company firm business shop school library office department project agency programme program campaign museum hospital bakery club bank team factory foundation charity hotel restaurant farm workshop laboratory lab institute studio network union ministry government county country city town "

// refine returns the type of a verb whose object decides what it states.
func (r *reader) refine(typ string, v verbGroup, prep string, at int) string {
	p := r.phraseOf(at)
	if v.lemma == "serve" && prep == "" && p.determiner == "" && !p.name {
		return "PRODUCES" // "serves coffee"
	}
	return typ
}

// gives reads "gives the dish its colour" and "built the king a palace" with the receiver at
// item at: what is given is produced.
func (r *reader) gives(v verbGroup, at int, confidence float64, subjects []int) bool {
	if v.passive || v.to || r.kindOf(at-1) != itemVerb || r.kindOf(at+1) != itemPhrase {
		return false
	}
	if v.lemma != "give" && v.lemma != "lend" {
		made := r.rules[ruleKey{lemma: v.lemma}].typ == "PRODUCES" || v.lemma == "send"
		if p := r.phraseOf(at + 1); !made || p.first != r.items[at].last || p.determiner == "" || p.pronoun {
			return false
		}
		if v.lemma == "send" && !r.isMessage(at+1) {
			return true
		}
	}
	if p := r.phraseOf(at + 1); p.first == r.items[at].last && p.determiner != "" && !(r.phraseOf(at).pronoun && r.owned(at+1)) && !r.idle(v, at+1) {
		r.each(r.concepts(subjects), r.concepts([]int{at + 1}), "PRODUCES", min(confidence, confidenceReduced))
	}
	return true
}

// isAilment reports whether the phrase at item at names an illness, which is treated by
// what is used for it.
func (r *reader) isAilment(at int) bool {
	low := singular(r.sentence.tokens[r.phraseOf(at).last-1].low)
	for _, e := range [...]string{"itis", "ache", "osis", "emia", "aemia", "algia"} {
		if strings.HasSuffix(low, e) {
			return true
		}
	}
	return strings.Contains(" pain fever disease infection cancer flu cold cough asthma acne diabetes malaria insomnia depression anxiety migraine burn wound allergy nausea disorder syndrome epilepsy ulcer rash cramp scurvy pneumonia ", " "+low+" ")
}

// furnishes reads "supplies Ostrava with water" with the receiver at item at: what comes
// with it is produced.
func (r *reader) furnishes(v verbGroup, at int, subjects []int, confidence float64) bool {
	behind := r.afterChain(at)
	if v.passive || !strings.Contains(" supply provide furnish present serve ", " "+v.lemma+" ") || r.low(behind) != "with" || r.kindOf(behind+1) != itemPhrase {
		return false
	}
	r.each(r.concepts(subjects), r.concepts(r.list(behind+1)), "PRODUCES", min(confidence, confidenceListed))
	return true
}

// partings are verbs that part what "from" names: "is protected from frost".
const partings = " protect separate exclude remove prevent free hide ban steal expel release distinguish save rescue differ divide part isolate shield exempt absent bar see hear know answer read call report send return start run execute invoke launch drop insert omit eliminate discard count "

// owned reports a phrase such as "its owner", from whom something is taken: it is not made
// of what he is, as a title is that is taken from a poem.
func (r *reader) owned(at int) bool {
	return strings.Contains(" its their his her my our your ", " "+r.phraseOf(at).determiner+" ")
}

// wards reads "protects the coast against erosion" with what is protected at item at: what
// it is protected from is prevented.
func (r *reader) wards(v verbGroup, at int, subjects []int, confidence float64) bool {
	behind := r.afterChain(at)
	if v.passive || v.to || v.lemma != "protect" && v.lemma != "shield" && v.lemma != "guard" || r.low(behind) != "from" && r.low(behind) != "against" || r.kindOf(behind+1) != itemPhrase {
		return false
	}
	r.each(r.concepts(subjects), r.concepts(r.list(behind+1)), "PREVENTS", min(confidence, confidenceListed))
	return true
}

// ofClass reads "belongs to a group of medicines" with the group at item at.
func (r *reader) ofClass(v verbGroup, at int, subjects []int, confidence float64) bool {
	if v.lemma != "belong" || !r.isOf(at+1) || !strings.Contains(" group class family category genus kind type order ", " "+r.sentence.tokens[r.phraseOf(at).last-1].low+" ") || !r.phraseOf(at+2).plural {
		return false
	}
	for _, x := range r.concepts(subjects) {
		r.state(x, r.concept(at+2), r.kindType(x), confidence)
	}
	return true
}

// ways are what "leads to" a place.
const ways = " road street path trail stair staircase door corridor bridge tunnel railway line lane passage gate route "

// enumerates reads "has two boilers: the brew boiler and the steam boiler" with the plural
// at item at: what is said of the plural is said of each.
func (r *reader) enumerates(at int, from []string, rule verbRule, confidence float64) {
	colon := r.afterChain(at)
	if colon >= len(r.items) || r.kindOf(colon) != itemStop || r.sentence.tokens[r.items[colon].first].text != ":" || !r.phraseOf(at).plural {
		return
	}
	list := r.list(colon + 1)
	if len(list) < 2 {
		return
	}
	for _, k := range r.concepts(list) {
		r.state(k, r.concept(at), r.kindType(k), min(confidence, confidenceListed))
		if rule.inverted {
			r.each([]string{k}, from, rule.typ, min(confidence, confidenceListed))
		} else {
			r.each(from, []string{k}, rule.typ, min(confidence, confidenceListed))
		}
	}
}

// bareInfinitive reports "helps the body absorb calcium" at the item behind the object:
// of the body alone nothing is said.
func (r *reader) bareInfinitive(v verbGroup, last int) bool {
	return (v.lemma == "help" || v.lemma == "let" || v.lemma == "make") && r.kindOf(last) == itemVerb && r.sentence.tokens[r.items[last].first].tag == posBase
}

// isWay reports whether the only subject is a way, which leads to places.
func (r *reader) isWay(v verbGroup, subjects []int) bool {
	return v.lemma == "lead" && len(subjects) == 1 && strings.Contains(ways, " "+singular(r.sentence.tokens[r.phraseOf(subjects[0]).last-1].low)+" ")
}

// runs returns what "X runs Y" states: people and companies lead what they run, and
// programs with a name are used.
func (r *reader) runs(subjects []int, at int) string {
	if len(subjects) == 1 && (r.isOrganization(subjects[0]) || r.isPerson(subjects[0])) || r.isOrganization(at) {
		return "LEADS"
	}
	if p := r.phraseOf(at); p.name || p.plural && p.determiner == "" && len(subjects) == 1 && r.phraseOf(subjects[0]).name {
		return "USES"
	}
	return ""
}

// enterprises are nouns of what people open, start, launch and form.
const enterprises = " shop store school restaurant office studio factory plant bakery bakehouse brewery museum gallery hotel clinic branch laboratory lab workshop theatre theater café cafe pub library hospital company firm business startup label magazine newspaper journal band quintet quartet trio duo orchestra choir ensemble party league alliance foundation charity academy club society union practice "

// sets reports "opened a shop" and "formed the quintet Union Card" with the object at item
// at: who did that founded it.
func (r *reader) sets(v verbGroup, at int) bool {
	switch v.lemma {
	case "open", "start", "launch", "form":
		p := r.phraseOf(at)
		return p.determiner != "" && !p.plural && strings.Contains(enterprises, " "+r.sentence.tokens[p.last-1].low+" ")
	}
	return false
}

// displays are nouns of what shows something as a part of it.
const displays = " dashboard page screen panel view window menu map chart display homepage website site table poster sidebar "

// isPerson reports whether the phrase at item i names a person.
func (r *reader) isPerson(i int) bool {
	c := r.found.find(r.phraseOf(i).key)
	return c != nil && r.found.isPerson(c)
}

// complemented reports an object of which the verb says what it becomes: "made the river
// impassable", "found his work liberating". Of the object alone nothing is said.
func (r *reader) complemented(v verbGroup, at, last int) bool {
	switch v.lemma {
	case "make", "find", "keep", "hold", "leave", "render", "consider":
	default:
		return false
	}
	tokens := r.sentence.tokens
	p := r.phraseOf(at)
	if next := r.items[last-1].last; next < len(tokens) && (tokens[next].tag == posAdjective || tokens[next].tag == posGerund || tokens[next].tag == posBase) {
		return true
	}
	if first := tokens[p.first]; first.tag == posAdjective && p.first+1 < p.last && tokens[p.first+1].tag == posDeterminer {
		return true // "made possible the transport"
	}
	return p.last-p.first == 1 && !p.name && !p.plural || plainAdjective(tokens[p.last-1].low) && tokens[p.last-1].tag != posNouns && !p.name
}

// isOrganization reports whether the phrase at item at names something that people run.
func (r *reader) isOrganization(at int) bool {
	return strings.Contains(organizations, " "+singular(r.sentence.tokens[r.phraseOf(at).last-1].low)+" ")
}
