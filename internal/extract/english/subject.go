package english

// subjects returns the phrases that the verb group at item i is said of, and
// whether they were found through a relative or shortened clause.
func (r *reader) subjects(i int) ([]int, bool) {
	v := r.items[i].verb
	j := i - 1
	switch {
	case v.to:
		return nil, false
	case !v.finite:
		// "proteins containing iron", "a disease caused by a virus"; but in
		// "they poll it using a query" the query is nobody's object
		if r.kindOf(j) == itemPhrase && v.low != "using" {
			return []int{j}, true
		}
		return nil, false
	}
	switch r.kindOf(j) {
	case itemWh:
		if s, ok := r.antecedent(j, v); ok {
			return []int{s}, true
		}
	case itemConjunction:
		return r.sharedSubject(j, v), false
	case itemComma:
		if s, ok := r.beforeInsertion(j); ok {
			return r.chainStart(s, v), false
		}
		if r.verbFollows(i) {
			return r.sharedSubject(j, v), false
		}
	case itemPreposition:
		if r.kindOf(j-1) == itemPhrase { // "the crisis of 1973 caused": a number is no phrase
			return r.chainStart(j-1, v), false
		}
	case itemPhrase:
		return r.chainStart(j, v), false
	}
	return nil, false
}

// verbFollows reports whether a finite verb follows item i after a conjunction:
// "filter waste, regulate the balance and produce a hormone".
func (r *reader) verbFollows(i int) bool {
	for k := i + 1; k+1 < len(r.items) && r.kindOf(k) != itemStop; k++ {
		if r.kindOf(k) == itemConjunction && r.kindOf(k+1) == itemVerb && r.items[k+1].verb.finite {
			return true
		}
	}
	return false
}

// antecedent returns the phrase that the relative word at item j refers to: the
// nearest one before it that agrees with the verb.
func (r *reader) antecedent(j int, v verbGroup) (int, bool) {
	if r.low(j) != "which" && r.low(j) != "that" && r.low(j) != "who" {
		return 0, false
	}
	k := j - 1
	if r.kindOf(k) == itemComma {
		k--
	}
	for r.kindOf(k) == itemPhrase {
		p := r.phraseOf(k)
		if !(v.single && p.plural || v.plural && !p.plural) {
			return k, true
		}
		if r.kindOf(k-1) != itemPreposition || r.kindOf(k-2) != itemPhrase {
			break
		}
		k -= 2
	}
	return 0, false
}

// sharedSubject returns the subject of the verb before the conjunction at item
// j: "the lane claims a job and runs it".
func (r *reader) sharedSubject(j int, v verbGroup) []int {
	for k := j - 1; k >= 0 && r.kindOf(k) != itemStop && r.kindOf(k) != itemThat; k-- {
		if r.kindOf(k) != itemVerb || !r.items[k].verb.finite {
			continue
		}
		before := r.items[k].verb
		if before.single && v.plural || before.plural && v.single {
			return nil
		}
		s, _ := r.subjects(k)
		return s
	}
	return nil
}

// beforeInsertion returns the phrase before a pair of commas that ends at item
// j: "aspirin, a common drug, reduces fever".
func (r *reader) beforeInsertion(j int) (int, bool) {
	for k := j - 1; k >= 0 && k > j-12; k-- {
		if r.kindOf(k) == itemStop {
			return 0, false
		}
		if r.kindOf(k) != itemComma {
			continue
		}
		inner := r.kindOf(k + 1)
		if r.kindOf(k-1) == itemPhrase && (inner == itemWh || inner == itemPhrase && r.appositive(k+1) && !r.hasFinite(k+1, j)) {
			return k - 1, true
		}
		return 0, false
	}
	return 0, false
}

// appositive reports whether the phrase at item i can rename the one before it.
func (r *reader) appositive(i int) bool {
	d := r.phraseOf(i).determiner
	return d == "a" || d == "an" || d == "the"
}

// hasFinite reports whether a finite verb stands among items [from, to), those
// of relative clauses apart.
func (r *reader) hasFinite(from, to int) bool {
	for i := from; i < to; i++ {
		if r.kindOf(i) == itemVerb && r.items[i].verb.finite && r.kindOf(i-1) != itemWh {
			return true
		}
	}
	return false
}

// chainStart returns the subject whose last phrase is at item j. "The cost of
// fuel" is about its first phrase; "wind and rain" are two subjects of a plural
// verb, unless what stands before them has a verb of its own.
func (r *reader) chainStart(j int, v verbGroup) []int {
	head := r.chainHead(j)
	switch r.kindOf(head - 1) {
	case itemWh:
		if head-1 > 0 {
			return nil // "the lock that the leader holds": the object went ahead
		}
	case itemVerb, itemPreposition, itemTo:
		return r.beyondRelative(head-1, v)
	}
	if v.single && r.phraseOf(head).plural && !r.phraseOf(head).name || v.plural && r.kindOf(head-1) != itemConjunction && !r.mayBePlural(head) {
		return nil
	}
	out := []int{head}
	if v.single || r.introduces(head+1) {
		return out
	}
	k := head - 1
	for {
		at := k
		if r.kindOf(at) == itemConjunction && (r.low(at) == "and" || r.low(at) == "or") {
			at--
		}
		if r.kindOf(at) == itemComma {
			at--
		}
		if at == k || r.kindOf(at) != itemPhrase {
			break
		}
		start := r.chainHead(at)
		if r.introduces(start + 1) {
			return []int{start} // "disruptions such as strikes and fires": the disruptions
		}
		if before := r.kindOf(start - 1); before == itemVerb || before == itemPreposition || before == itemTo {
			return out
		}
		out = append(out, start)
		k = start - 1
	}
	return out
}

// beyondRelative returns the subject of a verb that follows a relative clause:
// in "the server that holds the lock runs the lanes" the phrase before the verb
// is the object of the clause, whose verb or preposition is item k.
func (r *reader) beyondRelative(k int, v verbGroup) []int {
	if r.kindOf(k) == itemPreposition && k == 0 {
		return nil
	}
	for k >= 0 && r.kindOf(k) != itemVerb {
		if r.kindOf(k) != itemPreposition && r.kindOf(k) != itemPhrase {
			return nil
		}
		k--
	}
	if r.kindOf(k-1) != itemWh {
		return nil
	}
	if s, ok := r.antecedent(k-1, v); ok {
		return []int{s}
	}
	return nil
}

// introduces reports whether item i is the "as" of "such as".
func (r *reader) introduces(i int) bool {
	return r.kindOf(i) == itemPreposition && r.low(i) == "as" && r.items[i].first > 0 &&
		r.sentence.tokens[r.items[i].first-1].low == "such"
}

// mayBePlural reports whether the phrase at item i can be the subject of a
// plural verb.
func (r *reader) mayBePlural(i int) bool {
	p := r.phraseOf(i)
	return p.plural || p.name || p.pronoun || p.determiner == ""
}

// chainHead walks back from the phrase at item j over prepositions to the first
// phrase of its chain.
func (r *reader) chainHead(j int) int {
	for r.kindOf(j-1) == itemPreposition && r.kindOf(j-2) == itemPhrase {
		j -= 2
	}
	return j
}
