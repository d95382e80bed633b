package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/answers"
	"github.com/kappagraph/kappa/internal/formats"
	"github.com/kappagraph/kappa/internal/passages"
	"github.com/kappagraph/kappa/internal/retrieval/index"
	"github.com/kappagraph/kappa/internal/retrieval/ranking"
	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// zdef QUESTIONS FILE…
func main() {
	ctx := context.Background()
	qs, _ := os.ReadFile(os.Args[1])
	byID := map[int32]corpus.Passage{}
	file := map[int32]string{}
	var entries []index.Entry
	id := int32(0)
	for n, f := range os.Args[2:] {
		d, err := read(ctx, f)
		if err != nil {
			fmt.Println(f, err)
			continue
		}
		title := ""
		for _, p := range d.Places {
			if p.Section != "" {
				title = p.Section
				break
			}
		}
		for p := range (passages.Cutter{Definitions: answers.Definitions}).Cut(d) {
			id++
			byID[id], file[id] = p, filepath.Base(f)
			en := p.Language == "en" || p.Language == "" && corpus.LanguageOf(p.Text).English >= 0.1
			around := strings.Join(append([]string{p.Section, title, filepath.Base(f), f}, p.Columns...), "\n")
			e := index.Entry{ID: id, Source: id, Document: int32(n + 1), Ontology: 1, Language: p.Language, English: en,
				Text: words.Cut(p.Text, en), Around: words.Cut(around, en).Words}
			if !p.Class.Main() {
				e.Class = 1
			}
			for _, t := range p.Defines {
				if k := answers.DefinedKey(t); k != "" {
					e.Definitions = append(e.Definitions, k)
				}
			}
			entries = append(entries, e)
		}
	}
	x, err := index.Open("", "", nil)
	if err != nil {
		panic(err)
	}
	if err := x.Apply(entries, nil); err != nil {
		panic(err)
	}
	v := x.View()
	fmt.Println(len(os.Args)-2, "files", len(entries), "passages")
	for text := range strings.Lines(string(qs)) {
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		q := ranking.Ask(text, corpus.EnglishQuestion(text), v)
		found, err := v.Candidates(ctx, index.Query{Terms: q.Terms(), Limit: 50})
		if err != nil {
			panic(err)
		}
		defines, about := map[int32]bool{}, map[int32]bool{}
		term, ok := answers.Asks(text)
		if ok {
			k := answers.DefinedKey(term)
			for i, c := range append(v.Defining(k), v.Defining(answers.About(k))...) {
				if c.Class == 0 {
					if i < len(v.Defining(k)) {
						defines[c.ID] = true
					} else {
						about[c.ID] = true
					}
					if !slices.ContainsFunc(found, func(o index.Candidate) bool { return o.ID == c.ID }) {
						found = append(found, c)
					}
				}
			}
		}
		r := ranking.Learned().Rank(&q, v, found)
		d := func(r ranking.Ranked) int {
			if byID[r.ID].Class == corpus.ClassTable {
				return 0
			} else if defines[r.ID] && about[r.ID] {
				return 3
			} else if defines[r.ID] {
				return 2
			} else if about[r.ID] {
				return 1
			}
			return 0
		}
		slices.SortStableFunc(r, func(a, b ranking.Ranked) int { return cmp.Compare(d(b), d(a)) })
		fmt.Printf("\n## %s  [%s %v]\n", text, term, ok)
		for _, p := range r[:min(3, len(r))] {
			t := byID[p.ID].Text; if os.Getenv("RAW") == "" { t = strings.Join(strings.Fields(t), " ") } else { t = fmt.Sprintf("%s %q", byID[p.ID].Class, t) }
			fmt.Printf("  D%d %.2f c%d %s | %s | %s\n", d(p), p.Answers, p.Class, file[p.ID], byID[p.ID].Section, t[:min(len(t), 230)])
		}
	}
}

var reader = formats.NewReader()

func read(ctx context.Context, f string) (corpus.DocumentText, error) {
	body, err := os.ReadFile(f)
	if err != nil {
		return corpus.DocumentText{}, err
	}
	format, err := reader.Recognise(body, f, "")
	if err != nil {
		return corpus.DocumentText{}, err
	}
	return reader.Text(ctx, body, format)
}
