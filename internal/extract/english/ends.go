package english

import (
	"slices"
	"strings"
)

// owning are verbs that are said of parts, and of much that is none.
const owning = " have bear boast host hold "

// noPart reports an object of "has" at item at that is no part of the subject: what people have, and
// what can not be taken out of anything, such as a drawback or an agreement.
func (r *reader) noPart(v verbGroup, at int, subjects []int) bool {
	if v.passive || !strings.Contains(owning, " "+v.lemma+" ") {
		return false
	}
	if slices.ContainsFunc(subjects, r.humans) {
		return true
	}
	tokens := r.sentence.tokens[r.phraseOf(at).from:r.phraseOf(at).last]
	head := tokens[len(tokens)-1]
	if r.isOf(at + 1) {
		return false // "a number of valves"
	}
	return head.tag != posName && head.tag != posCode && abstract(singular(head.low))
}

// people are nouns of who has things without their being parts.
const people = " man woman person people wife husband mother father son daughter brother sister child friend assistant owner user customer employee patient student teacher author player visitor guest driver worker member candidate holder licensee licensor contributor applicant girlfriend boyfriend guy guys staff crew colleague boss neighbor neighbour doctor lawyer "

// humans reports whether the phrase at item i is of people.
func (r *reader) humans(i int) bool {
	p := r.phraseOf(i)
	return r.isPerson(i) || p.generic == "people" || strings.Contains(people, " "+singular(r.sentence.tokens[p.last-1].low)+" ")
}

// unfit reports ends of which a type says nothing: who founds something is somebody or has a name, and
// people who replace a window do not take its place.
func (r *reader) unfit(typ string, v verbGroup, prep string, at int, subjects []int) bool {
	switch typ {
	case "FOUNDED":
		if v.passive || prep != "" {
			return false
		}
		for _, i := range subjects {
			if p := r.phraseOf(i); p.name || p.stands || r.humans(i) || r.isOrganization(i) {
				return false
			}
		}
		return true
	case "REPLACES":
		return v.passive && prep == "by" && r.humans(at) && !r.phraseOf(at).name
	}
	return false
}

// formLike reports the head of a mail, an address or a form: a sentence by its place, which says nothing that
// its grammar tells.
func formLike(s *sentence) bool {
	fields, marks := 0, 0
	for i, t := range s.tokens {
		switch {
		case t.text == ":" && i > 0 && isCapital(s.tokens[i-1].text) && i+1 < len(s.tokens):
			fields++
		case strings.Contains(t.text, "@") && len(t.text) > 4,
			strings.Count(t.text, "/") == 2 && t.text[0] <= '9' && t.text[0] >= '0',
			strings.Contains(t.text, "/") && strings.Contains(t.text, "-") && t.text[0] <= '9' && t.text[0] >= '0':
			marks++
		}
	}
	return fields >= 3 || marks > 0 && fields > 0 || marks > 1
}

// abstract reports a noun of what can not be taken out of anything.
func abstract(noun string) bool {
	return strings.Contains(abstracts, " "+noun+" ") || nounEnding(noun) && !strings.Contains(concrete, " "+noun+" ")
}

// abstracts are such nouns.
const abstracts = " impediment gift drawback degree fee cost price bug success failure value meaning sense knowledge skill talent passion taste love fear hope benefit consequence result risk limit property quality goal aim purpose task experience use nephew niece son daughter child wife husband friend brother sister father mother population area length height width depth weight speed age size colour color shape temperature climate tradition culture reputation faith belief name nickname variety number range amount share lack grip weakness strength effectiveness freedom liberty control approach focus scope style tone feel mood impression "

// concrete are nouns with the ending of an abstract one that are parts of things all the same.
const concrete = " section station function extension compartment department instrument element fragment document segment apartment equipment attachment settlement monument cement ornament pavement ligament filament basement entrance fence city university facility cavity institution collection division sequence sentence licence license substance appliance ambulance audience pharmacy embassy agency academy legacy pension mansion dimension television transmission option action condition mechanism prism organism constituency membership partnership championship flagship dealership fellowship commission administration foundation organization organisation corporation association plantation population ion region religion version profession battalion pavilion junction intersection connection annotation definition exception instruction partition edition transaction solution application implementation configuration documentation installation "
