package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// text is an annotated text of Re-DocRED.
type text struct {
	title     string
	body      string
	sentences []corpus.Span
	entities  []entity
	relations []relation
}

// entity is a thing with its mentions.
type entity struct {
	kind     string
	mentions []corpus.Span
	names    []string
	in       map[int]bool // sentences
}

// relation is what two entities are to each other.
type relation struct {
	head, tail int
	property   string
	evidence   map[int]bool // sentences that say so
}

// readTexts reads a file of Re-DocRED.
func readTexts(path string) ([]text, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var documents []struct {
		Title    string     `json:"title"`
		Sents    [][]string `json:"sents"`
		Vertices [][]struct {
			Name string `json:"name"`
			Sent int    `json:"sent_id"`
			Pos  [2]int `json:"pos"`
			Type string `json:"type"`
		} `json:"vertexSet"`
		Labels []struct {
			H        int    `json:"h"`
			T        int    `json:"t"`
			R        string `json:"r"`
			Evidence []int  `json:"evidence"`
		} `json:"labels"`
	}
	if err := json.Unmarshal(raw, &documents); err != nil {
		return nil, fmt.Errorf("%s is no file of Re-DocRED: %w", path, err)
	}
	var out []text
	for _, d := range documents {
		t := text{title: d.Title}
		places := t.join(d.Sents)
		for _, v := range d.Vertices {
			e := entity{in: map[int]bool{}}
			for _, m := range v {
				if m.Sent >= len(places) || m.Pos[1] > len(places[m.Sent]) || m.Pos[0] >= m.Pos[1] {
					return nil, fmt.Errorf("%s: %q: a mention of %q is nowhere", path, d.Title, m.Name)
				}
				e.kind = m.Type
				span := corpus.Span{Start: places[m.Sent][m.Pos[0]].Start, End: places[m.Sent][m.Pos[1]-1].End}
				e.mentions = append(e.mentions, span)
				e.names = append(e.names, t.body[span.Start:span.End])
				e.in[m.Sent] = true
			}
			t.entities = append(t.entities, e)
		}
		for _, l := range d.Labels {
			if min(l.H, l.T) < 0 || max(l.H, l.T) >= len(t.entities) {
				return nil, fmt.Errorf("%s: %q relates entities %d and %d of %d", path, d.Title, l.H, l.T, len(t.entities))
			}
			r := relation{l.H, l.T, l.R, map[int]bool{}}
			for _, s := range l.Evidence {
				r.evidence[s] = true
			}
			t.relations = append(t.relations, r)
		}
		out = append(out, t)
	}
	return out, nil
}

// join writes the words of a text as people write them, and returns where each stands.
func (t *text) join(sentences [][]string) [][]corpus.Span {
	var b strings.Builder
	var out [][]corpus.Span
	open := true // no space before the next word
	for _, words := range sentences {
		start, places := -1, make([]corpus.Span, 0, len(words))
		for _, w := range words {
			closes := strings.Contains(" , . ; : ! ? ) ] ' 's n't % - ", " "+w+" ")
			if !open && !closes {
				b.WriteByte(' ')
			}
			if start < 0 {
				start = b.Len()
			}
			places = append(places, corpus.Span{Start: b.Len(), End: b.Len() + len(w)})
			b.WriteString(w)
			open = w == "(" || w == "[" || w == "-"
		}
		t.sentences = append(t.sentences, corpus.Span{Start: max(start, 0), End: b.Len()})
		out = append(out, places)
	}
	t.body = b.String()
	return out
}

// sentenceAt returns the sentence that a place in the text is in.
func (t *text) sentenceAt(at int) int {
	for i, s := range t.sentences {
		if at < s.End {
			return i
		}
	}
	return len(t.sentences) - 1
}
