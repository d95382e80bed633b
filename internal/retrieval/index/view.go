package index

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
)

// k1 and b are the parameters of BM25.
const (
	k1 = 0.7
	b  = 0.7
)

// View is the index at one moment. It may be read by any number of goroutines.
type View struct {
	held      map[int32]*stored
	documents map[int32][]*stored
	frequency [Grams + 1]map[string]int
	words     int64
}

// Passages returns how many passages there are.
func (v *View) Passages() int { return len(v.held) }

// Words returns how many words they have, without those around them.
func (v *View) Words() int64 { return v.words }

// Documents returns how many documents they are of.
func (v *View) Documents() int { return len(v.documents) }

// Frequency returns how many passages have a term, in them or around them. Texts are counted
// in all passages, the other fields in those that are found by them; Grams not around them.
func (v *View) Frequency(f Field, term string) int { return v.frequency[f][term] }

// DocumentFrequency returns how many documents have a term by which their passages are found.
func (v *View) DocumentFrequency(f Field, term string) int {
	n := 0
	for _, d := range v.documents {
		if slices.ContainsFunc(d, func(s *stored) bool { return s.counts[f][term] > 0 }) {
			n++
		}
	}
	return n
}

// InDocument returns how often the document of a candidate has a term of the fields by which
// its passages are found.
func (v *View) InDocument(c *Candidate, f Field, term string) int {
	n := 0
	for _, s := range v.documents[c.Document] {
		n += int(s.counts[f][term])
	}
	return n
}

// DocumentWords returns how many words the document of a candidate has.
func (v *View) DocumentWords(c *Candidate) int {
	n := 0
	for _, s := range v.documents[c.Document] {
		n += len(s.Text.Words)
	}
	return n
}

// Candidates returns the passages whose terms weigh most, best first, by BM25.
func (v *View) Candidates(ctx context.Context, q Query) ([]Candidate, error) {
	average := float64(v.words) / float64(max(1, len(v.held)))
	var all []Candidate
	for _, s := range v.held {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		score := 0.0
		for _, t := range q.Terms {
			if tf := float64(s.counts[t.Field][t.Text]); tf > 0 && t.Field != Grams {
				df := float64(v.frequency[t.Field][t.Text])
				idf := math.Log(1 + (float64(len(v.held))-df+.5)/(df+.5))
				score += float64(t.Weight) * idf * tf / (tf + k1*(1-b+b*float64(len(s.Text.Words))/average))
			}
		}
		if c := v.candidate(s, float32(score)); score > 0 && (q.Allow == nil || q.Allow(&c.Meta)) {
			all = append(all, c)
		}
	}
	slices.SortFunc(all, func(a, b Candidate) int { return cmp.Or(-cmp.Compare(a.Score, b.Score), cmp.Compare(a.ID, b.ID)) })
	return all[:min(len(all), q.Limit)], nil
}

func (v *View) candidate(s *stored, score float32) Candidate {
	return Candidate{Score: score, at: s, Meta: Meta{
		ID: s.ID, Source: s.Source, Document: s.Document, Ontology: s.Ontology,
		Class: s.Class, Language: s.Language, English: s.English,
	}}
}

// Read reads the words of a candidate into a Passage, whose slices are used again. The
// strings are no copies: they may be read as long as the View is used afterwards.
func (v *View) Read(c *Candidate, into *Passage) {
	into.Words = append(into.Words[:0], c.at.Text.Words...)
	into.Sentences = append(into.Sentences[:0], c.at.Text.Sentences...)
	into.Around = append(into.Around[:0], c.at.Around...)
}

// Defining returns the passages that define a folded term, those of the lowest IDs first.
func (v *View) Defining(term string) []Candidate {
	var all []Candidate
	for _, s := range v.held {
		if slices.Contains(s.Definitions, term) {
			all = append(all, v.candidate(s, 0))
		}
	}
	slices.SortFunc(all, func(a, b Candidate) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// Complete returns the words that begin so, those that most passages have first.
func (v *View) Complete(prefix string, most int) []Completion {
	var all []Completion
	for text, n := range v.frequency[Texts] {
		if strings.HasPrefix(text, prefix) {
			all = append(all, Completion{text, n})
		}
	}
	slices.SortFunc(all, func(a, b Completion) int {
		return cmp.Or(-cmp.Compare(a.Passages, b.Passages), cmp.Compare(a.Text, b.Text))
	})
	return all[:min(len(all), most)]
}
