package formats

import (
	"context"
	"encoding/xml"
	"maps"
	"slices"
	"strings"

	"github.com/kappagraph/kappa"
)

// docxNote is a note of a Word document, a comment included.
type docxNote struct{ label, text string }

// docxNoteTexts are the notes that have not been written yet, by what refers to them: the
// kind, a space and the identifier.
type docxNoteTexts map[string]docxNote

// docxNoteParts are the kinds of notes, with the parts that they are in.
var docxNoteParts = []struct{ kind, part, label string }{
	{"footnote", "footnotes", "Footnote"}, {"endnote", "endnotes", "Endnote"}, {"comment", "comments", "Comment"},
}

// docxNotes reads the notes of a Word document. What cannot be read of them is said in
// warnings.
func docxNotes(ctx context.Context, archive parts, main string, headings map[string]int) (docxNoteTexts, []string, error) {
	notes := docxNoteTexts{}
	var warnings []string
	for _, p := range docxNoteParts {
		for _, name := range append(archive.related(ctx, main, p.part), within("word", p.part+".xml")) {
			if !archive.has(name) {
				continue
			}
			err := notes.read(ctx, archive, name, p.kind, p.label, headings)
			if ctx.Err() != nil {
				return nil, nil, context.Cause(ctx)
			}
			if err != nil {
				warnings = append(warnings, "Some "+p.part+" could not be read: "+kappa.ErrorMessage(err))
			}
			break
		}
	}
	return notes, warnings, nil
}

// read reads one part of notes.
func (n docxNoteTexts) read(ctx context.Context, archive parts, name, kind, label string, headings map[string]int) error {
	d := docx{ooxmlText: ooxmlText{prose: &prose{}}, headings: headings}
	id, author, separator := "", "", false
	return archive.visit(ctx, name, func(token xml.Token) error {
		switch t := token.(type) {
		case xml.StartElement:
			if t.Name.Local == kind {
				id, author = attribute(t, "id"), oneLine(attribute(t, "author"))
				separator = strings.Contains(attribute(t, "type"), "eparator")
				d.prose = &prose{}
			}
		case xml.EndElement:
			if t.Name.Local == kind && !separator {
				note := docxNote{label: label, text: oneLine(d.finish())}
				if author != "" {
					note.label += " (" + author + ")"
				}
				n[kind+" "+id] = note
			}
		}
		return d.visit(token)
	})
}

// note writes a note where it is referred to, for the first time.
func (d *docx) note(kind, id string) {
	key := kind + " " + id
	if note, ok := d.notes[key]; ok {
		delete(d.notes, key)
		d.add(note.label, note.text)
	}
}

// unplaced writes the notes that nothing refers to.
func (d *docx) unplaced() {
	for _, key := range slices.Sorted(maps.Keys(d.notes)) {
		d.add(d.notes[key].label, d.notes[key].text)
	}
	d.endParagraph()
}
