package answers

import (
	"regexp"
	"slices"
	"strings"
)

// inPassing keeps what an English sentence says in passing of things that it is not about itself.
// Of all but whole clauses the passage is about them only.
func (d *definer) inPassing(s string) {
	if d.forms != languageForms["en"] {
		return
	}
	d.innerClauses(s)
	d.appositions(s)
	d.namedInPassing(s)
	d.explainedInPassing(s)
}

// aboutNew keeps a term that the passage is about, unless it defines it or it is none.
func (d *definer) aboutNew(term string) {
	all := strings.Fields(term)
	if len(all) == 0 || len(all) > 4 || !d.isTerm(term) || plainTerm(term) == "" || notKinds[strings.ToLower(all[0])] || slices.Contains(d.keys, DefinedKey(term)) {
		return
	}
	d.about(term)
}

// innerMarks stand before a clause inside a sentence.
var innerMarks = []string{", where ", "; ", ": ", " – ", " — ", ", and ", ", but ", ", while ", ", since ", " because ", " that "}

// innerClauses keeps the terms of clauses within a sentence that say what any of a kind is: "the
// inode number, where an inode number is an index …".
func (d *definer) innerClauses(s string) {
	for _, mark := range innerMarks {
		for rest := s; ; {
			_, after, found := strings.Cut(rest, mark)
			if !found {
				break
			}
			rest = after
			if first, _, _ := strings.Cut(after, " "); first != "a" && first != "an" {
				continue
			}
			if c, found := d.clause(after); found && len(strings.Fields(c.subject)) <= 5 && d.defines(clause{subject: upperFirst(c.subject), rest: c.rest, many: c.many, means: c.means, describes: c.describes, past: c.past}) {
				d.subject(c.subject)
			}
		}
	}
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// appositions keeps what is named before a comma and said the kind of behind it: "produces a core
// dump file, a file containing an image of it"; and the name that follows its kind: "A special
// value, KEY_SPEC, is".
func (d *definer) appositions(s string) {
	for rest, from := s, 0; ; {
		at := strings.Index(rest, ", ")
		if at < 0 {
			return
		}
		before := s[:from+at]
		from += at + 2
		rest = s[from:]
		first, after, _ := strings.Cut(rest, " ")
		if first != "a" && first != "an" || !d.kindAfter(strings.Fields(after)) {
			continue
		}
		if term := lastNoun(before); term != "" {
			d.aboutNew(term)
			d.shorter(term)
		}
	}
}

// lastNoun returns what a text ends with behind an article, or the name that it ends with.
func lastNoun(s string) string {
	all := strings.Fields(s)
	for n := 1; n <= 4 && n < len(all); n++ {
		if w := strings.ToLower(all[len(all)-1-n]); w == "a" || w == "an" || w == "the" {
			return strings.Join(all[len(all)-n:], " ")
		}
	}
	if n := len(all); n > 1 && (capital(all[n-1]) || strings.ContainsAny(all[n-1], "`_")) && !capital(all[n-2]) {
		return all[n-1]
	}
	return ""
}

// shorter keeps a term without the kind of thing that it ends with: of a core dump file also a core
// dump.
func (d *definer) shorter(term string) {
	if before, kind, found := cutLast(strings.TrimSpace(term), " "); found && kindNoun(kind) {
		d.aboutNew(before)
	}
}

// naming are the ways to give a name to what was described.
var naming = regexp.MustCompile(`(?:\b(?:is|are)(?: (?:also|sometimes|often|usually|commonly|generally|then))+ (?:called|termed|named|known as)|\b(?:is|are|was|were|be) (?:said to be|referred to as|termed)|, which (?:is|are) (?:called|known as|termed)|\bwe call|\bso-called|\((?:also |sometimes )?(?:known as|called)|\bone such [\w-]+ is) `)

// namingWords are what one of these ways has.
var namingWords = []string{"called ", "termed ", "named ", "known as ", "said to be ", "referred to as ", "we call ", "so-called ", "one such "}

// namedInPassing keeps these names: "… is said to be a dangling link", "(known as UCS-2)". Two may be
// given: "the "ABI" or "Application Binary Interface"".
func (d *definer) namedInPassing(s string) {
	if !slices.ContainsFunc(namingWords, func(w string) bool { return strings.Contains(s, w) }) {
		return // most sentences: the expression costs more than all else
	}
	for _, at := range naming.FindAllStringIndex(s, -1) {
		after := s[at[1]:]
		if lead, rest, _ := strings.Cut(after, " "); article(strings.ToLower(lead)) {
			after = rest
		}
		if term, rest, quoted := cutQuoted(after); quoted {
			d.aboutNew(term)
			if other, is := strings.CutPrefix(strings.TrimSpace(rest), "or "); is {
				if term, _, quoted := cutQuoted(other); quoted {
					d.aboutNew(term)
				}
			}
			continue
		}
		if end := strings.IndexAny(after, ",.;:()"); end >= 0 {
			after = after[:end]
		}
		words := strings.Fields(cutBefore(after, " to ", " that ", " which ", " for ", " in ", " of ", " with ", " and ", " by ", " as "))
		if len(words) <= 3 {
			d.aboutNew(strings.Join(words, " "))
		}
	}
}

// isThe are the ways to go on from a name that says which of several is meant.
var isThe = regexp.MustCompile(`\b(?:is|are) the ([\w-]+(?: [\w-]+){0,2}), (?:where|in which|whereby|which)\b`)

// explainedInPassing keeps what a sentence names and explains: "The first one is the round-robin approach, where …",
// "we discuss lifetimes: a variety of generics that …".
func (d *definer) explainedInPassing(s string) {
	if strings.Contains(s, " the ") && (strings.Contains(s, ", where") || strings.Contains(s, "which")) {
		for _, m := range isThe.FindAllStringSubmatch(s, -1) {
			d.aboutNew(m[1])
		}
	}
	before, after, found := strings.Cut(s, ": a ")
	if words := strings.Fields(before); found && len(words) > 1 && d.kindAfter(strings.Fields(after)) {
		d.aboutNew(words[len(words)-1])
	}
}

// firstDoing keeps what the first sentence of a passage says the doing of: "‘gzip’ reduces the size of
// files", "User namespaces isolate identifiers".
func (d *definer) firstDoing(s string) {
	if d.forms != languageForms["en"] {
		return
	}
	term, rest, found := cutQuoted(s)
	if !found {
		term, rest, found = setOff(s)
	}
	if verb, _, _ := strings.Cut(strings.TrimPrefix(rest, " "), " "); found && strings.HasPrefix(rest, " ") {
		if verbOfOne(verb) && !generalVerbs[verb] && len(strings.Fields(rest)) > leastProse {
			d.aboutNew(term)
		}
		return
	}
	main, _ := aside(s[:min(len(s), 200)])
	all := strings.Fields(main)
	for n := 1; n <= 3 && n+leastProse < len(all); n++ {
		if (all[0] == "A" || all[0] == "An") && n > 1 && verbOfOne(all[n]) && !capital(all[n]) && !strings.HasSuffix(all[n-1], "'s") {
			d.aboutNew(strings.Join(all[1:n], " "))
			return
		}
		if genericPlural(strings.Join(all[:n], " ")) && doesAsMany(all[n]) {
			d.aboutNew(strings.Join(all[:n], " "))
			return
		}
	}
}

// doesAsMany reports a word that may be what several things do: "isolate", and not "of" or "below".
func doesAsMany(w string) bool {
	low, en := strings.ToLower(w), languageForms["en"]
	if low != w || len(w) < 4 || strings.Trim(w, marks) != w || within[w] || small(w) || en.empty[w] || en.verbs[w] || relatives[w] {
		return generalVerbs[w]
	}
	for _, end := range []string{"s", "ed", "ing", "ly"} {
		if strings.HasSuffix(w, end) {
			return false
		}
	}
	return true
}
