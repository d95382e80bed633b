package formats

import (
	"regexp"
	"strings"
)

var (
	orgLink    = regexp.MustCompile(`\[\[[^\[\]\n]*\]\[([^\[\]\n]*)\]\]|\[\[([^\[\]\n]*)\]\]`)
	orgTags    = regexp.MustCompile(`\s+:[\w@#%:]+:\s*$`)
	orgState   = regexp.MustCompile(`^(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)\s+)?(?:\[#[A-Z]\]\s+)?`)
	orgKeyword = regexp.MustCompile(`^\s*#\+([\w-]+):?\s*(.*)$`)
	orgDrawer  = regexp.MustCompile(`^\s*:[\w-]+:\s*$`)
)

// orgText makes Markdown of a text of Org mode: its headings, paragraphs, lists and tables, and
// blocks of code. Drawers, keywords and comments are left out.
func orgText(text string) string {
	var w markdownWriter
	code, drawer := false, false
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimRight(line, " \t\r")
		stars := len(line) - len(strings.TrimLeft(line, "*"))
		low := strings.ToLower(strings.TrimSpace(line))
		switch {
		case code:
			if strings.HasPrefix(low, "#+end_") {
				code = false
				w.endFence()
				continue
			}
			w.line(line)
		case drawer:
			drawer = low != ":end:"
		case strings.HasPrefix(low, "#+begin_src"), strings.HasPrefix(low, "#+begin_example"), strings.HasPrefix(low, "#+begin_export"):
			code = true
			w.fence()
		case orgDrawer.MatchString(line) && low != ":end:":
			drawer = true
		case stars > 0 && strings.HasPrefix(line[stars:], " "):
			title := orgTags.ReplaceAllString(strings.TrimSpace(line[stars:]), "")
			w.heading(stars, orgInline(orgState.ReplaceAllString(title, "")))
		case strings.HasPrefix(low, "#+"):
			if m := orgKeyword.FindStringSubmatch(line); m != nil && strings.EqualFold(m[1], "title") {
				w.heading(1, m[2])
			} else if m != nil && strings.EqualFold(m[1], "caption") {
				w.line("\n" + orgInline(m[2]) + "\n")
			}
		case strings.HasPrefix(low, "# "), low == "#", strings.HasPrefix(low, "|-"):
		default:
			w.line(orgInline(line))
		}
	}
	w.endFence()
	return w.String()
}

// orgInline returns the words of a line: of links their texts.
func orgInline(line string) string {
	if !strings.Contains(line, "[[") {
		return line
	}
	return orgLink.ReplaceAllString(line, "$1$2")
}
