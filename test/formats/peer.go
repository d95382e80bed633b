package main

import (
	"bytes"
	"context"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"golang.org/x/net/html"
)

// peerText is what a trusted program reads of a file.
type peerText struct {
	program  string
	words    []string
	headings []string // the words of each
	rows     []string // of tables, the words of each
}

// peers are the programs that are trusted for a kind, and how they are called. Those that write
// Markdown also say what is a heading and a row of a table.
var peers = map[string][]string{
	"html": {"lynx", "-dump", "-nolist", "-width=990", "-display_charset=utf-8", "-assume_charset=utf-8", "-force_html"},
	"pdf":  {"pdftotext", "-enc", "UTF-8"}, "doc": {"catdoc", "-w", "-dutf-8"}, "xls": {"xls2csv", "-dutf-8", "-q0"}, "ppt": {"catppt", "-dutf-8"},
	"docx": pandoc("docx"), "odt": pandoc("odt"), "epub": pandoc("epub"), "rtf": pandoc("rtf"), "rst": pandoc("rst"), "org": pandoc("org"), "tex": pandoc("latex"),
	"docbook": pandoc("docbook"), "fb2": pandoc("fb2"), "man": pandoc("man"), "csv": pandoc("csv"),
}

func pandoc(from string) []string {
	return []string{"pandoc", "--sandbox", "-f", from, "-t", "gfm-raw_html", "--wrap=none"}
}

// readPeer returns what the trusted program reads of a file, or nil when there is none, or when it
// fails.
func readPeer(ctx context.Context, f file, body []byte) *peerText {
	command := peers[f.kind]
	if len(command) == 0 {
		return nil
	}
	const limit = 30 * time.Second
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	arguments := append(append([]string{}, command[1:]...), f.full)
	if command[0] == "pdftotext" {
		arguments = append(arguments, "-")
	}
	c := exec.CommandContext(ctx, command[0], arguments...)
	if command[0] == "lynx" { // what stands for a picture or a frame is no word of the page
		c.Args[len(c.Args)-1] = "-stdin"
		c.Stdin = bytes.NewReader(pictures.ReplaceAll(body, nil))
	}
	text, err := c.Output()
	if err != nil || len(bytes.TrimSpace(text)) == 0 {
		return nil
	}
	p := &peerText{program: command[0]}
	switch command[0] {
	case "pandoc":
		p.markdown(string(text))
	case "lynx":
		p.words = wordsOf(lynxNoise.ReplaceAllString(string(text), " "))
		p.page(body)
	default:
		p.words = wordsOf(string(text))
	}
	return p
}

// pictures are elements of which lynx writes what stands in their place.
var pictures = regexp.MustCompile(`(?is)<(?:img|iframe|link|input|area|embed|frame)\b[^>]*>|<(noscript|select|button|svg|script|style|object|datalist|template)\b.*?</(?:noscript|select|button|svg|script|style|object|datalist|template)>`)

// lynxNoise are the marks of buttons, fields and pictures, which lynx writes in words.
var lynxNoise = regexp.MustCompile(`\((?:BUTTON|Submit|IMAGE|\w+)\)|\[[\w.-]+\.(?:png|gif|jpe?g|svg)\]|\[(?:IMG|INLINE|LINK)\]|_{3,}`)

var (
	markdownTarget = regexp.MustCompile(`\]\([^()\s]*(?:\s+"[^"]*")?\)|!\[[^\]]*\]|<[a-z]+:[^>\s]*>|</?(?:div|span|a)\b[^>]*>`)
	markdownRuling = regexp.MustCompile(`^\|[-:| ]+\|$`)
)

// markdown takes the words, headings and rows from Markdown.
func (p *peerText) markdown(text string) {
	text = markdownTarget.ReplaceAllString(text, "]")
	p.words = wordsOf(text)
	fenced := false
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "```"):
			fenced = !fenced
		case fenced:
		case strings.HasPrefix(line, "#"):
			p.headings = append(p.headings, joined(line))
		case strings.HasPrefix(line, "|") && !markdownRuling.MatchString(line):
			p.rows = append(p.rows, joined(line))
		}
	}
}

// page takes the headings and the rows from the elements of a page.
func (p *peerText) page(body []byte) {
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return
	}
	for n := range root.Descendants() {
		switch n.Data {
		case "h1", "h2", "h3", "h4", "h5", "h6":
			p.headings = append(p.headings, joined(textOf(n)))
		case "tr":
			if !strings.Contains(textOf(n), "\n\n") {
				p.rows = append(p.rows, joined(textOf(n)))
			}
		}
	}
}

func textOf(n *html.Node) string {
	var text strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode && d.Parent.Data != "script" && d.Parent.Data != "style":
			text.WriteString(d.Data)
		case d.Data == "br" || d.Data == "td" || d.Data == "th" || d.Data == "p":
			text.WriteString(" ")
		}
	}
	return text.String()
}
