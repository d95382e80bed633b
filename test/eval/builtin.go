package main

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/kappagraph/kappa"
)

// The built-in set: passages written and annotated for it. The extractor was
// tuned while reading its output on the folder tuning. Of heldout only the totals
// were read.
//
//go:embed evalset/tuning/*.txt evalset/heldout/*.txt
var evalset embed.FS

// builtinSets reads the two parts of the built-in set.
func builtinSets() ([]set, error) {
	var sets []set
	for _, part := range []string{"tuning", "heldout"} {
		files, err := fs.Glob(evalset, path.Join("evalset", part, "*.txt"))
		if err != nil {
			return nil, fmt.Errorf("list the built-in passages: %w", err)
		}
		s := set{name: part}
		for _, file := range files {
			raw, err := evalset.ReadFile(file)
			if err != nil {
				return nil, fmt.Errorf("read a built-in passage: %w", err)
			}
			d, err := parseAnnotated(path.Base(file), string(raw))
			if err != nil {
				return nil, err
			}
			s.documents = append(s.documents, d)
		}
		sets = append(sets, s)
	}
	return sets, nil
}

// parseAnnotated reads one annotated passage: a header of "field:" and "type:"
// lines, a blank line, the text, and the sections "== keyphrases",
// "== entities" (other names after "|") and "== relationships"
// ("from | TYPE, OTHER_TYPE | to", other names after "/").
func parseAnnotated(name, raw string) (document, error) {
	d := document{name: strings.TrimSuffix(name, ".txt"), entities: [][]string{}, relationships: []triple{}}
	head, body, ok := strings.Cut(raw, "\n\n")
	if !ok {
		return d, fmt.Errorf("%s: no blank line after the header", name)
	}
	for line := range strings.Lines(head) {
		if t, ok := strings.CutPrefix(line, "type: "); ok {
			d.passage.ContentType = kappa.ContentType(strings.TrimSpace(t))
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
		d.keyphrases = append(d.keyphrases, line)
	case "entities":
		d.entities = append(d.entities, fields(line, "|"))
	case "relationships":
		f := strings.Split(line, " | ")
		if len(f) != 3 {
			return fmt.Errorf("relationship %q has %d parts, want 3", line, len(f))
		}
		d.relationships = append(d.relationships, triple{
			from: fields(f[0], " / "), types: fields(f[1], ","), to: fields(f[2], " / "),
		})
	default:
		return fmt.Errorf("unknown section %q", section)
	}
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
