package mcp

import (
	"context"
	"strings"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/corpus"
)

const maxOutline = 200 // headings

func (t toolset) addDocument(s *shelf) {
	add(s, tool[documentInput]{
		name: "document", title: "Read a document", kind: reads, needs: access.GraphRead, do: t.document,
		example: `{"id":"sha256:0f3a","section":"Costs"}`,
		about:   "Reads a document by its id: without more its outline, with section what stands below a heading, and with from what stands from a byte on, such as around a quote.",
	})
}

type documentInput struct {
	ID       string `json:"id" jsonschema:"the document's id, as documents and passages show it"`
	Ontology string `json:"ontology,omitempty" jsonschema:"as it was read in this ontology; that which took it last without it"`
	Section  string `json:"section,omitempty" jsonschema:"read what stands below this heading"`
	From     *int   `json:"from,omitempty" jsonschema:"read from this byte on, of the text as it was read; a quote's bytes say where it is" bounds:"0.."`
	Bytes    int    `json:"bytes,omitempty" jsonschema:"how many bytes to read" bounds:"1..16000" standard:"6000"`
}

// heading is one of a document: at a byte of its text, of a level from 1 on.
type heading struct {
	text  string
	at    int
	level int
}

func (t toolset) document(ctx context.Context, in documentInput, out *text) error {
	d, err := t.c.Documents.Content(ctx, in.ID, in.Ontology)
	if err != nil {
		return err
	}
	whole := joined(d.Chunks)
	headings := headingsOf(whole)
	out.line("%s (%s), %d bytes in %s, id %s", out.name(aDocument, d.DocumentID, d.Filename), quoted(d.Ontology), len(whole), count(len(d.Chunks), "chunk"), d.DocumentID)
	most := in.Bytes
	switch {
	case in.Section != "":
		from, to, err := section(headings, in.Section, len(whole))
		if err != nil {
			return err
		}
		out.excerpt(whole, from, min(to, from+most), to)
	case in.From != nil:
		if *in.From < 0 || *in.From > len(whole) {
			return kappa.Invalid(kappa.FieldError{In: "body", Name: "from", Rule: "must be a byte of the document, which has " + count(len(whole), "byte")})
		}
		out.excerpt(whole, *in.From, min(len(whole), *in.From+most), len(whole))
	case len(headings) == 0:
		out.line("It has no headings. It begins:")
		out.excerpt(whole, 0, min(len(whole), most), len(whole))
	default:
		for _, h := range headings[:min(len(headings), maxOutline)] {
			out.line("%s%s  from %d", strings.Repeat("  ", h.level-1), quoted(h.text), h.at)
		}
		if len(headings) > maxOutline {
			out.line("%d more headings are not shown.", len(headings)-maxOutline)
		}
	}
	return nil
}

// excerpt writes a part of a text, and how to go on when there is more up to an end.
func (t *text) excerpt(whole string, from, to, end int) {
	part := strings.ToValidUTF8(whole[from:to], "")
	t.line("bytes %d-%d:", from, to)
	for line := range strings.Lines(part) {
		t.line("%s", strings.TrimSuffix(line, "\n"))
	}
	if to < end {
		t.line("(%d bytes more: from %d)", end-to, to)
	}
}

// joined is the text of a document as it was read. Chunks may overlap.
func joined(chunks []corpus.DocumentChunk) string {
	var whole strings.Builder
	for _, c := range chunks {
		text, at := c.FullText, c.Start
		if gap := at - whole.Len(); gap > 0 { // what no chunk has
			whole.WriteString(strings.Repeat("\n", gap))
		} else {
			text = text[min(len(text), -gap):]
		}
		whole.WriteString(text)
	}
	return whole.String()
}

// headingsOf returns the headings of a text in Markdown, as which every kind of document is read.
func headingsOf(whole string) []heading {
	var list []heading
	at, fenced := 0, false
	for line := range strings.Lines(whole) {
		text := strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(text, "```") || strings.HasPrefix(text, "~~~") {
			fenced = !fenced
		}
		level := len(text) - len(strings.TrimLeft(text, "#"))
		if !fenced && level >= 1 && level <= 6 && strings.HasPrefix(text[level:], " ") {
			list = append(list, heading{strings.TrimSpace(text[level:]), at, level})
		}
		at += len(line)
	}
	return list
}

// section returns where the first heading with some words stands, and where what is below it ends.
func section(headings []heading, words string, end int) (from, to int, err error) {
	path := strings.Split(words, " > ") // as passages show it
	last := strings.TrimSpace(path[len(path)-1])
	for i, h := range headings {
		if !strings.EqualFold(h.text, last) && !strings.EqualFold(h.text, strings.TrimSpace(words)) {
			continue
		}
		for _, next := range headings[i+1:] {
			if next.level <= h.level {
				return h.at, next.at, nil
			}
		}
		return h.at, end, nil
	}
	return 0, 0, kappa.NewError(kappa.CodeNotFound, "The document has no heading "+oneLine(words)+"; without section its outline is shown")
}
