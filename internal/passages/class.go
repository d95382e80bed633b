package passages

import (
	"slices"
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/corpus"
)

// The bounds of what is told from prose by how it is written.
const (
	mostLinked   = 0.6 // of the letters, in links: more is navigation
	leastLinks   = 3
	mostTagged   = 0.5 // of the bytes, in tags and pictures: more is markup
	leastLetters = 0.3 // of the characters that are seen; fewer is markup
	// noticeWidth is how long a notice is at most: a text about cookies is none.
	noticeWidth = 700
	leastLines  = 3
)

// classOf says what a passage is, by where and how it is written. What stands around the main text
// is none of it, however it is written.
func classOf(p corpus.Passage, k kind) corpus.PassageClass {
	class := writtenClass(p, k)
	if around := aroundText(p.Section); around != "" && class.Main() {
		return around
	}
	return class
}

// aroundText returns the class of what stands around the main text of a page in a section, or "".
func aroundText(section string) corpus.PassageClass {
	first, _, _ := strings.Cut(section, corpus.SectionSeparator)
	switch first {
	case corpus.SectionNavigation:
		return corpus.ClassNavigation
	case corpus.SectionNotice:
		return corpus.ClassNotice
	}
	return ""
}

// writtenClass says what a passage is, by how it is written. A block of code is code.
func writtenClass(p corpus.Passage, k kind) corpus.PassageClass {
	switch k {
	case code:
		return corpus.ClassCode
	case title:
		return corpus.ClassContents // nothing stands under it
	}
	s := shapeOf(p.Text)
	low := strings.ToLower(p.Text)
	switch {
	case s.isMarkup():
		return corpus.ClassMarkup
	case isLicence(low):
		return corpus.ClassLicence
	case k != tableRow && isReferences(p, s, k):
		return corpus.ClassReferences
	case k != tableRow && isContents(p, s):
		return corpus.ClassContents
	case s.isNavigation() || isTurning(low):
		return corpus.ClassNavigation
	case len(p.Text) < noticeWidth && isNotice(low):
		return corpus.ClassNotice
	case k == listItem:
		return corpus.ClassList
	case k == tableRow:
		return corpus.ClassTable
	}
	return corpus.ClassProse
}

// shape is what is counted of a text, in characters.
type shape struct {
	seen, letters     int // that are seen; those of them that are letters or digits
	bytes, tagged     int // all; those in tags, pictures and the targets of links
	links, linked     int // links, and the letters in their words
	anchors           int // links to a place in the same document
	lines, entries    int // lines; those of them that are entries of a table of contents
	cited             int // lines that cite a work
	openTag, openLink bool
}

func shapeOf(text string) (s shape) {
	s.bytes = len(text)
	for line := range strings.Lines(text) {
		if trimmed := strings.TrimSpace(line); trimmed != "" {
			s.line(trimmed)
		}
	}
	return s
}

func (s *shape) line(line string) {
	s.lines++
	if isEntry(line) {
		s.entries++
	}
	if isCited(line) {
		s.cited++
	}
	for i := 0; i < len(line); {
		if n := s.target(line[i:]); n > 0 {
			s.tagged += n
			i += n
			continue
		}
		i += s.character(line[i:])
	}
}

// target returns how long a tag, or the target of a link or a picture, is at the beginning of
// a text; 0 for anything else.
func (s *shape) target(rest string) int {
	switch {
	case s.openTag:
		if end := strings.IndexByte(rest, '>'); end >= 0 {
			s.openTag = false
			return end + 1
		}
		return len(rest)
	case rest[0] == '<' && len(rest) > 1 && (rest[1] == '/' || rest[1] == '!' || 'a' <= rest[1]|0x20 && rest[1]|0x20 <= 'z'):
		end := strings.IndexByte(rest, '>')
		if end < 0 {
			s.openTag = strings.ContainsAny(rest, "=\"") // it goes on in the next line
			if s.openTag {
				return len(rest)
			}
			return 0
		}
		return end + 1
	case strings.HasPrefix(rest, "!["):
		if end := strings.Index(rest, "]("); end >= 0 {
			if closed := strings.IndexByte(rest[end:], ')'); closed >= 0 {
				return end + closed + 1
			}
		}
	case strings.HasPrefix(rest, "]("):
		if end := strings.IndexByte(rest, ')'); end >= 0 {
			s.links++
			s.openLink = false
			if strings.HasPrefix(rest, "](#") {
				s.anchors++
			}
			return end + 1
		}
	case strings.HasPrefix(rest, "&") && strings.Contains(rest[:min(len(rest), 8)], ";"):
		return strings.IndexByte(rest, ';') + 1
	}
	return 0
}

// character counts what is no target, and returns how long it is.
func (s *shape) character(rest string) int {
	var first rune
	size := len(rest)
	for i, r := range rest {
		if i > 0 {
			size = i
			break
		}
		first = r
	}
	switch {
	case first == '[':
		s.openLink = true
	case first == ']':
		s.openLink = false
	case unicode.IsLetter(first) || unicode.IsNumber(first) || unicode.IsMark(first):
		s.letters++
		s.seen++
		if s.openLink {
			s.linked++
		}
	case !unicode.IsSpace(first):
		s.seen++
	}
	return size
}

func (s shape) isMarkup() bool {
	const short = 20
	return s.tagged > 0 && s.letters < short && float64(s.tagged) > mostTagged*float64(s.bytes) ||
		float64(s.letters) < leastLetters*float64(s.seen) || s.letters == 0
}

func (s shape) isNavigation() bool {
	return s.links >= leastLinks && float64(s.linked) > mostLinked*float64(s.letters)
}

// isEntry reports a line like "2.1 The basics ..... 12", or "- [The basics](#basics)".
func isEntry(line string) bool {
	const longest = 90
	if strings.Contains(line, "](#") {
		return true
	}
	if len(line) > longest {
		return false
	}
	last := line[len(line)-1]
	if digit(last) && (strings.Contains(line, "....") || strings.Contains(line, ". . .") || strings.Contains(line, "……")) {
		return true
	}
	if item, found := strings.CutPrefix(line, "* "); found && strings.Contains(item, "::") || line == "* Menu:" {
		return true // of a menu of GNU Info
	}
	line = line[marker(line):]
	number := strings.TrimLeft(line, "0123456789.")
	return len(number) < len(line) && strings.Count(line[:len(line)-len(number)], ".") > 1 && !strings.ContainsAny(line[len(line)-1:], ".!?:;")
}

// isCited reports a line that begins as an entry of a bibliography does.
func isCited(line string) bool {
	if strings.Contains(line, "doi.org/") || strings.Contains(line, "arXiv:") || strings.Contains(line, "ISBN ") || strings.Contains(line, "ISSN ") {
		return true
	}
	rest := strings.TrimLeft(line, "-*^ ")
	if strings.HasPrefix(rest, "[") {
		number := strings.TrimLeft(rest[1:], "0123456789")
		return len(number) < len(rest)-1 && strings.HasPrefix(number, "]") && !strings.HasPrefix(number, "](") && hasYear(rest)
	}
	return false
}

// hasYear reports a text with a number from 1500 to 2099.
func hasYear(text string) bool {
	for i := 0; i+4 <= len(text); i++ {
		century := text[i : i+2]
		if (century >= "15" && century <= "20") && digit(text[i+2]) && digit(text[i+3]) && (i == 0 || !digit(text[i-1])) && (i+4 == len(text) || !digit(text[i+4])) {
			return true
		}
	}
	return false
}

func digit(b byte) bool { return '0' <= b && b <= '9' }

func isContents(p corpus.Passage, s shape) bool {
	heading := strings.ToLower(lastHeading(p.Section))
	if s.lines >= leastLines && 10*s.entries >= 7*s.lines {
		return true
	}
	return contentsHeadings[heading] && s.lines >= leastLines && s.letters < 40*s.lines
}

// isReferences reports works that are cited: what such a heading stands above may be about
// something else of that name.
func isReferences(p corpus.Passage, s shape, k kind) bool {
	if s.cited > 0 && 2*s.cited >= s.lines {
		return true
	}
	return referenceHeadings[strings.ToLower(lastHeading(p.Section))] && (k == listItem || s.links > 0 || hasYear(p.Text) || strings.Contains(p.Text, "://"))
}

func lastHeading(section string) string {
	if i := strings.LastIndex(section, corpus.SectionSeparator); i >= 0 {
		return section[i+len(corpus.SectionSeparator):]
	}
	return section
}

// turning are words of links in a row, "Prev | Up | Home | Next".
var turning = map[string]bool{"prev": true, "previous": true, "next": true, "up": true, "home": true, "contents": true, "index": true}

// isTurning reports the line with which a manual leads to the next page.
func isTurning(low string) bool {
	const longest = 160
	if len(low) > longest {
		return false
	}
	if links := strings.Split(strings.Join(strings.Fields(low), " "), " | "); len(links) > 2 && slices.ContainsFunc(links, func(l string) bool { return turning[l] }) {
		return true
	}
	if strings.HasPrefix(strings.TrimLeft(low, "\x1f\n "), "file: ") && strings.Contains(low, "  node: ") {
		return true // of GNU Info
	}
	for _, begin := range []string{"next:", "previous:", "prev:", "up:", "skip to ", "back to top", "jump to navigation", "« ", "← "} {
		if strings.HasPrefix(low, begin) {
			return true
		}
	}
	return false
}

func isLicence(low string) bool {
	for _, phrase := range licencePhrases {
		if strings.Contains(low, phrase) {
			return true
		}
	}
	return false
}

func isNotice(low string) bool {
	if strings.HasPrefix(low, "©") || strings.HasPrefix(low, "copyright ©") || strings.HasPrefix(low, "copyright (c)") {
		return true
	}
	for _, phrase := range noticePhrases {
		if strings.Contains(low, phrase) {
			return true
		}
	}
	return strings.Contains(low, "cookie") && hasAny(low, "we use", "accept", "consent", "akzeptier", "zustimm", "aceptar", "utilizamos", "utilisons", "accepter", "accett", "preferences")
}

func hasAny(text string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
