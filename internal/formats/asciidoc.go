package formats

import (
	"regexp"
	"strings"
)

var (
	asciidocLink = regexp.MustCompile(`(?:link:|xref:|mailto:)[^\s\[\]]+\[([^\]\n]*)\]|\b(?:https?|ftp|irc)://[^\s\[\]]+\[([^\]\n]+)\]|<<[^,<>\n]+,\s*([^<>\n]+)>>|<<([^<>,\n]+)>>`)
	asciidocDrop = regexp.MustCompile(`\[\[[^\]\n]*\]\]|\(\(\([^)\n]*\)\)\)|image:{1,2}\S+?\[[^\]\n]*\]|\b(?:indexterm|anchor):[^\[\s]*\[[^\]\n]*\]`)
	asciidocTerm = regexp.MustCompile(`^(\S.*?)(?:::+|;;)(?:\s+(.*))?$`)
	asciidocAttr = regexp.MustCompile(`^:!?[\w-]+!?:(?:\s.*)?$`)
	asciidocItem = regexp.MustCompile(`^\s*([*.-]{1,5})\s+(\S.*)$`)
	asciidocUnit = regexp.MustCompile(`^(?:include|ifdef|ifndef|ifeval|endif|toc|video|audio)::.*\]$`)
)

// underlines are the marks below headings, by their levels.
const underlines = "=-~^+"

// asciidoc makes Markdown of a text in AsciiDoc: its headings, paragraphs and lists, and blocks of
// code. Attributes, anchors and comments are left out.
func asciidoc(text string) string {
	lines := strings.Split(text, "\n")
	var w markdownWriter
	closing := "" // what ends the block of code or the comment that is read
	comment := false
	for i := 0; i < len(lines); i++ {
		line := strings.TrimRight(lines[i], " \t\r")
		switch {
		case closing != "":
			switch {
			case line == closing:
				closing = ""
				w.endFence()
				comment = false
			case !comment:
				w.line(line)
			}
		case isRepeated(line, "/", 4):
			closing, comment = line, true
		case isUnderlined(lines, i):
			w.heading(strings.Index(underlines, lines[i+1][:1])+1, asciidocInline(line))
			i++
		case isRepeated(line, "-.", 4), strings.HasPrefix(line, "```"):
			closing = strings.TrimRight(line, "abcdefghijklmnopqrstuvwxyz")
			w.fence()
		default:
			asciidocLine(&w, line)
		}
	}
	w.endFence()
	return w.String()
}

// isUnderlined reports a heading of which the next line is as long, and of one mark.
func isUnderlined(lines []string, i int) bool {
	if i+1 >= len(lines) {
		return false
	}
	title, below := strings.TrimRight(lines[i], " \t\r"), strings.TrimRight(lines[i+1], " \t\r")
	const within = 3 // characters that the lengths differ
	length := len([]rune(title))
	return isRepeated(below, underlines, 2) && title != "" && indentOf(title) == 0 && !isRepeated(title, "=-~^+*_.", 2) && !strings.HasPrefix(title, "[") &&
		len(below) >= length-within && len(below) <= length+within && (i == 0 || strings.TrimSpace(lines[i-1]) == "" || strings.HasPrefix(lines[i-1], "["))
}

// asciidocLine writes a line that is in no block of code.
func asciidocLine(w *markdownWriter, line string) {
	marks := len(line) - len(strings.TrimLeft(line, "="))
	switch {
	case marks >= 1 && marks <= 6 && strings.HasPrefix(line[marks:], " "):
		w.heading(marks, asciidocInline(strings.TrimRight(line[marks:], "= ")))
	case isRepeated(line, "=*_+", 4), line == "--", line == "+", line == "|===", line == "'''", line == "<<<":
		w.line("")
	case strings.HasPrefix(line, "//"), asciidocAttr.MatchString(line), asciidocUnit.MatchString(line):
	case strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") && !strings.Contains(line, "]["): // attributes of a block
	case len(line) > 1 && line[0] == '.' && line[1] != '.' && line[1] != ' ': // the title of a block
		w.line("\n" + asciidocInline(line[1:]) + "\n")
	default:
		if m := asciidocItem.FindStringSubmatch(line); m != nil {
			mark := "- "
			if m[1][0] == '.' {
				mark = "1. "
			}
			w.line(strings.Repeat("  ", len(m[1])-1) + mark + asciidocInline(m[2]))
			return
		}
		if m := asciidocTerm.FindStringSubmatch(line); m != nil && indentOf(line) == 0 {
			w.line("\n" + asciidocInline(m[1]) + ":\n" + asciidocInline(m[2]))
			return
		}
		w.line(asciidocInline(strings.TrimLeft(line, " \t")))
	}
}

// asciidocInline returns the words of a line: of links their texts.
func asciidocInline(line string) string {
	if !strings.ContainsAny(line, "[<(") {
		return line
	}
	line = asciidocDrop.ReplaceAllString(line, "")
	return asciidocLink.ReplaceAllString(line, "$1$2$3$4")
}
