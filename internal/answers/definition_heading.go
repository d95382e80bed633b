package answers

import (
	"regexp"
	"slices"
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
	if term = plainTerm(term); term != "" && DefinedKey(term) != "" && len(d.terms) < mostDefinitions && !slices.Contains(d.terms, aboutMark+term) {
		d.terms = append(d.terms, aboutMark+term)
	}
}

// headed keeps what the heading names that the passage stands under as the first one: the whole
// heading, and what is before a dash or a colon, in brackets and behind "Introduction to".
func (d *definer) headed() {
	heading := d.section
	if strings.HasPrefix(heading, "-") { // "-d, --data <data>"
		d.options([]string{heading, "    " + strings.Repeat("what it does ", 2)})
		return
	}
	for _, mark := range []string{" - ", " -- ", " – ", " — ", " : ", ": "} {
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
	for _, tail := range []string{" invocation", " Invocation", " overview", " Overview"} {
		heading = strings.TrimSuffix(heading, tail)
	}
	main, asides := aside(strings.TrimRight(heading, "?"))
	for _, term := range append([]string{main}, asides...) {
		if all := strings.Fields(term); len(all) > 0 && len(all) <= 5 && !emptyLabel(term) {
			d.about(term)
			if words := strings.Fields(plainTerm(term)); len(words) == 2 && kindNoun(strings.TrimSuffix(words[1], "s")) && (d.nameLike(words[0]) || article(strings.ToLower(strings.Fields(term)[0]))) {
				d.about(words[0]) // the securebits flags
			}
			if _, name, path := cutLast(term, "/"); path && strings.HasPrefix(term, "/") {
				d.about(name)
			}
		}
	}
}

// headingLeads begin a heading and are no part of what it names.
var headingLeads = []string{"introduction to", "an introduction to", "overview of", "about", "understanding", "what is", "what are", "using", "was ist", "was sind", "über", "einführung in", "qué es", "introducción a", "invoking", "running"}

// openingHeading are the keys of headings under which a text says what the heading above names.
var openingHeading = keys("introduction, overview, summary, abstract, background, description, synopsis, name, purpose, definition, definitions, basics, concept, concepts, general, what it is, einleitung, überblick, beschreibung, resumen, introducción, descripción, 概述, 简介")

// silentHeading are the keys of headings under which nothing says what a thing is.
var silentHeading = keys("synopsis, see also, author, authors, copyright, reporting bugs, bugs, index, menu")

// lastHeading returns the innermost heading of a path.
func lastHeading(section string) string {
	_, heading, found := cutLast(section, corpus.SectionSeparator)
	if !found {
		heading = section
	}
	return withoutNumber(heading)
}

// proseBefore returns the prose that stands before a fence of code in the same passage.
func proseBefore(text string) string {
	before, _, fenced := strings.Cut(text, "\n```")
	if !fenced || strings.HasPrefix(text, "```") {
		return ""
	}
	return strings.TrimSpace(before)
}

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
	heading = withoutLinks(heading)
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

// referencePicture and referenceLink have their targets elsewhere: "[![build][badge]][site]".
var (
	referencePicture = regexp.MustCompile(`\[!\[[^\[\]]*\](?:\[[^\[\]]*\]|\([^()]*\))\](?:\[[^\[\]]*\]|\([^()]*\))|!\[[^\[\]]*\]\[[^\[\]]*\]`)
	referenceLink    = regexp.MustCompile(`\[([^\[\]]+)\]\[[^\[\]]*\]`)
)

// withoutLinks cuts pictures out of a heading, and the targets of its links.
func withoutLinks(heading string) string {
	if strings.Contains(heading, "][") {
		heading = referenceLink.ReplaceAllString(referencePicture.ReplaceAllString(heading, ""), "$1")
	}
	for {
		open := strings.Index(heading, "](")
		if open < 0 {
			return strings.TrimSpace(heading)
		}
		end := strings.IndexByte(heading[open:], ')')
		if end < 0 {
			return strings.TrimSpace(heading)
		}
		rest, begin := heading[open+end+1:], strings.LastIndexByte(heading[:open], '[')
		switch {
		case begin < 0:
			heading = heading[:open] + rest
		case begin > 0 && heading[begin-1] == '!':
			heading = heading[:begin-1] + rest
		default:
			heading = heading[:begin] + heading[begin+1:open] + rest
		}
	}
}

// openings begin a sentence that says what the heading above it is: "A file that …".
var openings = set("A An Ein Eine Un Una Une Um Uma Uno")

// notKinds begin, behind an article, no kind of thing.
var notKinds = set("few lot common number new good better simple typical second third further similar more complete major short single different great particular little bit note word")

// saysKind reports whether the first sentence below a heading says what kind of thing it is, with
// no verb between: "A file that is listed in …".
func (d *definer) saysKind(begin []string) bool {
	second, third := strings.ToLower(strings.Trim(begin[1], marks)), strings.ToLower(strings.Trim(begin[2], marks))
	switch {
	case openings[begin[0]]:
		return !notKinds[second] || (second == "simple" || second == "small" || second == "single" || second == "complete") && (kindNoun(third) || softwareNouns[third])
	case d.forms != languageForms["en"]:
		return false
	case begin[0] == "The":
		return relatives[third] && !notKinds[second] || third == "of"
	case begin[0] == "Any":
		return relatives[third]
	}
	return capital(begin[0]) && strings.HasSuffix(begin[0], "s") && relatives[second]
}

// relatives go on from a noun and say which of its kind is meant.
var relatives = set("that which who where whose used containing")

// thisDoes reports whether the first sentence below a heading says what the thing of the heading does,
// is or holds: "This section holds …", "It is a …", and below a name "Returns the …".
func (d *definer) thisDoes(term string, begin []string) bool {
	if d.forms != languageForms["en"] {
		return false
	}
	switch begin[0] {
	case "It", "This":
		if begin[1] == "is" {
			return d.forms.articles[strings.ToLower(begin[2])] && !d.forms.not[strings.ToLower(begin[min(3, len(begin)-1)])]
		}
		return begin[0] == "This" && kindOrPart(begin[1]) && verbOfOne(begin[2])
	}
	return d.nameLike(term) && len(strings.Fields(term)) == 1 && capital(begin[0]) && verbOfOne(strings.ToLower(begin[0])) && article(strings.ToLower(begin[1]))
}

// kindOrPart reports a word for a kind of thing that has a heading of its own.
func kindOrPart(w string) bool {
	switch w {
	case "section", "member", "entry", "element", "attribute", "header", "chunk", "directive", "type", "value", "action", "script", "directory", "signal", "capability", "controller":
		return true
	}
	return kindNoun(w)
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
