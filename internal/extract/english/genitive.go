package english

// noParts are nouns of what is somebody's or something's and nowhere: "a death from",
// "the city's name", "the author's claim".
const noParts = " death birth life claim view opinion idea name title age size height length width depth weight speed price cost value use job work fault help question answer word son daughter wife husband father mother brother sister cousin uncle aunt friend widow child grandson granddaughter parent owner day week month year hour time end start beginning return arrival departure choice right interest role place way turn attempt attack defeat victory visit trip reign era century wish need request permission approval decision response reaction advice law theorem theory paradox disease syndrome rule principle instrument record song book novel album play poem letter painting work film best first last own sake behalf favour favor "

// genitive reads "Microsoft's chief executive, Satya Nadella" at phrase k. Of other
// possessives nothing is said: "the company's offer" is no part of it.
func (r *reader) genitive(k int) {
	tokens := r.sentence.tokens
	if k+1 >= len(r.phrases) {
		return
	}
	x, y := &r.phrases[k], &r.phrases[k+1]
	if x.last >= len(tokens) || tokens[x.last].tag != posGenitive || y.first != x.last+1 || x.key == "" || x.pronoun {
		return
	}
	if rule, ok := r.classes[singular(tokens[y.last-1].low)]; ok || r.isRole(y) {
		r.holder(k, rule)
	}
}

// isRole reports a phrase such as "chief executive", which leads what owns it.
func (r *reader) isRole(p *phrase) bool {
	tokens := r.sentence.tokens
	return p.last-p.from == 2 && tokens[p.from].low == "chief" && (tokens[p.from+1].low == "executive" || tokens[p.from+1].low == "engineer")
}

// holder reads the name before or after a role that phrase k owns.
func (r *reader) holder(k int, rule verbRule) {
	tokens := r.sentence.tokens
	if rule.typ == "" {
		rule.typ = "LEADS"
	}
	y := &r.phrases[k+1]
	if k+2 >= len(r.phrases) || rule.inverted {
		return
	}
	z := &r.phrases[k+2]
	gap := tokens[y.last:z.first]
	if z.key != "" && z.name && (len(gap) == 0 || len(gap) == 1 && gap[0].text == ",") && z.determiner == "" {
		r.state(z.key, r.phrases[k].key, rule.typ, confidenceListed)
	}
}
