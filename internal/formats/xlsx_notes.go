package formats

import (
	"context"
	"encoding/xml"
	"strings"
)

// sheetParts returns the parts of a workbook that its sheets are, by their names.
func sheetParts(ctx context.Context, archive parts) map[string]string {
	main := archive.mainPart(ctx, xlsxBody)
	related, _ := archive.relations(ctx, main)
	sheets := map[string]string{}
	_ = archive.visit(ctx, main, func(token xml.Token) error { // the library has read it
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "sheet" {
			return nil
		}
		for _, a := range start.Attr {
			if r := related[a.Value]; a.Name.Local == "id" && archive.has(r.target) {
				sheets[attribute(start, "name")] = r.target
			}
		}
		return nil
	})
	return sheets
}

// beside writes the comments and the text boxes of a sheet, after its heading if no row has
// been written.
func (w *workbook) beside(ctx context.Context, sheet, heading string) error {
	part := w.sheets[sheet]
	kind := "threadedComment" // which the other comments repeat, for older programs
	if len(w.archive.related(ctx, part, kind)) == 0 {
		kind = "comments"
	}
	for _, p := range []struct{ kind, label string }{{kind, "Comment"}, {"drawing", ""}} {
		for _, name := range w.archive.related(ctx, part, p.kind) {
			s := slide{ooxmlText: ooxmlText{prose: &prose{}}, label: p.label}
			if err := w.archive.visit(ctx, name, s.visit); err != nil {
				return err
			}
			text := strings.TrimSpace(s.finish())
			if text == "" {
				continue
			}
			w.text.WriteString(heading + text + "\n\n")
			heading = ""
			if w.text.Len() > maxTextBytes {
				return tooLong()
			}
		}
	}
	return nil
}
