package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/knowledge"
)

// redocredDocument is one element of a Re-DocRED file.
type redocredDocument struct {
	Title     string              `json:"title"`
	Sentences [][]string          `json:"sents"`
	Vertices  [][]redocredMention `json:"vertexSet"`
	Labels    []redocredLabel     `json:"labels"`
}

// redocredMention is one place where an entity is named.
type redocredMention struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// redocredLabel relates two entities by their places in the vertex set.
type redocredLabel struct {
	Head     int    `json:"h"`
	Tail     int    `json:"t"`
	Relation string `json:"r"`
}

// readRedocred reads a JSON file in the Re-DocRED format, or all of a folder.
func readRedocred(path string) (set, error) {
	s := set{name: "redocred " + filepath.Base(path), pairsOnly: true}
	at, err := os.Stat(path)
	if err != nil {
		return s, fmt.Errorf("%w: %w", errInput, err)
	}
	files := []string{path}
	if at.IsDir() {
		if files, err = filepath.Glob(filepath.Join(path, "*.json")); err != nil || len(files) == 0 {
			return s, fmt.Errorf("%w: no *.json in %q", errInput, path)
		}
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			return s, fmt.Errorf("%w: %w", errInput, err)
		}
		var documents []redocredDocument
		if err := json.Unmarshal(raw, &documents); err != nil {
			return s, fmt.Errorf("%w: %q is not a list of Re-DocRED documents: %w", errInput, file, err)
		}
		for _, r := range documents {
			d, err := r.document()
			if err != nil {
				return s, fmt.Errorf("%w: %q: %w", errInput, file, err)
			}
			s.documents = append(s.documents, d)
		}
	}
	if len(s.documents) == 0 {
		return s, fmt.Errorf("%w: no documents in %q", errInput, path)
	}
	return s, nil
}

// document turns r into a text with entities. Numbers and times are no
// entities here, and neither are relationships with them.
func (r *redocredDocument) document() (document, error) {
	d := document{name: r.Title, entities: [][]string{}, relationships: []triple{}}
	if len(r.Sentences) == 0 {
		return d, fmt.Errorf("document %q has no sentences", r.Title)
	}
	d.passage = knowledge.Passage{Text: r.text(), ContentType: corpus.ContentPlain}
	names := make([][]string, len(r.Vertices))
	for i, vertex := range r.Vertices {
		for _, m := range vertex {
			if m.Type != "NUM" && m.Type != "TIME" {
				names[i] = append(names[i], written(strings.Fields(m.Name)))
			}
		}
		if len(names[i]) > 0 {
			d.entities = append(d.entities, names[i])
		}
	}
	for _, l := range r.Labels {
		if l.Head < 0 || l.Head >= len(names) || l.Tail < 0 || l.Tail >= len(names) {
			return d, fmt.Errorf("document %q relates entities %d and %d of %d", r.Title, l.Head, l.Tail, len(names))
		}
		if len(names[l.Head]) > 0 && len(names[l.Tail]) > 0 {
			d.relationships = append(d.relationships, triple{from: names[l.Head], to: names[l.Tail], fits: []fit{{typ: l.Relation}}})
		}
	}
	return d, nil
}

// text joins the tokens into sentences as people write them.
func (r *redocredDocument) text() string {
	var all []string
	for _, sentence := range r.Sentences {
		all = append(all, sentence...)
	}
	return written(all)
}

// written joins tokens as text is written: marks hug the word before them, and hyphens both.
func written(tokens []string) string {
	var b strings.Builder
	open := true // no space before the next token
	for _, token := range tokens {
		if !open && !strings.Contains(" , . ; : ! ? ) ] ' 's 'm 'd 'll 're 've n't % - ", " "+token+" ") {
			b.WriteByte(' ')
		}
		b.WriteString(token)
		open = token == "(" || token == "[" || token == "-"
	}
	return b.String()
}
