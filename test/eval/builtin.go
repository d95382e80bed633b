package main

import (
	"embed"
	"fmt"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// The textbook passages, written and annotated for the evaluation. The extractor was
// tuned while reading its output on the folder tuning. Of heldout only the totals
// were read.
//
//go:embed evalset/tuning/*.txt evalset/heldout/*.txt
var evalset embed.FS

// parseAnnotated reads one annotated passage: a header of "field:", "style:" and "type:"
// lines, a blank line, the text, and sections that begin with "== ". See
// styles/README.md.
func parseAnnotated(name, raw string) (document, error) {
	d := document{name: strings.TrimSuffix(name, ".txt"), entities: [][]string{}, relationships: []triple{}}
	head, body, ok := strings.Cut(raw, "\n\n")
	if !ok {
		return d, fmt.Errorf("%s: no blank line after the header", name)
	}
	for line := range strings.Lines(head) {
		field, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch field {
		case "type":
			d.passage.ContentType = corpus.ContentType(value)
		case "style":
			d.style = value
		}
	}
	parts := strings.Split(body, "\n== ")
	d.passage.Text = parts[0]
	for _, part := range parts[1:] {
		title, list, _ := strings.Cut(part, "\n")
		for line := range strings.Lines(list) {
			line = strings.TrimSpace(line)
			if line == "" {
				continue
			}
			if err := d.annotate(title, line); err != nil {
				return d, fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return d, nil
}

// annotate adds one line of a section.
func (d *document) annotate(section, line string) error {
	switch section {
	case "keyphrases":
		d.keyphrases = append(d.keyphrases, fields(line, "|"))
		return nil
	case "entities":
		d.entities = append(d.entities, fields(line, "|"))
		return nil
	case "concepts":
		d.concepts = append(d.concepts, fields(line, "|"))
		return nil
	}
	list := map[string]*[]triple{"relationships": &d.relationships, "also true": &d.alsoTrue, "not": &d.denied}[section]
	if list == nil {
		return fmt.Errorf("unknown section %q", section)
	}
	f := strings.Split(line, " | ")
	if len(f) != 3 {
		return fmt.Errorf("relationship %q has %d parts, want 3", line, len(f))
	}
	fits, err := parseFits(f[1])
	if err != nil {
		return fmt.Errorf("relationship %q: %w", line, err)
	}
	*list = append(*list, triple{from: fields(f[0], " / "), fits: fits, to: fields(f[2], " / ")})
	return nil
}

// fields splits line at sep and trims the parts.
func fields(line, sep string) []string {
	parts := strings.Split(line, sep)
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	return parts
}
