package answers

import (
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// notPeople are words of names that are not of people.
var notPeople = set(`university college school institute company corporation party church river lake sea ocean mountain mountains city county state states
	republic kingdom empire war battle treaty act law street park bay island islands north south east west northern southern eastern western
	council committee commission association society league agency department ministry museum airport station century street centre center
	monday tuesday wednesday thursday friday saturday sunday english french german american british european african asian chinese roman catholic`)

// people are words before names of people.
var people = set("mr mrs ms dr sir lord lady king queen prince princess president emperor pope saint professor captain general duke count baron bishop archbishop minister sultan khan senator governor engineer architect physicist chemist philosopher")

// places returns the names of the sentence that may be of places and that the question does not
// have, and what stands behind a word of place.
func (s *scanned) places() []found {
	kept := s.lowerPlaces()
	for _, f := range s.capitals() {
		first, last := s.wordsIn(f.Span)
		if s.allAsked(first, last) {
			continue
		}
		switch {
		case s.before(first, "in", "at", "near", "nach", "aus", "en"):
			f.bonus += 0.8
		case s.before(first, "to", "from", "into", "of", "through", "outside", "around", "between", "along", "off", "across"):
			f.bonus += 0.4
		case s.before(first, "the") && first > 1 && s.before(first-1, "in", "at", "near", "to", "from", "into", "through", "along", "on"):
			f.bonus += 0.6
		default:
			f.bonus -= 0.4
		}
		if first == 0 && last == 0 {
			f.bonus -= 0.4
		}
		f.bonus += s.headBonus(first, last) + s.besideBonus(first, last)
		kept = append(kept, s.trimAsked(f))
	}
	return kept
}

var lowerPlace = way("", `\b(?:in|at|near|on|into|within|under|outside|inside|behind|along|through|around|beneath|above|across|among)\s((?:(?:the|a|an)\s)?(?:[\pL-]+\s?){1,3})`)

// lowerPlaces returns what is not a name and stands behind a word of place: "in the mountains".
func (s *scanned) lowerPlaces() []found {
	var all []found
	for _, m := range lowerPlace.regexp().FindAllStringSubmatchIndex(s.text, -1) {
		first, last := s.wordsIn(corpus.Span{Start: m[2], End: m[3]})
		for i := first; i <= last; i++ {
			if s.words[i].small && (i > first || !article(s.words[i].Text)) || i > first && notNoun(s.words[i].Text) {
				last = i - 1
				break
			}
		}
		if last < first || last == first && s.words[first].small || s.words[last].capital || s.allAsked(first, last) || strings.HasSuffix(s.words[last].Text, "ing") {
			continue
		}
		all = append(all, found{Span: s.span(first, last), bonus: 0.1})
	}
	return all
}

// headBonus says whether a name has, or stands beside, the noun that the question asks for.
func (s *scanned) headBonus(first, last int) float64 {
	if s.head == "" {
		return 0
	}
	for i := max(first-2, 0); i <= min(last+2, len(s.words)-1); i++ {
		if s.words[i].Stem == s.head {
			if i >= first && i <= last {
				return 0.8
			}
			return 0.6
		}
	}
	return 0
}

// trimAsked takes words of the question off both ends of a name, when something is left.
func (s *scanned) trimAsked(f found) found {
	first, last := s.wordsIn(f.Span)
	for first < last && (s.words[first].asked || s.words[first].small) && s.words[first].Stem != s.head {
		first++
	}
	for last > first && (s.words[last].asked && s.words[last].Stem != s.head || s.words[last].small) {
		last--
	}
	f.Span = s.span(first, last)
	return f
}

// names returns the names of the sentence that the question does not have: of people, or of
// what the question asks for by "which".
func (s *scanned) names(kind Kind) []found {
	var kept []found
	for _, f := range s.capitals() {
		first, last := s.wordsIn(f.Span)
		if s.allAsked(first, last) || dateWord(s.words[first].raw) && first == last {
			continue
		}
		if first == 0 && last == 0 && !acronym(s.words[0].raw) {
			f.bonus -= 0.6
		}
		if kind == KindPerson {
			f.bonus += s.personBonus(first, last)
		} else {
			f.bonus += s.headBonus(first, last)
			if s.before(first, "in", "at") || first > 1 && s.before(first, "the") && s.before(first-1, "in", "at") {
				f.bonus -= 0.4
			}
		}
		if s.accordingTo(first) {
			f.bonus += 0.5
		}
		f.bonus += s.besideBonus(first, last)
		kept = append(kept, s.trimAsked(f))
	}
	if kind == KindName {
		kept = append(kept, s.phrases()...)
	}
	return append(kept, s.last()...)
}

// accordingTo reports whether a name is of one that the sentence quotes.
func (s *scanned) accordingTo(first int) bool {
	return s.before(first, "to") && s.before(first-1, "according") ||
		s.before(first, "the") && first > 2 && s.before(first-1, "to") && s.before(first-2, "according")
}

// dateWord reports whether a word names a month or a day.
func dateWord(w string) bool { return monthName(w) || strings.HasSuffix(strings.ToLower(w), "day") }

// personBonus says how much a name looks like that of a person who does what is asked.
func (s *scanned) personBonus(first, last int) float64 {
	sum := 0.0
	if last > first {
		sum += 0.3
	}
	for _, w := range s.words[first : last+1] {
		if notPeople[w.Text] {
			sum -= 0.3
		}
		if people[w.Text] {
			sum += 0.3
		}
	}
	if first > 0 && (people[s.words[first-1].Text] || s.words[first-1].asked && strings.TrimSpace(s.between(first-1)) == "") {
		sum += 0.3 // "mayor Hans Tanzler"
	}
	if s.before(first, "by") || first > 1 && s.before(first, "the") && s.before(first-1, "by") {
		sum += 0.5
		if s.has(&asksPatient) {
			sum--
		}
	}
	if s.before(first, "in", "at", "from", "near") {
		sum -= 0.5
	}
	return sum
}

// asksPatient finds a question for whom something was done to.
var asksPatient = way("who ", `(?i)\bwho (?:was|were|is|are) (?:\w+ly )?\w+(?:ed|en|ought|ade)\b`)

var asksOther = way("besides|other than|apart from|aside from|along with|in addition|together|else|außer|además", `(?i)\b(?:besides|other than|apart from|aside from|along with|in addition to|together with|what else|außer|además de)\b`)

// besideBonus says whether a name is listed with one that the question has, and asks for others.
func (s *scanned) besideBonus(first, last int) float64 {
	if !s.has(&asksOther) {
		return 0
	}
	if i := first - 1; i >= 0 && s.words[i].asked && strings.TrimSpace(s.between(i)) == "," {
		return 1
	}
	if i := first - 2; i >= 0 && s.words[i].asked && (s.words[i+1].Text == "and" || s.words[i+1].Text == "or") {
		return 1
	}
	if i := last + 1; i < len(s.words) && s.words[i].asked && strings.TrimSpace(s.between(last)) == "," {
		return 1
	}
	if i := last + 2; i < len(s.words) && s.words[i].asked && (s.words[i-1].Text == "and" || s.words[i-1].Text == "or") {
		return 1
	}
	return 0
}

var quoted = way("", `["“„]([^"”“]{2,60})["”“]`)

var calledName = way("", `\b(?:called|named|known as|termed|nicknamed|dubbed|titled|genannt|llamad[oa]|denominad[oa])\s(?:the |a |an )?((?:[\pL\pN'’-]+\s?){1,4})`)

// phrases returns what is no name and has the noun that the question asks for, with the words
// before it and "of" behind it; and what is said to be called so.
func (s *scanned) phrases() []found {
	var all []found
	for _, m := range calledName.regexp().FindAllStringSubmatchIndex(s.text, -1) {
		first, last := s.wordsIn(corpus.Span{Start: m[2], End: m[3]})
		for i := first; i <= last; i++ {
			if s.words[i].small && i > first {
				last = i - 1
			}
		}
		if !s.allAsked(first, last) {
			all = append(all, found{Span: s.span(first, last), bonus: 0.5})
		}
	}
	for _, m := range quoted.regexp().FindAllStringSubmatchIndex(s.text, -1) {
		if first, last := s.wordsIn(corpus.Span{Start: m[2], End: m[3]}); !s.allAsked(first, last) && last-first < 4 {
			all = append(all, found{Span: corpus.Span{Start: m[2], End: m[3]}, bonus: 0.3})
		}
	}
	if s.head == "" {
		return all
	}
	for i, w := range s.words {
		if w.Stem != s.head {
			continue
		}
		first, last := i, i
		for first > 0 && i-first < 3 && !s.words[first-1].small && strings.TrimSpace(s.between(first-1)) == "" && !notNoun(s.words[first-1].Text) {
			first--
		}
		if i+2 < len(s.words) && s.words[i+1].Text == "of" {
			last = i + 2
			if s.words[last].small && last+1 < len(s.words) {
				last++
			}
		}
		if !s.allAsked(first, last) {
			all = append(all, found{Span: s.span(first, last), bonus: 0.3})
		}
	}
	return all
}

// last returns what stands behind the words that the question ends with: "has a relationship with
// whom?", and what a sentence says that the subject of the question is.
func (s *scanned) last() []found {
	var all []found
	n := len(s.pieces)
	at := -1
	for i := max(0, n-4); i < n; i++ {
		switch s.pieces[i].Text {
		case "what", "who", "whom", "which":
			at = i
		}
	}
	for i, w := range s.words {
		if !w.small || i == 0 || i+1 == len(s.words) || strings.TrimSpace(s.between(i)) != "" {
			continue
		}
		var bonus float64
		switch {
		case at > 1 && w.Text == s.pieces[at-1].Text && s.words[i-1].asked && s.words[i-1].Stem == s.pieces[at-2].Stem:
			bonus = 1
		case (w.Text == "is" || w.Text == "are" || w.Text == "was" || w.Text == "were") && s.words[i-1].asked && s.head != "":
			bonus = 0.2
		default:
			continue
		}
		if first, last := s.phrase(i + 1); last >= first && !s.allAsked(first, last) {
			all = append(all, found{Span: s.span(first, last), bonus: bonus})
		}
	}
	return all
}

// phrase returns the words of a noun phrase that begins at a word.
func (s *scanned) phrase(first int) (from, last int) {
	if first < len(s.words) && article(s.words[first].Text) {
		first++
	}
	last = first - 1
	for i := first; i < min(first+5, len(s.words)); i++ {
		if s.words[i].small || notNoun(s.words[i].Text) && i > first || i > first && strings.TrimSpace(s.between(i-1)) != "" {
			break
		}
		last = i
	}
	return first, last
}
