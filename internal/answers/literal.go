package answers

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

// mostLiterals bounds the literals of a question, and mostLiteral the bytes of one.
const (
	mostLiterals = 16
	mostLiteral  = 300
)

// literalForms find what must stand in a passage as a question has it. The first group is the
// literal.
var literalForms = []form{
	way("`", "`([^`]+)`"),
	way("\"|“|„|«|「|『|《", `"([^"]+)"|“([^”]+)”|„([^“”]+)[“”]|«\s*([^»]+?)\s*»|「([^」]+)」|『([^』]+)』|《([^》]+)》`),
	// An error message: a word for one and what it says, or a place in a file and what is there.
	way(": ", `((?:(?i:\b(?:error|fatal|panic|warning|exception|fehler|errno))|\b\w+(?:Error|Exception)|\b[A-Za-z]+(?: \w+){0,3} failed)(?: ?\[\w+\])?: .+)$`),
	way(":", `([^\s:]+:\d+(?::\d+)?: .+)$`),
	way("'|‘", `(?:^|[\s(])['‘]([^'’]{2,}(?:['’]\w[^'’]*)*)['’](?:$|[\s).,;:?!])`),
}

// Words that are literal by how they are written.
var (
	hasDigit    = way("", `\d`)
	versionWord = way("", `^[vV]?\d+(?:\.\d+)+(?:[-+~.]?[A-Za-z][\w.]*)?$|^[vV]\d+$`)
	plainNumber = way("", `^[-+]?[\d.,:/]+(?:st|nd|rd|th|s|[a-zA-Z]{1,3}|%)?$`)
	dotted      = way("", `^(?:\.[A-Za-z_][\w-]+|[A-Za-z_][\w-]*(?:(?:\.|::|->)[A-Za-z_][\w-]+)+(?:\.\d+)*)$`)
	camel       = way("", `^[a-z]{2,}\d*[A-Z]\w*$|^(?:[A-Z]+[a-z0-9]+){3,}$`)
	coded       = way("", `^[A-Za-z]+[-A-Za-z]*\d[\w-]*$|^\d+[A-Za-z]+\d\w*$`)
)

// Literals returns what a question wants to be found as it is written, in the order of the
// question and each once: quoted text, error messages, paths, options of commands, versions with the
// name before them, identifiers, names of files and codes. What is only a word of a language is
// none.
func Literals(question string) []string {
	type literal struct {
		at   int
		text string
	}
	var all []literal
	add := func(at int, text string) {
		text = strings.TrimSpace(text)
		if text == "" || len(text) > mostLiteral || len(all) >= mostLiterals || slices.ContainsFunc(all, func(l literal) bool { return l.text == text }) {
			return
		}
		all = append(all, literal{at, text})
	}
	rest := []byte(question)
	for i, form := range literalForms {
		if !form.mayBe(question) {
			continue
		}
		for _, m := range form.regexp().FindAllSubmatchIndex(rest, mostLiterals) {
			for g := 2; g < len(m); g += 2 {
				if m[g] < 0 {
					continue
				}
				text := string(rest[m[g]:m[g+1]])
				if i == 2 || i == 3 {
					text = messageEnd(text)
				}
				add(m[g], text)
				for at := m[g]; at < m[g]+len(text); at++ {
					rest[at] = ' ' // it is read once
				}
			}
		}
	}
	for _, w := range tokensOf(string(rest)) {
		if w.version != "" {
			add(w.start, w.version)
		}
		if literalWord(w.text) {
			add(w.start, w.text)
		}
	}
	slices.SortStableFunc(all, func(a, b literal) int { return a.at - b.at })
	texts := make([]string, len(all))
	for i, l := range all {
		texts[i] = l.text
	}
	return texts
}

// messageEnd cuts off a message what the question goes on with.
func messageEnd(message string) string {
	message = strings.TrimRight(message, " ?")
	for _, tail := range []string{" mean", " means", " bedeutet", " significa"} {
		message = strings.TrimSuffix(message, tail)
	}
	return message
}

// token is a word of a question as it is written, between white space.
type token struct {
	start   int
	text    string
	version string // with the name before it: "Debian 2.0"
}

// tokensOf returns the words of a question without the marks of sentences around them.
func tokensOf(question string) []token {
	var all []token
	for at := 0; at < len(question); {
		end := at + strings.IndexFunc(question[at:]+" ", unicode.IsSpace)
		text := strings.TrimLeft(question[at:end], "([{\"'“‘¿¡«")
		start := end - len(text)
		text = strings.TrimRight(text, ")]}\"'”’»?!,;:.。？！，")
		text = strings.TrimSuffix(strings.TrimSuffix(text, "'s"), "’s")
		text = strings.TrimSuffix(text, "(")
		if text != "" {
			t := token{start: start, text: text}
			if n := len(all); n > 0 && numbersName(all, text) {
				t.start, t.version = all[n-1].start, all[n-1].text+" "+text
			}
			all = append(all, t)
		}
		_, size := utf8.DecodeRuneInString(question[min(end, len(question)):])
		at = end + max(size, 1)
	}
	return all
}

// numbersName reports whether a number is said of the name before it: "Debian 2.0", "Windows 11".
func numbersName(before []token, number string) bool {
	name := before[len(before)-1].text
	if !versionWord.regexp().MatchString(number) && (strings.Trim(number, "0123456789") != "" || len(number) > 3) {
		return false
	}
	return capital(name) && !hasDigit.regexp().MatchString(name) && !monthName(name) && (len(before) > 1 || !small(strings.ToLower(name)))
}

// literalWord reports whether a word is literal by how it is written.
func literalWord(w string) bool {
	switch {
	case len(w) < 2, len(w) > mostLiteral:
		return false
	case option(optionName(w)):
		return true
	case strings.Contains(w, "://"):
		return true
	case strings.ContainsAny(w, `/\`):
		return pathLike(w)
	case versionWord.regexp().MatchString(w):
		return true
	case plainNumber.regexp().MatchString(w):
		return false
	case strings.Contains(strings.Trim(w, "_"), "_"), strings.HasPrefix(w, "__"), strings.HasPrefix(w, "$"), strings.HasPrefix(w, "@"), strings.HasPrefix(w, "~/"):
		return true
	}
	return dotted.regexp().MatchString(w) && !strings.HasPrefix(strings.ToLower(w), "e.g") || camel.regexp().MatchString(w) && !strings.HasPrefix(w, "Mc") || coded.regexp().MatchString(w) && len(w) > 3
}

// optionName is an option without its value.
func optionName(w string) string {
	name, _, _ := strings.Cut(w, "=")
	return name
}

// pathLike reports whether a word with a slash is a path or names joined by one, and no "and/or".
func pathLike(w string) bool {
	if strings.HasPrefix(w, "/") || strings.HasPrefix(w, "./") || strings.HasPrefix(w, "../") || strings.Contains(w, `\`) || strings.Count(w, "/") > 1 {
		return strings.ContainsFunc(w, unicode.IsLetter)
	}
	before, after, _ := strings.Cut(w, "/")
	if before == "" || after == "" || !strings.ContainsFunc(w, unicode.IsLetter) {
		return false
	}
	switch strings.ToLower(w) {
	case "and/or", "he/she", "she/he", "his/her", "him/her", "s/he", "w/o", "yes/no", "either/or", "km/h", "n/a":
		return false
	}
	return true
}

// LiteralIn finds a literal in a text: as it is written, else in any case. White space in it
// stands for any white space, so that a message is found across a line's end. A literal that
// begins or ends with a letter or digit is found where a word does.
func LiteralIn(text, literal string) (at corpus.Span, ok bool) {
	if literal == "" || len(literal) > mostLiteral {
		return at, false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], literal)
		if i < 0 {
			break
		}
		at = corpus.Span{Start: from + i, End: from + i + len(literal)}
		if at.Whole(text) {
			return at, true
		}
		from = at.Start + 1
	}
	first, _ := utf8.DecodeRuneInString(literal)
	for i, r := range text {
		if !sameRune(r, first) {
			continue
		}
		if end, found := foldedAt(text, i, literal); found && (corpus.Span{Start: i, End: end}).Whole(text) {
			return corpus.Span{Start: i, End: end}, true
		}
	}
	return corpus.Span{}, false
}

// foldedAt returns where the literal that begins at i ends, in any case.
func foldedAt(text string, i int, literal string) (end int, found bool) {
	for at := 0; at < len(literal); {
		r, size := utf8.DecodeRuneInString(literal[at:])
		at += size
		if i >= len(text) {
			return 0, false
		}
		other, width := utf8.DecodeRuneInString(text[i:])
		i += width
		if unicode.IsSpace(r) && unicode.IsSpace(other) {
			for i < len(text) {
				if other, width = utf8.DecodeRuneInString(text[i:]); !unicode.IsSpace(other) {
					break
				}
				i += width
			}
			continue
		}
		if !sameRune(r, other) {
			return 0, false
		}
	}
	return i, true
}

// sameRune reports whether two characters are one in another case, or are both quotes.
func sameRune(a, b rune) bool {
	return a == b || unicode.ToLower(a) == unicode.ToLower(b) || quote(a) && quote(b)
}

func quote(r rune) bool { return strings.ContainsRune("\"'`“”„‘’", r) }
