package english

import "strings"

// subjects returns the phrases that the verb group at item i is said of, and
// whether they were found through a relative or shortened clause.
func (r *reader) subjects(i int) ([]int, bool) {
	v := r.items[i].verb
	j := i - 1
	if first := r.items[i].first; first > 0 && r.sentence.tokens[first-1].tag != posName && strings.Contains(" i we you ", " "+r.sentence.tokens[first-1].low+" ") {
		return nil, false // "of the tests, I need …"
	}
	if r.assigned(i) {
		return []int{0}, false
	}
	switch {
	case v.to:
		return nil, false
	case !v.finite:
		// "proteins containing iron", "a disease caused by a virus"; but in
		// "they poll it using a query" the query is nobody's object
		if r.kindOf(j) == itemPhrase && v.low != "using" {
			if s, ok := r.complementOf(j, v); ok {
				return []int{s}, true
			}
			return []int{j}, true
		}
		if r.kindOf(j) == itemConjunction && !v.gerund {
			return r.sharedPassive(j), false // "is maintained by A and sponsored by B"
		}
		if r.kindOf(j) == itemComma && r.kindOf(j-1) == itemPhrase && !v.gerund && r.kindOf(r.chainHead(j-1)-1) == itemStop {
			return []int{r.chainHead(j - 1)}, true // "Immunord, founded by …, makes …"
		}
		return nil, false
	}
	switch r.kindOf(j) {
	case itemWh:
		if s, ok := r.antecedent(j, v); ok && !r.picksOut(s, j) && !r.ofPurpose(s, j) {
			return []int{s}, true
		}
	case itemConjunction:
		return r.sharedSubject(j, v), false
	case itemComma:
		if s, ok := r.beforeInsertion(j); ok {
			if s == j-1 {
				return []int{s}, false // the name is the subject
			}
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

// whoColumns are heads of the column of those who do what the row says.
const whoColumns = " who owner responsible assignee person name lead "

// assigned reports whether the verb at item i says the task of the person at the start:
// "Anna to send the report", "Anna: send the report" and a row with "send the report" behind
// "Anna".
func (r *reader) assigned(i int) bool {
	v := r.items[i].verb
	tokens := r.sentence.tokens
	if r.kindOf(0) != itemPhrase || r.items[0].first > 0 || i > 2 || i == 0 || tokens[r.items[i].first].tag != posBase && !v.to {
		return false
	}
	p := r.phraseOf(0)
	if !p.name || tokens[p.last-1].tag != posName || r.items[1].first != p.last {
		return false
	}
	switch {
	case i == 1:
		return v.to && r.isPerson(0) && !r.finiteBehind(1)
	case r.sentence.kind == blockRow:
		return len(r.columns) > 0 && strings.Contains(whoColumns, " "+r.columns[0].low+" ") && tokens[r.items[1].first].kind == kindBreak
	}
	return tokens[r.items[1].first].text == ":" && r.items[i].first == r.items[1].last && r.isPerson(0)
}

// sharedPassive returns the subject of the passive verb before the conjunction at item j.
func (r *reader) sharedPassive(j int) []int {
	for k := j - 1; k >= 0 && r.kindOf(k) != itemStop && r.kindOf(k) != itemThat && r.kindOf(k) != itemWh; k-- {
		if r.kindOf(k) != itemVerb || !r.items[k].verb.finite {
			continue
		}
		if before := r.items[k].verb; before.passive && !before.negated && !before.unreal {
			s, _ := r.subjects(k)
			return s
		}
		return nil
	}
	return nil
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
	if s, ok := r.complementOf(k, v); ok {
		return s, true
	}
	if r.low(k-1) == "than" {
		return 0, false
	}
	for r.kindOf(k) == itemPhrase {
		p := r.phraseOf(k)
		if p.name && r.low(j) != "who" && j == k+1 && r.kindOf(k-1) == itemPreposition && r.kindOf(k-2) == itemPhrase {
			if k -= 2; r.phraseOf(k).key == "" {
				return 0, false // "the only part of Kappa that needs a compiler"
			}
			continue
		}
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

// ofPurpose reports whether the clause behind a comma at item j is said of a purpose and all
// that serves it, and not of the object at item s: "pools it to save memory, which costs time".
func (r *reader) ofPurpose(s, j int) bool {
	return r.kindOf(j-1) == itemComma && r.kindOf(s-1) == itemVerb && r.items[s-1].verb.to
}

// picksOut reports whether the relative clause at item j says which ones the indefinite
// subject at item s are meant: "a job that waits for approval is cancelled" says nothing
// of every job.
func (r *reader) picksOut(s, j int) bool {
	opens := s == 0 || r.kindOf(s-1) == itemStop || r.kindOf(s-1) == itemThat || r.kindOf(s-1) == itemComma && s == j-1
	d := r.phraseOf(s).determiner
	if opens && s == j-1 && d == "" && r.sentence.tokens[len(r.sentence.tokens)-1].text == ":" && !r.mainVerb() {
		return true // "Agents that read a file:"
	}
	if s == j-1 && (d == "any" || d == "every" || d == "each") {
		return true // "it rises with each job that changed the graph"
	}
	if !opens || s != j-1 || !isArticle(d) && !((d == "the" || d == "") && r.phraseOf(s).plural) {
		return false
	}
	verbs := 0
	for k := j + 1; k < len(r.items) && r.kindOf(k) != itemStop; k++ {
		if r.kindOf(k) == itemVerb && r.items[k].verb.finite {
			verbs++
		}
	}
	return verbs > 1
}

// someOf reports whether the verb at item i is said of those of its subjects that a clause
// before it picks out: "a worker that loses its lease stops its jobs" says nothing of every
// worker.
func (r *reader) someOf(i int, subjects []int) bool {
	if r.sentence.tokens[r.items[i].first].tag == posPast {
		return false // "a storm that came from the sea destroyed the pier": it is told of one
	}
	for _, s := range subjects {
		p := r.phraseOf(s)
		switch {
		case p.determiner == "another", r.isOf(s+1) && (r.phraseOf(s+2).pronoun || r.otherOnes(s+2)):
			return true
		case !p.name && p.determiner != "the" && r.kindOf(s+1) == itemWh && s+2 < i:
			return true
		}
	}
	return false
}

// few reports subjects that are said to be some of their kind: "some bats", "several banks".
func (r *reader) few(subjects []int) bool {
	for _, s := range subjects {
		p := r.phraseOf(s)
		for _, t := range r.sentence.tokens[p.first:p.last] {
			if strings.Contains(" some few several certain ", " "+t.low+" ") {
				return true
			}
		}
	}
	return false
}

// otherOnes reports whether the phrase at item i sets its things apart: "of other projects".
func (r *reader) otherOnes(i int) bool {
	for _, t := range r.sentence.tokens[r.phraseOf(i).first:r.phraseOf(i).last] {
		if t.low == "other" || t.low == "some" {
			return true
		}
	}
	return false
}

// complementOf returns the subject of "is a", with the phrase behind it at item k: what
// "a dyer is a man who changes colours" says of the man, it says of the dyer.
func (r *reader) complementOf(k int, v verbGroup) (int, bool) {
	if r.kindOf(k) != itemPhrase || r.kindOf(k-1) != itemVerb {
		return 0, false
	}
	p, be := r.phraseOf(k), r.items[k-1].verb
	if be.lemma != "be" || be.negated || be.hedged || be.unreal || !isArticle(p.determiner) || v.plural {
		return 0, false
	}
	subjects, _ := r.subjects(k - 1)
	if len(subjects) != 1 || r.phraseOf(subjects[0]).key == "" {
		return 0, false
	}
	return subjects[0], true
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
	for k := j - 1; k >= 0 && k > j-20; k-- {
		if r.kindOf(k) == itemStop {
			return 0, false
		}
		if r.kindOf(k) != itemComma {
			continue
		}
		inner := r.kindOf(k + 1)
		inserted := inner == itemWh || r.exemplifies(r.items[k].last) || inner == itemPreposition || inner == itemVerb && !r.items[k+1].verb.finite || inner == itemPhrase && r.kindOf(k-1) == itemPhrase && r.sameThing(k-1, k+1)
		if inner == itemPhrase && k+2 == j && r.kindOf(k-1) == itemPhrase && r.phraseOf(k+1).name && !r.phraseOf(k-1).name && r.phraseOf(k-1).determiner != "" {
			return k + 1, true // "her father, Otto Kessel, ran a sawmill"
		}
		if r.kindOf(k-1) == itemPhrase && (inserted || inner == itemPhrase && r.appositive(k+1) && !r.hasFinite(k+1, j)) {
			return k - 1, true
		}
		if r.hasFinite(k, j) || r.kindOf(k-1) != itemPhrase {
			return 0, false
		}
	}
	return 0, false
}

// exemplifies reports whether the tokens from at on introduce an example.
func (r *reader) exemplifies(at int) bool {
	return r.wordsAt(at, "e.g.") || r.wordsAt(at, "such", "as") || r.wordsAt(at, "including") || r.wordsAt(at, "for", "example") || r.wordsAt(at, "like")
}

// sameThing reports whether the phrases at items a and b are two names of one thing.
func (r *reader) sameThing(a, b int) bool {
	x, y := r.found.find(r.phraseOf(a).key), r.found.find(r.phraseOf(b).key)
	return x != nil && x == y
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
	switch before := r.kindOf(head - 1); {
	case before == itemPreposition && !r.governed(head):
		// "in 1847 the company": the number is its object
	case before == itemWh:
		if head-1 > 0 || r.low(head-1) == "what" {
			return nil // "the lock that the leader holds": the object went ahead
		}
	case before == itemVerb, before == itemPreposition, before == itemTo:
		return r.beyondRelative(head-1, v)
	}
	if v.single && r.phraseOf(head).plural && !r.phraseOf(head).name || v.plural && r.kindOf(head-1) != itemConjunction && !r.mayBePlural(head) {
		return nil
	}
	out := []int{head}
	if v.single && !r.alternative(head) || r.introduces(head+1) {
		return out
	}
	k, joined := head-1, false
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
		if at < k-1 && (joined || r.kindOf(start-1) != itemComma) {
			break // "A, and B …": a clause of its own
		}
		joined = joined || r.kindOf(k) == itemConjunction
		if start < at && r.low(at-1) == "between" {
			return []int{start} // "a race between the heartbeat and the reaper"
		}
		if r.introduces(start + 1) {
			return []int{start} // "disruptions such as strikes and fires": the disruptions
		}
		if before := r.kindOf(start - 1); before == itemVerb || before == itemPreposition || before == itemTo {
			if found := r.beyondRelative(start-1, v); len(found) > 0 || before == itemVerb && r.items[start-1].verb.finite {
				return found
			}
			return out
		}
		out = append(out, start)
		k = start - 1
	}
	return out
}

// alternative reports whether "or" stands before the phrase at item i: of "copper,
// silver or gold is a metal" the verb is said of each.
func (r *reader) alternative(i int) bool {
	return r.kindOf(i-1) == itemConjunction && r.low(i-1) == "or"
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
	for r.kindOf(j-1) == itemPreposition && r.kindOf(j-2) == itemPhrase && r.governed(j) && !(r.low(j-1) == "as" && r.phraseOf(j).pronoun) {
		j -= 2
	}
	return j
}

// governed reports whether the phrase at item j is the object of the preposition before
// it, with nothing in between.
func (r *reader) governed(j int) bool {
	return r.items[j-1].last == r.items[j].first
}
