package formats

import (
	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
)

const (
	// maxAnnotations is how many annotations of a page are looked at for what they say, and
	// maxNoteBytes how long that is in all, in bytes.
	maxAnnotations = 2000
	maxNoteBytes   = 1 << 20
)

// pdfNote is what an annotation of a page says: a comment, or the value of a field.
type pdfNote struct{ label, text string }

// annotations returns what the annotations of a page say, and makes what they show a part of
// the page, which flat says.
func (p pdfPages) annotations(page references.FPDF_PAGE) (notes []pdfNote, flat bool, err error) {
	ref := requests.Page{ByReference: &page}
	count, err := p.library.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: ref})
	if err != nil || count.Count == 0 {
		return nil, false, err
	}
	shows := count.Count > maxAnnotations
	size := 0
	for i := range min(count.Count, maxAnnotations) {
		annotation, err := p.library.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: ref, Index: i})
		if err != nil {
			continue // one that is broken shows nothing
		}
		note, showing := p.note(annotation.Annotation)
		shows = shows || showing
		if note.text != "" && size < maxNoteBytes {
			size += len(note.text)
			notes = append(notes, note)
		}
		if _, err := p.library.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: annotation.Annotation}); err != nil {
			return nil, false, err
		}
	}
	if !shows {
		return notes, false, nil
	}
	_, err = p.library.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: ref, Usage: requests.FPDFPage_FlattenUsageNormalDisplay})
	return notes, err == nil, err
}

// note returns what an annotation says, and whether it may show a text on the page. A link
// does neither.
func (p pdfPages) note(annotation references.FPDF_ANNOTATION) (note pdfNote, shows bool) {
	kind, err := p.library.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: annotation})
	if err != nil {
		return note, true
	}
	value := func(key string) string {
		v, err := p.library.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: annotation, Key: key})
		if err != nil {
			return ""
		}
		return v.Value
	}
	switch kind.Subtype {
	case enums.FPDF_ANNOT_SUBTYPE_LINK, enums.FPDF_ANNOT_SUBTYPE_POPUP:
		return note, false
	case enums.FPDF_ANNOT_SUBTYPE_WIDGET:
		if label := oneLine(value("T")); label != "" {
			note = pdfNote{label, value("V")}
		}
	default:
		note = pdfNote{"Comment", value("Contents")}
		if author := oneLine(value("T")); author != "" {
			note.label += " (" + author + ")"
		}
	}
	return note, true
}
