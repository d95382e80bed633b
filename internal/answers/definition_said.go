package answers

import (
	"slices"
	"strings"
)

// said keeps what a sentence says of a term in other ways than "X is a …": the term is in quotes,
// or behind what it means, or the sentence is about a thing of a kind that is named so.
func (d *definer) said(s string) {
	if term, found := quotedFirst(s); found && d.isTerm(term) {
		d.add(term)
	}
	if term, sure, found := boldFirst(s); found && d.isTerm(term) {
		if sure {
			d.add(term)
		} else {
			d.about(term)
		}
	}
	if term, found := d.meant(s); found && d.isTerm(term) {
		d.add(term)
	}
	if term, found := shortFor(s); found && d.isTerm(term) {
		d.add(term)
	}
}

// mentioned keeps what an English sentence says something of that is less than what it is: what it
// defines is known by then.
func (d *definer) mentioned(s string) {
	if d.forms != languageForms["en"] {
		return
	}
	d.doing(s)
	d.inGeneral(s)
	d.whichIs(s)
	d.quotedTerms(s)
	d.knownAs(s)
	d.newTerms(s)
}

// adverbs begin what may stand before the subject of a sentence, up to a comma.
var adverbs = map[string]map[string]bool{
	"en": set("in on at as for since under within like unlike with from by"),
	"de": set("in im bei unter als nach seit für"),
	"es": set("en como desde para según"),
	"fr": set("en dans comme depuis pour selon"),
}

// withoutAdverb cuts a short phrase off a sentence that stands before its subject: "In mathematics, a
// Hermitian matrix is …".
func (d *definer) withoutAdverb(s string) string {
	first, _, _ := strings.Cut(s, " ")
	language := d.language
	if adverbs[language] == nil {
		language = "en"
	}
	before, after, found := strings.Cut(s, ", ")
	n := len(strings.Fields(before))
	one := n == 1 && language == "en" && strings.HasSuffix(before, "ly") // "Logically, …"
	if !one && !adverbs[language][strings.ToLower(first)] || before == "By default" || !found || n > 6 || n == len(strings.Fields(s)) {
		return s
	}
	if next, _, _ := strings.Cut(after, " "); languageForms["en"].empty[strings.ToLower(next)] {
		return s
	}
	return strings.TrimLeft(after, marks)
}

// quoteMarks are pairs of marks that set a term off.
var quoteMarks = [][2]string{{`"`, `"`}, {"“", "”"}, {"„", "“"}, {"‘", "’"}, {"«", "»"}, {"'", "'"}}

// cutQuoted cuts a short term in quotes off the beginning of a text.
func cutQuoted(s string) (term, rest string, found bool) {
	for _, q := range quoteMarks {
		if inner, begins := strings.CutPrefix(s, q[0]); begins {
			term, rest, found = strings.Cut(inner, q[1])
			return term, rest, found && len(strings.Fields(term)) <= 4 && len(term) <= mostTermBytes
		}
	}
	return "", "", false
}

// quotedFirst returns the term in quotes that a sentence begins with, and says something of: "“Wheel”
// is a built format", "“Killing” text means to delete it".
func quotedFirst(s string) (term string, found bool) {
	if first, rest, _ := strings.Cut(s, " "); article(strings.ToLower(first)) {
		s = rest
	}
	term, rest, found := cutQuoted(s)
	if !found || !strings.HasPrefix(rest, " ") {
		return "", false
	}
	after := strings.Fields(rest)
	for i, w := range after[:min(len(after), 2)] {
		switch w {
		case "is", "are", "means", "refers", "denotes", "describes", "ist", "sind", "bezeichnet", "bedeutet", "es", "son", "significa":
			next := after[min(i+1, len(after)-1)]
			passive := w == "is" && !languageForms["en"].articles[next] && next != "used" || w == "are" && (strings.HasSuffix(next, "ed") || languageForms["en"].empty[next])
			return term, len(after) >= i+1+leastProse && !passive && !circular(term, after[i+1:])
		}
		if capital(w) {
			break
		}
	}
	return "", false
}

// meant returns the term of "By X, one means …" and "Unter X versteht man …".
func (d *definer) meant(s string) (term string, found bool) {
	if rest, is := strings.CutPrefix(s, "By "); is {
		term, rest, found = strings.Cut(rest, ", ")
		after := strings.Fields(rest)
		return term, found && len(after) > leastProse && slices.Contains([]string{"one", "we", "I", "you"}, after[0]) && slices.Contains([]string{"mean", "means", "refer", "refers", "understand", "understands", "denote", "denotes"}, after[1])
	}
	if rest, is := strings.CutPrefix(s, "Unter "); is {
		term, rest, found = strings.Cut(rest, " versteht man ")
		return term, found && len(strings.Fields(rest)) >= leastProse
	}
	return "", false
}

// shortFor returns the subject that a sentence spells out in brackets: "A FIFO (short for First In
// First Out) has a name".
func shortFor(s string) (term string, found bool) {
	term, rest, found := strings.Cut(s, " (")
	if !found || len(strings.Fields(term)) > 3 {
		return "", false
	}
	for _, lead := range []string{"short for", "stands for", "standing for", "an acronym for", "acronym for", "an abbreviation of", "abbreviation of", "abbreviation for", "kurz für", "Abkürzung für"} {
		if _, is := cutWords(rest, lead); is {
			return term, strings.Contains(rest, ")")
		}
	}
	return "", false
}

// doing keeps the name of a thing of a kind of which a sentence says what it does: "The inotify API
// provides a mechanism", "The builtin function getpath outputs values". The name has to look like
// one, or to be that of the section.
func (d *definer) doing(s string) {
	all := strings.Fields(s)
	if len(all) < 4+leastProse-1 || !strings.EqualFold(all[0], "the") {
		return
	}
	for i := 1; i < 3; i++ {
		name, kind := all[i], all[i+1]
		if i > 1 || kindNoun(all[i]) {
			name, kind = kind, name
		}
		if i == 2 && all[1] != "builtin" && all[1] != "built-in" || !kindNoun(kind) || kindNoun(name) {
			continue
		}
		after := all[i+2:]
		if len(after) < leastProse || !verbOfOne(after[0]) || (after[0] == "is" || after[0] == "was") && !d.forms.articles[after[1]] {
			continue
		}
		switch name = strings.Trim(name, marks); {
		case !d.isTerm(name):
		case d.nameLike(name), softwareNouns[kind] && !plainWords[name] && openingVerbs[after[0]]:
			d.add(name)
			if at := strings.LastIndexByte(name, '/'); at >= 0 && at+1 < len(name) {
				d.add(name[at+1:]) // /etc/fstab
			}
		case softwareNouns[kind] && !plainWords[name]:
			d.about(name)
		}
		return
	}
}

var generalVerbs = set("is are was were has have can may must will")

// inGeneral keeps the subject of a sentence that says what any of a kind does or undergoes: "A Query
// packet is sent to a host". It is about them, and may not say what they are.
func (d *definer) inGeneral(s string) {
	all := strings.Fields(s)
	if len(all) < 6 || all[0] != "A" && all[0] != "An" {
		return
	}
	end := 0 // of the subject: "A hard link to a file is …"
	for i := 2; i < 8 && i < len(all)-leastProse; i++ {
		verb := strings.ToLower(all[i])
		if end == 0 && (verb == "to" || verb == "of" || verb == "for" || verb == "in" || verb == "on" || verb == "with") {
			end = i
		}
		if !generalVerbs[verb] {
			if end == 0 && i >= 4 {
				return
			}
			continue
		}
		if end == 0 {
			end = i
		}
		term := strings.Join(all[1:end], " ")
		if d.isTerm(term) && !notKinds[strings.ToLower(all[1])] && !slices.Contains(d.keys, DefinedKey(term)) {
			d.about(term)
		}
		return
	}
}

// inApposition returns what a clause names behind its verb and says the kind of: "The central concept
// is the epoll instance, an in-kernel structure".
func inApposition(rest string) (term string, found bool) {
	before, after, found := strings.Cut(strings.TrimSpace(rest), ", a")
	first, name, _ := strings.Cut(before, " ")
	kind := strings.TrimPrefix(after, "n")
	return name, found && strings.EqualFold(first, "the") && strings.HasPrefix(kind, " ") && len(strings.Fields(kind)) > leastProse && len(strings.Fields(name)) <= 4 && entryTerm(name)
}

// softwareNouns are kinds of things whose names stand before them in small letters: "the zerolog
// package"; plainWords stand before them and are no names.
var (
	softwareNouns = set("package library tool utility daemon program framework API command module")
	plainWords    = set("first second third same following next last previous other new old own whole entire main default current standard given resulting original underlying external internal above below only build test client server target host original parent child shared static dynamic")
)

// quotedTerms keeps what a sentence brings in quotes at its end or before a comma: "is saved in a
// "kill-ring"". It is about them.
func (d *definer) quotedTerms(s string) {
	for _, lead := range []string{" a ", " an ", " called "} {
		for rest := s; ; {
			_, after, found := strings.Cut(rest, lead)
			if !found {
				break
			}
			if term, behind, quoted := cutQuoted(after); quoted && len(strings.Fields(term)) <= 3 && strings.ToLower(term) == term && d.isTerm(term) &&
				(behind == "" || strings.ContainsAny(behind[:1], ".,;:")) && !slices.Contains(d.keys, DefinedKey(term)) {
				d.about(term)
			}
			rest = after
		}
	}
}

// knownAs keeps the name that a sentence gives to a thing of a kind: "a feature known as autogrouping
// to improve …", "a file called the makefile that …". It is about it.
func (d *definer) knownAs(s string) {
	for _, mark := range []string{" known as ", " called ", " named "} {
		before, after, found := strings.Cut(s, mark)
		all := strings.Fields(before)
		if n := len(all); !found || n < 2 || !article(strings.ToLower(all[n-2])) && (n < 3 || !article(strings.ToLower(all[n-3]))) {
			continue
		}
		if end := strings.IndexAny(after, ",.;:()"); end >= 0 {
			after = after[:end]
		}
		words := strings.Fields(plainTerm(cutBefore(after, " to ", " that ", " which ", " for ", " in ", " of ", " with ", " and ")))
		if term := strings.Join(words, " "); len(words) > 0 && len(words) <= 3 && d.isTerm(term) && !slices.Contains(d.keys, DefinedKey(term)) {
			d.about(term)
		}
	}
}

// cutBefore cuts a text before the first of some marks.
func cutBefore(s string, marks ...string) string {
	for _, m := range marks {
		s, _, _ = strings.Cut(s, m)
	}
	return s
}

// whichIs keeps what a sentence names and goes on to say of: "has an independent signal mask, which
// indicates the set of signals". It is about it.
func (d *definer) whichIs(s string) {
	before, after, found := strings.Cut(s, ", which ")
	if !found {
		return
	}
	verb, _, _ := strings.Cut(after, " ")
	all := strings.Fields(before)
	if len(strings.Fields(after)) < leastProse || !verbOfOne(verb) && verb != "are" {
		return
	}
	for n := 1; n <= 4 && n < len(all); n++ {
		if w := strings.ToLower(all[len(all)-1-n]); w == "a" || w == "an" || w == "the" {
			if term := strings.Join(all[len(all)-n:], " "); entryTerm(term) && d.isTerm(term) && !slices.Contains(d.keys, DefinedKey(term)) {
				d.about(term)
				d.inShort(term)
			}
			return
		}
	}
}

// inShort keeps how a term of three small words is said without the first: what defines an "fanotify
// notification group" is about notification groups.
func (d *definer) inShort(term string) {
	main, _ := aside(term)
	all := strings.Fields(plainTerm(main))
	if len(all) == 3 && strings.ToLower(main[1:]) == main[1:] && d.isTerm(all[1]+" "+all[2]) && !within[all[1]] && all[1] != "of" {
		d.about(all[1] + " " + all[2])
	}
}

// openingVerbs say what a thing does in the first sentence about it.
var openingVerbs = set("provide provides allow allows enable enables let lets offer offers describe describes define defines perform performs implement implements support supports divide divides determine determines")

// opening keeps what the first sentence of a section says the doing of: "POSIX message queues allow
// processes to exchange data".
func (d *definer) opening(s string) {
	main, _ := aside(s[:min(len(s), 200)])
	all := strings.Fields(main)
	for i := 1; i < 6 && i < len(all)-leastProse; i++ {
		if all[i] == "will" && openingVerbs[all[i+1]] || openingVerbs[all[i]] {
			for term := range strings.SplitSeq(strings.Join(all[:i], " "), " and ") {
				if d.isTerm(term) && !slices.Contains(d.keys, DefinedKey(term)) {
					d.about(term)
					if words := strings.Fields(plainTerm(term)); len(words) == 2 && kindNoun(words[1]) {
						d.aboutNew(words[0])
					}
				}
			}
			return
		}
	}
}

// kindNoun reports a word for a kind of thing that has names.
func kindNoun(w string) bool {
	switch w {
	case "API", "feature", "framework", "system", "utility", "algorithm", "format", "mode", "packet", "structure", "file", "library", "application":
		return true
	}
	return kindNouns[w]
}

// verbOfOne reports a word that may say what one thing does or is.
func verbOfOne(w string) bool {
	return w == "is" || w == "was" || !capital(w) && strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") && !notVerbs[w]
}

// nameLike reports a word that is no plain one, or is what the section is named after.
func (d *definer) nameLike(w string) bool {
	return strings.ContainsAny(w, "_.0123456789/") || capital(w) || strings.ToLower(w) != w || DefinedKey(w) == DefinedKey(d.section)
}

// newTerms keeps what a sentence sets off behind an article, as texts do with a term when they bring
// it: "The unit of transmission is a **Packet**". It is about them.
func (d *definer) newTerms(s string) {
	for m := range marked(s) {
		brought := m.before == "a" || m.before == "an" || m.before == "the" || m.before == "called"
		if brought && d.isTerm(m.term) && !strings.HasSuffix(m.term, ":") && len(strings.Fields(m.term)) <= 4 && !slices.Contains(d.keys, DefinedKey(m.term)) {
			d.about(m.term)
		}
	}
}

// otherwise keeps the names that a definition brings behind its verb: "is a stream cipher, also
// known under the name RC4, and".
func (d *definer) otherwise(rest string) {
	for _, lead := range d.forms.also {
		if !strings.Contains(lead, " ") {
			continue
		}
		for _, mark := range []string{", ", "("} {
			_, after, found := strings.Cut(rest, mark+lead+" ")
			if !found {
				continue
			}
			name := after
			if end := strings.IndexAny(name, ",.;:()"); end >= 0 {
				name = name[:end]
			}
			if before, _, is := strings.Cut(name, " and "); is {
				name = before
			}
			for _, under := range []string{"name", "names", "term"} {
				if _, behind, is := strings.Cut(name, " "+under+" "); is {
					name = behind
				}
			}
			if all := strings.Fields(name); len(all) > 0 && len(all) <= 4 && d.isTerm(name) {
				d.add(name)
			}
		}
	}
}
