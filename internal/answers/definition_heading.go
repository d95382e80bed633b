package answers

import (
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// aboutMark begins a term that a passage is about without saying what it is.
const aboutMark = "# "

// About returns the key of what passages are about that only open the section of a term, or have
// it in the first of their columns. They come behind those that define it. The key is as
// DefinedKey returns it.
func About(key string) string { return aboutMark + key }

// about keeps a term that the passage is about.
func (d *definer) about(term string) {
	if term = plainTerm(term); term != "" && DefinedKey(term) != "" && len(d.terms) < mostDefinitions {
		d.terms = append(d.terms, aboutMark+term)
	}
}

// headed keeps what the heading names that the passage stands under as the first one: the whole
// heading, and what is before a dash or a colon, in brackets and behind "Introduction to".
func (d *definer) headed() {
	heading := d.section
	for _, mark := range []string{" - ", " – ", " — ", " : ", ": "} {
		if before, _, found := strings.Cut(heading, mark); found {
			heading = before
			break
		}
	}
	for _, lead := range headingLeads {
		if rest, found := cutWords(heading, lead); found {
			heading = strings.TrimSpace(rest)
			break
		}
	}
	main, asides := aside(strings.TrimRight(heading, "?"))
	for _, term := range append([]string{main}, asides...) {
		if all := strings.Fields(term); len(all) > 0 && len(all) <= 5 && !emptyLabel(term) {
			d.about(term)
		}
	}
}

// headingLeads begin a heading and are no part of what it names.
var headingLeads = []string{"introduction to", "an introduction to", "overview of", "about", "understanding", "what is", "what are", "using", "was ist", "was sind", "über", "einführung in", "qué es", "introducción a"}

// openingHeading are the keys of headings under which a text says what the heading above names.
var openingHeading = keys("introduction, overview, summary, abstract, background, description, synopsis, name, purpose, definition, definitions, basics, concept, concepts, general, what it is, einleitung, überblick, beschreibung, resumen, introducción, descripción, 概述, 简介")

// subjectHeading returns the innermost heading of a path that names a thing, without its number:
// of "Setup > 3.2. Lanes > Overview" it is "Lanes".
func subjectHeading(section string) string {
	for section != "" {
		above, heading, found := cutLast(section, corpus.SectionSeparator)
		if heading = withoutNumber(heading); !openingHeading()[DefinedKey(heading)] || !found {
			return heading
		}
		section = above
	}
	return ""
}

func cutLast(s, mark string) (before, after string, found bool) {
	if i := strings.LastIndex(s, mark); i >= 0 {
		return s[:i], s[i+len(mark):], true
	}
	return "", s, false
}

// withoutNumber cuts the number off a heading, the sign of a link behind it, and the section of a
// manual: "4.2. Lanes¶", "git-bisect(1)".
func withoutNumber(heading string) string {
	heading = strings.Join(strings.Fields(strings.TrimRight(heading, "¶# \u00a0")), " ")
	for _, part := range []string{"Chapter", "Appendix", "Part", "Section", "Kapitel", "Anhang", "Capítulo"} {
		heading, _ = strings.CutPrefix(heading, part+" ")
	}
	first, rest, found := strings.Cut(heading, " ")
	if number := strings.TrimRight(first, ".):"); found && number != "" && strings.Trim(number, "0123456789.") == "" && strings.TrimSpace(rest) != "" {
		heading = strings.TrimSpace(rest)
	}
	if n := len(heading); n > 3 && heading[n-1] == ')' && heading[n-3] == '(' && '1' <= heading[n-2] && heading[n-2] <= '9' {
		heading = heading[:n-3]
	}
	return heading
}

// openings begin a sentence that says what the heading above it is: "A file that …".
var openings = set("A An Ein Eine Un Una Une Um Uma Uno")

// notKinds begin, behind an article, no kind of thing.
var notKinds = set("few lot common number new good better simple typical second third further similar more complete major short single different great particular little bit note word")

// saysKind reports whether the first sentence below a heading says what kind of thing it is, with
// no verb between: "A file that is listed in …".
func (d *definer) saysKind(begin []string) bool {
	return openings[begin[0]] && !notKinds[strings.ToLower(strings.Trim(begin[1], marks))]
}

// expansions keeps the short names that a sentence has beside the long ones: "a write-ahead log
// (WAL)", "a model (Multiversion Concurrency Control, MVCC)".
func (d *definer) expansions(s string) {
	for rest := s; ; {
		before, inner, found := strings.Cut(rest, "(")
		if !found {
			return
		}
		inner, rest, found = strings.Cut(inner, ")")
		if !found {
			return
		}
		long, short, both := cutLast(inner, ", ")
		if !both || !acronym(short) {
			long, short = before, inner
		}
		if acronym(short) && !strings.ContainsAny(short, " .") && initials(long, short) {
			d.about(short)
		}
	}
}

// initials reports whether the last words of a text begin with the letters of a short name.
func initials(text, short string) bool {
	words := strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '-' || r == '\n' || r == '\u00a0' })
	letters := strings.TrimSuffix(short, "s")
	if len(words) < 2 {
		return false
	}
	at := len(letters)
	for i := len(words) - 1; i >= 0 && at > 0; i-- {
		word := strings.ToUpper(strings.Trim(words[i], marks))
		switch {
		case word != "" && word[0] == letters[at-1]:
			at--
		case at > 1 && word != "" && word[0] == letters[at-2] && strings.IndexByte(word, letters[at-1]) > 0:
			at -= 2 // two letters of one word: multiversion
		default:
			if !small(strings.ToLower(word)) {
				return false
			}
		}
	}
	return at == 0
}
