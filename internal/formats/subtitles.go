package formats

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

var (
	cueTime    = regexp.MustCompile(`^(?:(\d{1,3}):)?(\d\d):(\d\d)[,.]\d{1,3}\s+-->\s+(?:(\d{1,3}):)?(\d\d):(\d\d)`)
	cueSpeaker = regexp.MustCompile(`<v(?:\.[\w.]+)?\s+([^<>\n]+)>`)
	cueTag     = regexp.MustCompile(`</?[a-zA-Z0-9.:_ ="#-]{1,60}>|\{\\[^{}\n]*\}`)
)

const (
	// cuePause is how many seconds between two cues begin a paragraph.
	cuePause = 3
	// cueParagraph is how long a paragraph is from which on the end of a sentence ends it.
	cueParagraph = 400
)

// subtitles returns what is said, as paragraphs. The minutes are the sections.
func subtitles(text string) corpus.DocumentText {
	d := corpus.DocumentText{Markup: corpus.ContentPlain}
	var out strings.Builder
	open, ended, minute, last := 0, 0, -1, "" // where the paragraph begins, when the last cue ends, its minute, its words
	for block := range strings.SplitSeq(storable(text), "\n\n") {
		begins, ends, words := cue(block)
		if words == "" || words == last {
			continue
		}
		last = words
		switch {
		case out.Len() == 0:
		case begins/60 != minute, begins > ended+cuePause, out.Len()-open > cueParagraph && strings.ContainsAny(out.String()[out.Len()-1:], ".?!"):
			out.WriteString("\n\n")
			open = out.Len()
		default:
			out.WriteString(" ")
		}
		if begins/60 != minute {
			minute = begins / 60
			d.Places = append(d.Places, corpus.Place{Start: out.Len(), Section: fmt.Sprintf("%d:%02d:00", minute/60, minute%60)})
		}
		out.WriteString(words)
		ended = ends
	}
	d.Text = out.String()
	return d
}

// cue returns when words are shown, in seconds, and the words; "" for what is no cue.
func cue(block string) (begins, ends int, words string) {
	var said []string
	timed := false
	for line := range strings.Lines(block) {
		line = strings.TrimSpace(line)
		if !timed {
			if m := cueTime.FindStringSubmatch(line); m != nil {
				begins, ends, timed = seconds(m[1:4]), seconds(m[4:7]), true
			}
			continue
		}
		line = cueTag.ReplaceAllString(cueSpeaker.ReplaceAllString(line, "$1: "), "")
		if line = strings.TrimSpace(line); line != "" {
			said = append(said, line)
		}
	}
	return begins, ends, strings.Join(said, " ")
}

func seconds(clock []string) int {
	total := 0
	for _, part := range clock {
		n, _ := strconv.Atoi(part) // "" is 0
		total = 60*total + n
	}
	return total
}
