package formats

import (
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

const (
	// maxHeading is how much of a heading is in a path, in bytes.
	maxHeading = 120
	// maxPlaces is how many places a text has at most. Those after it are in the last.
	maxPlaces = 200_000
)

// sections returns the places of a Markdown text: each heading begins one, with the
// headings above it in its path.
func sections(text string) []corpus.Place {
	var places []corpus.Place
	var path [6]string
	fence, offset := "", 0
	for line := range strings.Lines(text) {
		if len(places) == maxPlaces {
			break
		}
		start := offset
		offset += len(line)
		trimmed := strings.TrimSpace(line)
		if mark := fenceOf(trimmed); mark != "" {
			switch {
			case fence == "":
				fence = mark
			case strings.HasPrefix(mark, fence) && strings.Trim(trimmed, fence[:1]) == "":
				fence = ""
			}
			continue
		}
		level, title := headingOf(line)
		if fence != "" || level == 0 {
			continue
		}
		path[level-1] = title
		clear(path[level:])
		places = append(places, corpus.Place{Start: start, Section: joined(path[:])})
	}
	return places
}

// fenceOf returns the marks that a line opens or closes a block of code with, or "".
func fenceOf(line string) string {
	if !strings.HasPrefix(line, "```") && !strings.HasPrefix(line, "~~~") {
		return ""
	}
	return line[:len(line)-len(strings.TrimLeft(line, line[:1]))]
}

// unmarked takes emphasis and code marks out of a heading.
var unmarked = strings.NewReplacer("**", "", "`", "")

// headingOf returns the level, from 1 to 6, and the words of a line that is a
// heading, or 0.
func headingOf(line string) (level int, title string) {
	rest := strings.TrimLeft(line, " ")
	marks := len(rest) - len(strings.TrimLeft(rest, "#"))
	if len(line)-len(rest) > 3 || marks == 0 || marks > 6 || !strings.HasPrefix(rest[marks:]+" ", " ") && rest[marks] != '\t' {
		return 0, ""
	}
	title = strings.TrimSpace(rest[marks:])
	if cut := strings.TrimRight(title, "#"); cut == "" || strings.HasSuffix(cut, " ") {
		title = strings.TrimSpace(cut)
	}
	title = unmarked.Replace(title[:min(len(title), 2*maxHeading)])
	if len(title) > maxHeading {
		title = strings.ToValidUTF8(title[:maxHeading], "") + "…"
	}
	if title == "" {
		return 0, ""
	}
	return marks, title
}

// joined is the path of the headings that are not empty.
func joined(path []string) string {
	var parts []string
	for _, title := range path {
		if title != "" {
			parts = append(parts, title)
		}
	}
	return strings.Join(parts, " > ")
}

// formFeeds returns the pages of a plain text whose pages end with form feeds.
func formFeeds(text string) []corpus.Place {
	if !strings.Contains(text, "\f") {
		return nil
	}
	places := []corpus.Place{{Page: 1}}
	for offset := 0; len(places) < maxPlaces; {
		i := strings.IndexByte(text[offset:], '\f')
		if i < 0 {
			break
		}
		offset += i + 1
		places = append(places, corpus.Place{Start: offset, Page: len(places) + 1})
	}
	return places
}
