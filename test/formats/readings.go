package main

import (
	"context"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// pageReadings are the two ways in which pdftotext reads a page of a PDF: paragraph by paragraph, and
// line by line as it is laid out.
type pageReadings struct{ flowing, laid string }

// readPages takes both readings of each page.
func (p *peerText) readPages(ctx context.Context, file, flowing string) {
	laid, err := exec.CommandContext(ctx, "pdftotext", "-layout", "-enc", "UTF-8", file, "-").Output()
	if err != nil {
		return
	}
	p.rows = layoutRows(string(laid))
	lines := strings.Split(string(laid), "\f")
	for i, page := range strings.Split(flowing, "\f") {
		r := pageReadings{flowing: page}
		if i < len(lines) {
			r.laid = lines[i]
		}
		p.pages = append(p.pages, r)
	}
}

// besides settles what counts of the pages of a PDF, of which these words were read with these
// warnings:
//
//   - Lines at the edges of pages that a warning says are left out do not count: they are named.
//   - pdftotext reads a table column by column in one of its readings and row by row in the other. Of a
//     page of short cells the one that agrees more with ours says its order. Of running text it is the
//     one that goes by paragraphs.
//   - A word of which pdftotext writes the letters apart is the one that was read.
//   - A page of labels, such as a drawing, has no order of reading.
func (p *peerText) besides(words, warnings []string) {
	if p.pages == nil {
		return
	}
	named := leftOut(warnings)
	at := once(words)
	p.words, p.ordered = nil, []string{}
	for _, page := range p.pages {
		flowing := wordsOf(withoutNamed(page.flowing, named))
		p.words = append(p.words, flowing...)
		if isLabels(page) {
			continue
		}
		if laid := wordsOf(withoutNamed(page.laid, named)); hasShortCells(page.laid) && orderAt(at, laid) > orderAt(at, flowing) {
			flowing = laid
		}
		p.ordered = append(p.ordered, flowing...)
	}
	p.words = lettersTogether(words, p.words)
}

var (
	leftOutWarning = regexp.MustCompile(`^Left out what repeats on most pages: \[(.*)\]$`)
	quotedString   = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)
	someDigits     = regexp.MustCompile(`\d+`)
)

// leftOut returns the words of the lines that warnings name, each with a blank around it and without
// the values of numbers.
func leftOut(warnings []string) (named []string) {
	for _, warning := range warnings {
		m := leftOutWarning.FindStringSubmatch(warning)
		if m == nil {
			continue
		}
		for _, quoted := range quotedString.FindAllString(m[1], -1) {
			if line, err := strconv.Unquote(quoted); err == nil {
				named = append(named, lineKey(line))
			}
		}
	}
	return named
}

func lineKey(line string) string { return " " + someDigits.ReplaceAllString(joined(line), "0") + " " }

// withoutNamed returns a page without the lines near its edges that are named, or a part of one.
func withoutNamed(page string, named []string) string {
	if len(named) == 0 {
		return page
	}
	const edge = 9 // lines: pdftotext writes what stands left, in the middle and right as one each
	lines := slices.DeleteFunc(strings.Split(page, "\n"), func(line string) bool { return strings.TrimSpace(line) == "" })
	all, kept := len(lines), []string{}
	for i, line := range lines {
		if i >= edge && i < all-edge || !slices.ContainsFunc(named, func(n string) bool { return strings.Contains(n, lineKey(line)) }) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

// hasShortCells reports whether the lines of a page that have gaps are those of a table or a form, and
// not of columns of running text: their cells have few words.
func hasShortCells(laid string) bool {
	cells, words := 0, 0
	for line := range strings.Lines(laid) {
		if list := between.Split(strings.TrimSpace(line), -1); len(list) > 1 {
			cells += len(list)
			words += len(strings.Fields(line))
		}
	}
	const most = 4
	return cells > 0 && words <= most*cells
}

// isLabels reports a page of labels: its paragraphs are of one or two words, and no line is a row of
// a table.
func isLabels(page pageReadings) bool {
	lines, words := 0, 0
	for line := range strings.Lines(page.flowing) {
		if strings.ContainsFunc(line, unicode.IsLetter) {
			lines++
			words += len(strings.Fields(line))
		}
	}
	return words < 2*lines && len(layoutRows(page.laid)) == 0
}
