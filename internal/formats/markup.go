package formats

import (
	"context"
	"regexp"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// The markup languages that texts are written in, besides Markdown.
const (
	markupASCIIDoc = "AsciiDoc"
	markupRST      = "reStructuredText"
	markupOrg      = "Org"
	markupMan      = "man"
	markupTeX      = "TeX"
	markupSubRip   = "SubRip"
	markupWebVTT   = "WebVTT"
)

// markupNames are the markup languages by the extensions of names.
var markupNames = map[string]string{
	".adoc": markupASCIIDoc, ".asciidoc": markupASCIIDoc, ".asc": markupASCIIDoc,
	".rst": markupRST, ".rest": markupRST, ".org": markupOrg,
	".tex": markupTeX, ".latex": markupTeX, ".ltx": markupTeX,
	".srt": markupSubRip, ".vtt": markupWebVTT,
	".man": markupMan, ".mdoc": markupMan, ".1": markupMan, ".2": markupMan, ".3": markupMan, ".4": markupMan,
	".5": markupMan, ".6": markupMan, ".7": markupMan, ".8": markupMan,
}

// markupSigns are what texts of a markup language have that bear no name: those of each that is
// needed once, or twice.
var markupSigns = []struct {
	language string
	sign     *regexp.Regexp
	least    int
}{
	{markupWebVTT, regexp.MustCompile(`^WEBVTT(?:[ \t].*)?\r?\n`), 1},
	{markupSubRip, regexp.MustCompile(`^\d+\r?\n\d\d:\d\d:\d\d[,.]\d{3} --> \d\d:\d\d:\d\d[,.]\d{3}`), 1},
	{markupMan, regexp.MustCompile(`(?m)^\.(?:TH|Dt|SH|Sh) \S`), 2},
	{markupTeX, regexp.MustCompile(`(?m)^\s*\\(?:documentclass|documentstyle|begin\{document\}|(?:sub)*section\*?\{)`), 2},
	{markupOrg, regexp.MustCompile(`(?mi)^#\+(?:title|author|begin_src|options):?`), 2},
	{markupRST, regexp.MustCompile("(?m)^\\.\\. (?:[\\w-]+::|_[^:\n]+:)|:[a-z]+:`[^`\n]+`"), 3},
	{markupASCIIDoc, regexp.MustCompile(`(?m)^(?:={2,5} \S|\[\[[\w-]+\]\]$|\[(?:source|NOTE|TIP|WARNING|verse)\b.*\]$|include::\S+\[|:[\w-]+: ?\S*$)`), 3},
}

// markupLanguage returns the markup language of a text, or "".
func markupLanguage(text []byte, filename string) string {
	const head = 64 << 10
	sample := text[:min(len(text), head)]
	language := markupNames[extension(filename)]
	switch language {
	case "":
	case markupMan, markupSubRip, markupWebVTT: // their names are those of other files too
		for _, s := range markupSigns {
			if s.language == language && s.sign.Match(sample) {
				return language
			}
		}
		return ""
	case markupASCIIDoc:
		if strings.Contains(string(sample[:min(len(sample), 200)]), "-----BEGIN PGP") {
			return ""
		}
		return language
	default:
		return language
	}
	for _, s := range markupSigns {
		if len(s.sign.FindAllIndex(sample, s.least)) >= s.least {
			return s.language
		}
	}
	return ""
}

// readMarkup makes Markdown of a text in a markup language.
func readMarkup(ctx context.Context, text, language string) (corpus.DocumentText, error) {
	text = strings.ReplaceAll(text, "\r\n", "\n")
	d := corpus.DocumentText{Markup: corpus.ContentMarkdown}
	switch language {
	case markupASCIIDoc:
		d.Text = asciidoc(text)
	case markupRST:
		d.Text = restructured(text)
	case markupOrg:
		d.Text = orgText(text)
	case markupMan:
		d.Text = manPage(text)
	case markupTeX:
		d.Text = texText(text)
	case markupSubRip, markupWebVTT:
		return subtitles(text), nil
	default:
		return d, malformed("Texts in %q are not read.", language)
	}
	if ctx.Err() != nil {
		return d, context.Cause(ctx)
	}
	d.Text = strings.TrimSpace(manyBlankLines.ReplaceAllString(d.Text, "\n\n"))
	return d, nil
}

var manyBlankLines = regexp.MustCompile(`\n{3,}`)

// markdownWriter writes Markdown line by line.
type markdownWriter struct {
	strings.Builder
	fenced bool
}

// heading writes a heading of a level from 1 to 6.
func (w *markdownWriter) heading(level int, title string) {
	w.endFence()
	w.WriteString("\n" + strings.Repeat("#", min(max(level, 1), 6)) + " " + strings.TrimSpace(title) + "\n\n")
}

// fence begins a block of code, and endFence ends it.
func (w *markdownWriter) fence() {
	if !w.fenced {
		w.WriteString("\n```\n")
	}
	w.fenced = true
}

func (w *markdownWriter) endFence() {
	if w.fenced {
		w.WriteString("```\n\n")
	}
	w.fenced = false
}

func (w *markdownWriter) line(text string) { w.WriteString(text + "\n") }

// isRepeated reports a line of nothing but one character, of at least so many.
func isRepeated(line, chars string, least int) bool {
	return len(line) >= least && strings.Contains(chars, line[:1]) && strings.Trim(line, line[:1]) == ""
}

// indentOf returns how many white spaces a line begins with.
func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }
