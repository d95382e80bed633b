package formats

import (
	"regexp"
	"strings"
)

const rstMarks = "=-`:.'\"~^_*+#<>!$%&(),/;?@[]{|}\\"

var (
	rstDirective = regexp.MustCompile(`^\.\. ([\w:+.-]+)::(?:\s+(.*))?$`)
	rstNote      = regexp.MustCompile(`^\.\. (\[[^\]]+\])\s+(.*)$`)
	rstField     = regexp.MustCompile(`^:[\w -]+:(?:\s|$)`)
	rstRole      = regexp.MustCompile("(?::[\\w.+-]+)+:`(?:!|~)?([^`<\n]*?)(?:\\s*<[^<>\n]*>)?`|`([^`<\n]+?)\\s*<[^<>\n]*>`__?|`([^`\n]+)`__?\\b")
	rstWord      = regexp.MustCompile(`\b([\w-]*\w)__?(\s|$|[.,;:!?)])`)
	rstBorder    = regexp.MustCompile(`^\s*(?:\+[-=+]+\+|=+(?: +=+)+|-+(?: +-+)+)\s*$`)
	// rstCode are the directives of code; rstSilent those whose content is no text.
	rstCode   = map[string]bool{"code": true, "code-block": true, "sourcecode": true, "highlight": true, "parsed-literal": true, "doctest": true, "testcode": true, "productionlist": true, "prompt": true}
	rstSilent = map[string]bool{
		"toctree": true, "include": true, "literalinclude": true, "raw": true, "contents": true, "index": true, "sectionauthor": true,
		"moduleauthor": true, "module": true, "currentmodule": true, "highlight": true, "testsetup": true, "testcleanup": true, "default-role": true, "role": true, "meta": true,
	}
)

// rst is a text in reStructuredText that is being read.
type rst struct {
	markdownWriter
	lines  []string
	styles []string // of headings, in the order of their levels
}

// restructured makes Markdown of a text in reStructuredText: its headings, paragraphs and lists,
// what its directives hold, and blocks of code. Comments, targets and options are left out.
func restructured(text string) string {
	r := rst{lines: strings.Split(text, "\n")}
	for i := 0; i < len(r.lines); {
		i = r.read(i)
	}
	r.endFence()
	return r.String()
}

// read reads what begins at a line, and returns the line after it.
func (r *rst) read(i int) int {
	line := strings.TrimRight(r.lines[i], " \t\r")
	if n := r.title(i); n > 0 {
		return i + n
	}
	trimmed := strings.TrimLeft(line, " \t")
	switch {
	case rstBorder.MatchString(line):
		r.line("")
		return i + 1
	case trimmed == "..", strings.HasPrefix(trimmed, ".. "):
		return r.explicit(i, trimmed)
	case trimmed == "::":
		return r.code(i+1, indentOf(line))
	case strings.HasSuffix(trimmed, "::"):
		r.line(rstInline(trimmed[:len(trimmed)-1]))
		return r.code(i+1, indentOf(line))
	}
	r.line(rstIndented(line))
	return i + 1
}

// rstIndented returns the words of a line, indented as an item of a list may be: more would be
// code in Markdown.
func rstIndented(line string) string {
	trimmed := strings.TrimLeft(line, " \t")
	return strings.Repeat(" ", min(indentOf(line), 2)) + rstInline(trimmed)
}

// title writes a heading, and returns how many lines it has, or 0.
func (r *rst) title(i int) int {
	over := 0
	if isRepeated(strings.TrimRight(r.lines[i], " \t\r"), rstMarks, 3) {
		over = 1
	}
	if i+over+1 >= len(r.lines) {
		return 0
	}
	words, below := strings.TrimSpace(r.lines[i+over]), strings.TrimRight(r.lines[i+over+1], " \t\r")
	if words == "" || !isRepeated(below, rstMarks, 2) || len(below) < 3 && len(words) > 3 || over == 0 && indentOf(r.lines[i]) > 0 ||
		over == 1 && strings.TrimRight(r.lines[i], " \t\r") != below || isRepeated(words, rstMarks, 3) || 2*len(below) < len([]rune(words)) {
		return 0
	}
	style := strings.Repeat(below[:1], over+1)
	level := 0
	for level < len(r.styles) && r.styles[level] != style {
		level++
	}
	if level == len(r.styles) {
		r.styles = append(r.styles, style)
	}
	r.heading(level+1, rstInline(words))
	return over + 2
}

// block returns the line after the block that is indented deeper than its beginning.
func (r *rst) block(i, indent int) int {
	end := i
	for ; i < len(r.lines); i++ {
		if strings.TrimSpace(r.lines[i]) == "" {
			continue
		}
		if indentOf(r.lines[i]) <= indent {
			break
		}
		end = i + 1
	}
	return end
}

// code writes the block of code that is indented deeper.
func (r *rst) code(i, indent int) int {
	end := r.block(i, indent)
	if end == i {
		return i
	}
	r.fence()
	for _, line := range r.lines[i:end] {
		r.line(strings.TrimRight(line, " \t\r"))
	}
	r.endFence()
	return end
}

// explicit reads a directive, a note, a target or a comment.
func (r *rst) explicit(i int, line string) int {
	indent := indentOf(r.lines[i])
	if m := rstNote.FindStringSubmatch(line); m != nil {
		r.line("\n" + m[1] + " " + rstInline(m[2]))
		return i + 1
	}
	m := rstDirective.FindStringSubmatch(line)
	if m == nil {
		return max(r.block(i+1, indent), i+1) // a target, a substitution or a comment
	}
	name, argument := m[1], m[2]
	if rstSilent[name] {
		return max(r.block(i+1, indent), i+1)
	}
	i++
	shows := "" // what is said of a picture
	for i < len(r.lines) && indentOf(r.lines[i]) > indent && rstField.MatchString(strings.TrimLeft(r.lines[i], " \t")) {
		if alt, ok := strings.CutPrefix(strings.TrimSpace(r.lines[i]), ":alt:"); ok {
			shows = altText(alt)
		}
		i++ // an option
	}
	switch {
	case rstCode[name]:
		return r.code(i, indent)
	case (name == "figure" || name == "image") && shows != "":
		r.line("\n[" + shows + "]\n")
	case name == "figure" || name == "image":
		r.line("")
	case rstLabels[name] != "":
		r.line("\n" + rstLabel(name, argument))
	case argument != "":
		r.line("\n" + rstInline(argument) + "\n")
	default:
		r.line("")
	}
	return i // its content is read as the text that it is
}

// rstLabels are what stands before the content of a directive, with its first argument for a %.
var rstLabels = map[string]string{
	"note": "Note:", "warning": "Warning:", "tip": "Tip:", "hint": "Hint:", "important": "Important:", "caution": "Caution:", "danger": "Danger:", "attention": "Attention:", "error": "Error:",
	"seealso": "See also:", "versionadded": "New in version %:", "versionchanged": "Changed in version %:", "deprecated": "Deprecated since version %:",
}

// rstLabel returns the line that a directive with a label begins with.
func rstLabel(name, argument string) string {
	label := rstLabels[name]
	if before, after, found := strings.Cut(label, "%"); found {
		version, rest, _ := strings.Cut(argument, " ")
		label, argument = before+version+after, rest
	}
	return strings.TrimSpace(label + " " + rstInline(argument))
}

// rstInline returns the words of a line: of roles and links their texts.
func rstInline(line string) string {
	if !strings.ContainsAny(line, "`_") {
		return line
	}
	parts := strings.Split(line, "``") // code, which is left as it is
	for i := 0; i < len(parts); i += 2 {
		parts[i] = rstRole.ReplaceAllString(parts[i], "$1$2$3")
		parts[i] = rstWord.ReplaceAllString(parts[i], "$1$2")
	}
	return strings.Join(parts, "`")
}
