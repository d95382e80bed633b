package main

import (
	"context"
	_ "embed" // the lists
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/internal/formats"
	"github.com/kappagraph/kappa/internal/library"
	"github.com/kappagraph/kappa/knowledge/questions"
)

var (
	// documentList has a line for each document: its name, its SHA-256, its half, and where it is from.
	//go:embed documents.tsv
	documentList string
	// questionList has a line for each question: the document that it was made from, the term that
	// is asked for, and parts of the passages of any document that say what it is.
	//go:embed questions.tsv
	questionList string
)

// The documents are in three parts: by what was missed in the first two the rules were mended, the
// second one added later; what is missed in those held out nobody looks at. Others stand beside them.
const (
	lookedAt = "looked at"
	added    = "added"
	held     = "held out"
)

// question asks what a term is.
type question struct {
	document, term string
	defining       []string // texts of passages that say it
}

// work asks all questions, or prints a document.
func work(ctx context.Context, o options, out io.Writer) error {
	reader := formats.NewReader()
	defer func() { _ = reader.Close(ctx) }()
	var s shelf
	half := map[string]string{}
	for _, row := range rows(documentList, 4) {
		half[row[0]] = row[2]
		if err := s.add(ctx, reader, o.data, row[0], row[1]); err != nil {
			return fmt.Errorf("%s (%s): %w", row[0], row[3], err)
		}
	}
	if o.text != "" {
		s.print(out, o.text)
		return nil
	}
	all, err := s.questions()
	if err != nil {
		return err
	}
	asker, stop, err := s.open(ctx)
	if err != nil {
		return err
	}
	first, three, of := map[string]int{}, map[string]int{}, map[string]int{}
	for _, q := range all {
		at, shown, err := ask(ctx, asker, q)
		if err != nil {
			return err
		}
		h := half[q.document]
		of[h]++
		if at == 0 {
			first[h]++
		} else if o.missed && h != held {
			fmt.Fprintf(out, "\n%s, what is %q: at %d\n  first:  %s\n  wanted: %s\n", q.document, q.term, at+1, shown, s.wanted(q))
		}
		if at >= 0 && at < 3 {
			three[h]++
		}
	}
	for _, h := range []string{lookedAt, added, held} {
		fmt.Fprintf(out, "%-10s %3d questions: a passage that says it comes first for %d (%.3f), among three for %d (%.3f)\n",
			h, of[h], first[h], float64(first[h])/float64(of[h]), three[h], float64(three[h])/float64(of[h]))
	}
	return stop()
}

// rows returns the lines of a list, each cut at tabs.
func rows(list string, cells int) (all [][]string) {
	for line := range strings.Lines(list) {
		if row := strings.Split(strings.TrimRight(line, "\n"), "\t"); len(row) == cells && !strings.HasPrefix(line, "#") {
			all = append(all, row)
		}
	}
	return all
}

// questions returns those of the list. Each part has to stand in a passage.
func (s *shelf) questions() (all []question, _ error) {
	texts := make([]string, len(s.passages))
	for i := range s.passages {
		texts[i] = plain(s.passages[i].Section + " " + s.passages[i].Text)
	}
	for _, row := range rows(questionList, 3) {
		q := question{document: row[0], term: row[1]}
		for part := range strings.SplitSeq(row[2], " | ") {
			part = plain(part)
			if !slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, part) }) {
				return nil, fmt.Errorf("no passage has %q, which says what %q is", part, q.term)
			}
			q.defining = append(q.defining, part)
		}
		all = append(all, q)
	}
	return all, nil
}

// plain returns a text without markup, signs and white space, in lower case: how a passage is
// written is no matter here.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}

// ask asks a question, and returns at which place a passage stands that says it, -1 for none
// among the first, and what stands first.
func ask(ctx context.Context, asker *library.Asker, q question) (at int, shown string, _ error) {
	text := "What is " + q.term + "?"
	if strings.HasSuffix(q.term, "？") || strings.HasSuffix(q.term, "?") {
		text = q.term // asked in another language
	}
	answer, err := asker.Ask(ctx, questions.Question{Text: text, Limit: 10})
	if err != nil || len(answer.Passages) == 0 {
		return -1, "nothing", err
	}
	first := answer.Passages[0]
	shown = fmt.Sprintf("%s %s [%s] %.300q", first.Filename, first.Class, section(first), first.Text)
	return slices.IndexFunc(answer.Passages, func(p questions.AskPassage) bool {
		text := plain(section(p) + " " + p.Text)
		return slices.ContainsFunc(q.defining, func(part string) bool { return strings.Contains(text, part) })
	}), shown, nil
}

func section(p questions.AskPassage) string {
	if p.Section == nil {
		return ""
	}
	return *p.Section
}

// wanted returns the first passage that says it, with what it is taken to define.
func (s *shelf) wanted(q question) string {
	for i := range s.passages {
		p := &s.passages[i]
		if strings.Contains(plain(p.Section+" "+p.Text), q.defining[0]) {
			return fmt.Sprintf("%s %s [%s] %q %.400q", p.Filename, p.Class, p.Section, p.Defines, p.Text)
		}
	}
	return ""
}
