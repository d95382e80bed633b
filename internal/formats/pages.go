package formats

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/kappagraph/kappa/corpus"
)

const (
	// marginLines is how many lines at the top and at the bottom of a page may be
	// ones that repeat.
	marginLines = 3
	// repeatPages is how many pages a document has at least whose lines repeat.
	repeatPages = 3
)

// joinPages makes one text of the pages of a document: without the lines that
// repeat on most pages, and with warnings of the pages that were not read well. Nothing is said of
// pictures, which somebody else reads.
func joinPages(pages []string, pictures ...int) corpus.DocumentText {
	d := corpus.DocumentText{Markup: corpus.ContentPlain}
	pages, repeated := dropRepeated(pages)
	var blank, joined []int
	var text strings.Builder
	for i, page := range pages {
		page = strings.TrimSpace(storable(page))
		switch {
		case page == "":
			if _, picture := slices.BinarySearch(pictures, i+1); !picture {
				blank = append(blank, i+1)
			}
			continue
		case lostSpaces(page):
			joined = append(joined, i+1)
		}
		if text.Len() > 0 {
			text.WriteString("\n\n")
		}
		d.Places = append(d.Places, corpus.Place{Start: text.Len(), Page: i + 1})
		text.WriteString(page)
	}
	d.Text = text.String()
	if len(blank) > 0 {
		d.Warnings = append(d.Warnings, ofPages(blank)+" no text layer: what is on it as a picture is not read")
	}
	if len(joined) > 0 {
		d.Warnings = append(d.Warnings, ofPages(joined)+" text that seems to have lost its spaces")
	}
	if len(repeated) > 0 {
		d.Warnings = append(d.Warnings, fmt.Sprintf("Left out what repeats on most pages: %q", repeated))
	}
	return d
}

// ofPages begins a sentence about some pages.
func ofPages(pages []int) string {
	if len(pages) == 1 {
		return fmt.Sprintf("Page %d has", pages[0])
	}
	const most = 10
	list := make([]string, 0, most)
	for _, page := range pages[:min(len(pages), most)] {
		list = append(list, fmt.Sprint(page))
	}
	more := ""
	if len(pages) > most {
		more = fmt.Sprintf(" and %d more", len(pages)-most)
	}
	return fmt.Sprintf("Pages %s%s have", strings.Join(list, ", "), more)
}

// dropRepeated drops the lines near the top and the bottom that are on most pages with text,
// or on most of the left or of the right ones, but for their numbers, and returns how those
// lines read at first.
func dropRepeated(pages []string) (kept, repeated []string) {
	margin, withText := map[string]*marginLine{}, [2]int{}
	for i, page := range pages {
		lines := margins(strings.Split(page, "\n"))
		if len(lines) > 0 {
			withText[i%2]++
		}
		for _, line := range lines {
			key := lineKey(line)
			if margin[key] == nil {
				margin[key] = &marginLine{first: strings.TrimSpace(line)}
			}
			margin[key].stands(i, line)
		}
	}
	maps.DeleteFunc(margin, func(_ string, m *marginLine) bool { return !m.repeats(withText) })
	if len(margin) == 0 {
		return pages, nil
	}
	for _, m := range margin {
		repeated = append(repeated, m.first)
	}
	slices.Sort(repeated)
	kept = make([]string, len(pages))
	blank := 0
	for i, page := range pages {
		kept[i] = withoutMargins(page, margin)
		if strings.TrimSpace(page) != "" && strings.TrimSpace(kept[i]) == "" {
			blank++
		}
	}
	if 2*blank > withText[0]+withText[1] { // they are what the pages say
		return pages, nil
	}
	return kept, repeated
}

// lostSpaces reports a page in an alphabet with spaces whose words are far longer
// than those of any language that is written in it.
func lostSpaces(page string) bool {
	const least, longest = 200, 20 // letters
	letters, words := 0, 0
	for field := range strings.FieldsSeq(page) {
		if n := utf8.RuneCountInString(field); unicode.IsLetter(firstRune(field)) && unicode.In(firstRune(field), unicode.Latin, unicode.Cyrillic, unicode.Greek) {
			letters += n
			words++
		}
	}
	return letters >= least && letters > longest*words
}

func firstRune(s string) rune {
	r, _ := utf8.DecodeRuneInString(s)
	return r
}
