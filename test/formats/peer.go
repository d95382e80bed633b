package main

import (
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"time"
)

// peerText is what a trusted program reads of a file.
type peerText struct {
	program  string
	words    []string
	ordered  []string       // those of them whose order counts; nil is all
	headings []string       // the words of each
	rows     []string       // of tables, the words of each
	pages    []pageReadings // of a PDF
}

// peers are the programs that are trusted for a kind, and how they are called. Those that write
// HTML also say what is a heading and a row of a table.
var peers = map[string][]string{
	"html": {"lynx", "-dump", "-nolist", "-width=990", "-display_charset=utf-8", "-assume_charset=utf-8", "-force_html", "-stdin"},
	"pdf":  {"pdftotext", "-enc", "UTF-8"},
	"docx": pandoc("docx"), "odt": pandoc("odt"), "epub": pandoc("epub"), "rst": pandoc("rst"), "org": pandoc("org"), "tex": pandoc("latex"),
	"docbook": pandoc("docbook"), "fb2": pandoc("fb2"), "man": pandoc("man"), "csv": pandoc("csv"),
	"rtf": {"soffice", "writer"}, "doc": {"soffice", "writer"}, "xls": {"soffice", "csv"}, "ppt": {"soffice", "html"},
	"xlsx": {"soffice", "csv"}, "ods": {"soffice", "csv"}, "pptx": {"soffice", "html"}, "odp": {"soffice", "html"},
}

// pandoc returns how it is called. It writes HTML: in Markdown a table with cells that span
// others is only "[TABLE]", and addresses, escapes and numbers of items are hard to tell from words.
func pandoc(from string) []string {
	return []string{"pandoc", "--sandbox", "-f", from, "-t", "html", "--wrap=none", "--no-highlight"}
}

// readPeer returns what the trusted program reads of a file, or nil when there is none, or when it
// fails.
func (m *measuring) readPeer(ctx context.Context, f file, body []byte) *peerText {
	command := peers[f.kind]
	if len(command) == 0 {
		return nil
	}
	if command[0] == "soffice" {
		return m.office.text(ctx, f, command[1])
	}
	const limit = 30 * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	c := exec.CommandContext(ctx, command[0], command[1:]...)
	switch {
	case f.kind == "html":
		c.Stdin = bytes.NewReader(withoutControls(body))
	case f.kind == "rst":
		c.Stdin = bytes.NewReader(withoutSphinx(body))
	case f.kind == "pdf":
		c.Args = append(c.Args, f.full, "-")
	default:
		c.Args = append(c.Args, f.full)
	}
	text, err := c.Output()
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	p := &peerText{program: command[0]}
	switch command[0] {
	case "pandoc":
		p.page(text)
		p.words = wordsOf(pageText(text))
	case "lynx":
		p.page(body)
		p.words = wordsOf(lynxNoise.ReplaceAllString(string(text), " "))
	default:
		p.words = wordsOf(string(text))
		if f.kind == "pdf" {
			p.readPages(ctx, f.full, string(text))
		}
	}
	return p
}

// lynxNoise are the signs of lynx, which it writes in words: of buttons and fields, pictures,
// captions, what was inserted, and the second kind of bullets.
var lynxNoise = regexp.MustCompile(`\((?:BUTTON|Submit|IMAGE)\)|\[[\w.-]+\.(?:png|gif|jpe?g|svg)\]|\[(?:IMG|INLINE|LINK|INS:|DEL:|USEMAP:.*?|EMBED)\]?|:(?:INS|DEL)\]|_{3,}|\bCAPTION:|(?m:^\s+o\s)`)

// sphinxBlock are the directives of Sphinx that pandoc does not know: it writes the names of files
// and the entries of the index, which nobody sees in the text. sphinxRole are roles that it takes
// apart: those of a domain, and those with a line in their names.
var (
	sphinxBlock = regexp.MustCompile(`^([ \t]*)\.\. (?:index|toctree|literalinclude|include|highlight|sectionauthor|moduleauthor|module|currentmodule|contents)::`)
	sphinxRole  = regexp.MustCompile("(:[a-z]+)[:_]([a-z]+:`)")
)

// withoutSphinx takes out of a text in reStructuredText what is of Sphinx alone.
func withoutSphinx(body []byte) []byte {
	var kept bytes.Buffer
	within := -1 // how far the directive is indented that is left out
	for line := range bytes.Lines(body) {
		trimmed := bytes.TrimLeft(line, " \t")
		if indent := len(line) - len(trimmed); within >= 0 && (indent > within || len(bytes.TrimSpace(trimmed)) == 0) {
			kept.WriteByte('\n')
			continue
		}
		within = -1
		if m := sphinxBlock.FindSubmatch(line); m != nil {
			within = len(m[1])
			continue
		}
		kept.Write(sphinxRole.ReplaceAll(line, []byte("$1$2")))
	}
	return kept.Bytes()
}
