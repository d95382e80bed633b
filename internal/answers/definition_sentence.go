package answers

import (
	"iter"
	"slices"
	"strings"
)

// mostSubject is how many words the subject of a definition may have, with what is put in
// between.
const mostSubject = 24

// sentence keeps the terms that one sentence defines.
func (d *definer) sentence(s string) {
	if d.language == "zh" || hanFirst(s) {
		d.chinese(s)
		return
	}
	quoted := strings.TrimLeft(s, " \t")
	s = strings.TrimLeft(s, marks)
	s = d.withoutAdverb(s)
	c, found := d.clause(s)
	if term, is := inApposition(c.rest); found && is && d.isTerm(term) {
		d.add(term)
	}
	if found && d.defines(c) {
		d.subject(c.subject)
		d.inShort(c.subject)
		d.otherwise(c.rest)
	} else if term, of := strings.CutPrefix(c.subject, "The "); of && d.forms == languageForms["en"] && !c.means && !c.past && !strings.Contains(term, " of ") && indefinite(c.rest) {
		d.aboutNew(term)
	} else if term, found := introduced(s); found && d.isTerm(term) {
		d.add(term)
	} else if name, found := ofKind(s); found {
		d.add(name)
		if dot := strings.LastIndexAny(name, ".:"); dot > 0 {
			d.add(name[dot+1:])
		}
	}
	d.said(quoted)
	d.called(s)
	d.setOffWithin(s)
	d.mentioned(quoted)
	d.expansions(s)
}

// kindNouns say what kind of thing a name in code is of.
var kindNouns = set("class type function method module object interface command event property option setting variable constant package library flag parameter field macro struct trait program tool daemon service protocol keyword operator decorator")

// ofKind returns the name in code that a sentence begins with, and says the kind and the doing of:
// "The `Worker` class represents a thread".
func ofKind(s string) (name string, found bool) {
	rest, _ := cutWords(s, "Instances of")
	rest = strings.TrimSpace(rest)
	instances := len(rest) < len(s)
	if after, is := cutWords(rest, "the"); is {
		rest = strings.TrimSpace(after)
	}
	name, rest, found = setOff(strings.TrimPrefix(rest, "["))
	after := strings.Fields(rest)
	if !found || len(after) < leastProse || strings.ContainsAny(name, " (") {
		return "", false
	}
	if kindNouns[after[0]] {
		after = after[1:]
	} else if !instances {
		return "", false
	}
	verb := after[0]
	return name, instances && !capital(verb) || strings.HasSuffix(verb, "s") && !notVerbs[verb]
}

// setOffWithin keeps the terms that a sentence sets off and defines behind its beginning: "…, and a
// **slot** is room for one job".
func (d *definer) setOffWithin(s string) {
	for m := range marked(s) {
		verb, _, _ := strings.Cut(strings.TrimPrefix(m.after, " "), " ")
		if article(m.before) && d.forms.copulas[verb] && d.isTerm(m.term) {
			d.add(m.term)
		}
	}
}

// mark is a term that a sentence sets off, the word before it, in small letters, and what follows.
type mark struct{ before, term, after string }

// marked yields what a sentence sets off behind its beginning, as far as that is whole.
func marked(s string) iter.Seq[mark] {
	return func(yield func(mark) bool) {
		for rest := s; ; {
			at := strings.Index(rest, " **")
			if at < 0 {
				return
			}
			m := mark{before: strings.ToLower(rest[strings.LastIndexByte(rest[:at], ' ')+1 : at])}
			var whole bool
			if m.term, m.after, whole = setOff(rest[at+1:]); !whole || !yield(m) {
				return
			}
			rest = m.after
		}
	}
}

// introduced returns the term that a sentence sets off behind an article at its beginning, before a
// verb: "A **claim** takes jobs", "A `Blob` encapsulates data".
func introduced(s string) (term string, found bool) {
	first, rest, _ := strings.Cut(s, " ")
	low := strings.ToLower(first)
	if low != "a" && low != "an" && low != "the" {
		return "", false
	}
	linked := strings.TrimPrefix(rest, "[")
	if term, rest, found = setOff(linked); !found {
		return "", false
	}
	if linked[0] == '`' && low == "the" {
		return "", false
	}
	if end := strings.IndexByte(rest, ' '); strings.HasPrefix(rest, "]") && end > 0 {
		rest = rest[end:] // "A [`Blob`][] is"
	}
	after := strings.Fields(rest)
	if len(after) < leastProse || !strings.HasPrefix(rest, " ") || capital(after[0]) {
		return "", false
	}
	return term, linked[0] != '`' || strings.HasSuffix(after[0], "s") && !notVerbs[after[0]]
}

// boldFirst returns the term in bold that a sentence begins with, before a verb: "**Bare keys** may".
// It is sure of what it is, and less of what it does.
func boldFirst(s string) (term string, sure, found bool) {
	if !strings.HasPrefix(s, "**") && !strings.HasPrefix(s, "__") {
		return "", false, false
	}
	term, rest, found := setOff(s)
	after := strings.Fields(rest)
	if !found || emptyLabel(term) || len(after) < leastProse || !strings.HasPrefix(rest, " ") || strings.ContainsAny(term, ".:!?") {
		return "", false, false
	}
	verb, en := after[0], languageForms["en"]
	plural := strings.HasSuffix(term, "s") && !within[verb] && !en.empty[verb] && strings.ToLower(verb) == verb && strings.Trim(verb, marks) == verb
	sure = generalVerbs[verb]
	return term, sure, sure || verbOfOne(verb) || plural
}

// notVerbs are words behind a term that are no verb of it.
var notVerbs = set("is was has does as its this plus class objects")

// clause is a sentence, parted at a verb that may define.
type clause struct {
	subject, rest string
	many          bool // "are": what follows needs no article
	means         bool // "stands for": what follows needs nothing
	describes     bool // it is said of documents as well
	past          bool // "was": only names are defined so
}

// clause parts a sentence at its first verb that may define. What stands in brackets belongs to
// the subject.
func (d *definer) clause(s string) (c clause, found bool) {
	depth, count := 0, 0
	for at := 0; at < len(s) && count < mostSubject; count++ {
		end := at + strings.IndexAny(s[at:]+" ", " \t\n")
		word := s[at:end]
		if depth <= 0 && count > 0 {
			for _, m := range d.forms.means {
				if after, is := cutWords(s[at:], m); is {
					return clause{subject: s[:at], rest: after, means: true, describes: ofDocuments[m]}, true
				}
			}
			if low := strings.ToLower(strings.Trim(word, "*_`")); d.forms.copulas[low] {
				return clause{subject: s[:at], rest: s[end:], many: d.forms.plurals[low], past: low == "was" || low == "were"}, true
			}
		}
		depth += strings.Count(word, "(") - strings.Count(word, ")")
		for at = end; at < len(s) && strings.IndexByte(" \t\n", s[at]) >= 0; {
			at++
		}
	}
	return clause{}, false
}

// circular reports whether what follows a verb says of one word the word itself: "ABI is the ABI to
// use".
func circular(term string, after []string) bool {
	key := DefinedKey(term)
	return key != "" && !strings.Contains(key, " ") && slices.ContainsFunc(after[:min(len(after), 3)], func(w string) bool { return DefinedKey(w) == key })
}

// indefinite reports whether what follows a verb begins with an article for any of a kind.
func indefinite(rest string) bool {
	first, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	return first == "a" || first == "an"
}

// ofDocuments are verbs that are said of documents and parts of pictures as well.
var ofDocuments = map[string]bool{"describes": true, "represents": true, "consists of": true, "acts as": true}

// genericPlural reports a subject that means all things of a kind: "Packet sockets".
func genericPlural(subject string) bool {
	all := strings.Fields(strings.Trim(subject, marks))
	if len(all) == 0 || len(all) > 3 || !capital(all[0]) || article(strings.ToLower(all[0])) {
		return false
	}
	last := all[len(all)-1]
	return strings.HasSuffix(last, "s") && !strings.HasSuffix(last, "ss") && !strings.HasSuffix(last, "us") && !strings.HasSuffix(last, "is")
}

// cutWords cuts words off the beginning of a text, in any case.
func cutWords(s, front string) (after string, found bool) {
	if len(s) <= len(front) || !strings.EqualFold(s[:len(front)], front) || s[len(front)] != ' ' {
		return s, false
	}
	return s[len(front):], true
}

// defines reports whether what follows the verb says what the subject is.
func (d *definer) defines(c clause) bool {
	after := strings.Fields(c.rest)
	if len(after) < 2 || !d.isTerm(c.subject) {
		return false
	}
	if all := strings.Fields(c.subject); c.past && d.forms == languageForms["en"] && !capital(all[len(all)-1]) && !strings.HasSuffix(all[len(all)-1], ")") {
		return false // "The result was a disaster"
	}
	if c.means {
		return (named(c.subject) || genericPlural(c.subject)) && (!c.describes || strings.HasPrefix(c.subject, "A ") || strings.HasPrefix(c.subject, "An "))
	}
	first := strings.ToLower(strings.Trim(after[0], marks))
	if d.forms == languageForms["en"] && (strings.HasSuffix(first, "ly") || first == "just" || first == "also" || first == "still") && len(after) > 2 { // "is usually a"
		after = after[1:]
		first = strings.ToLower(strings.Trim(after[0], marks))
	}
	if first == "how" || first == "what" || first == "where" {
		return strings.HasPrefix(c.subject, "A ") || strings.HasPrefix(c.subject, "An ")
	}
	if !d.forms.articles[first] {
		return c.many && d.kindOf(after)
	}
	second := strings.ToLower(strings.Trim(after[1], marks))
	return !circular(c.subject, after[1:]) && !d.forms.not[second] && (named(c.subject) || !strings.Contains(c.subject, " of ") && d.kindAfter(after[1:]))
}

// kindAfter reports whether what follows an article names a kind and says which of it: "the directory
// where …", "a string used to …".
func (d *definer) kindAfter(after []string) bool {
	if d.forms != languageForms["en"] {
		return false
	}
	for i, w := range after[:min(len(after), 6)] {
		switch w {
		case "that", "which", "where", "used", "whose", "containing", "describing":
			return i > 0
		}
	}
	return false
}

// kindOf reports whether the words after "are" name a kind: "queues that hold jobs", and not
// "described below".
func (d *definer) kindOf(after []string) bool {
	first := strings.ToLower(strings.Trim(after[0], marks))
	if d.forms != languageForms["en"] || len(after) < 3 || d.forms.empty[first] || strings.HasSuffix(first, "ed") ||
		strings.HasSuffix(first, "ing") || strings.HasSuffix(first, "ly") || strings.HasSuffix(first, "en") || d.forms.not[first] {
		return false
	}
	for _, w := range after[1:min(len(after), 6)] {
		switch strings.ToLower(strings.Trim(w, marks)) {
		case "that", "which", "who", "whose", "of", "used", "consisting", "made", "associated", "containing", "holding", "implementing", "describing", "designed", "declared", "defined", "written", "shared", "created", "whom", "where":
			return true
		}
	}
	return false
}

// called keeps the name of what is described first: "… is called a composite number".
func (d *definer) called(s string) {
	if d.forms != languageForms["en"] {
		return
	}
	for _, mark := range []string{" is called ", " are called ", " is known as ", " are known as ", " is termed "} {
		_, after, found := strings.Cut(s, mark)
		if !found {
			continue
		}
		name := after
		if end := strings.IndexAny(after, ",.;:("); end >= 0 {
			name = after[:end]
		}
		if lead, rest, _ := strings.Cut(after, " "); article(strings.ToLower(lead)) {
			after = rest
		}
		if term, _, found := cutQuoted(after); found {
			name = "the " + term
		}
		if all := strings.Fields(name); len(all) > 0 && len(all) <= 4 && (article(strings.ToLower(all[0])) || capital(all[0]) || strings.ContainsAny(all[0][:1], "\"*`")) && d.isTerm(strings.TrimLeft(name, marks)) {
			d.add(name)
		}
		return
	}
}
