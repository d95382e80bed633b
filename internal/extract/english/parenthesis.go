package english

// parentheses reads what stands in brackets right behind a name: "(born 1951 in Graz)"
// and the role that a contract gives to a party, as in `Northgate Ltd ("Landlord")`.
func (r *reader) parentheses() {
	for k := range r.phrases {
		p := &r.phrases[k]
		tokens := r.sentence.tokens
		if p.key == "" || !p.name || p.last+2 >= len(tokens) || tokens[p.last].text != "(" {
			continue
		}
		end := closing(tokens, p.last)
		if end == 0 {
			continue
		}
		switch first := tokens[p.last+1]; {
		case first.low == "born" || first.low == "b." || first.text == "*":
			r.bornIn(p, k, end)
		case isQuote(first.text):
			if k+1 < len(r.phrases) {
				if y := &r.phrases[k+1]; y.last+2 == end && y.first <= p.last+3 && isQuote(tokens[y.last].text) && len(tokens[y.from].text) > 3 {
					r.state(p.key, y.key, r.kindType(p.key), confidenceListed)
				}
			}
		}
	}
}

// bornIn reads the place in the brackets that end before token end.
func (r *reader) bornIn(p *phrase, k, end int) {
	tokens := r.sentence.tokens
	for at := k + 1; at < len(r.phrases) && r.phrases[at].last < end; at++ {
		y := &r.phrases[at]
		if before := tokens[y.first-1].low; before == "in" || before == "at" {
			r.state(p.key, y.key, "BORN_IN", confidenceListed)
			return
		}
	}
}
