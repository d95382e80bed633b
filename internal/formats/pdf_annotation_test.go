package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// annotated returns a PDF of one page that shows a line, and has these annotations. Text in
// braces is what an annotation shows.
func annotated(line string, annotations ...string) string {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"", stream("BT /F1 12 Tf 50 750 Td (" + line + ") Tj ET"),
	}
	list := ""
	for i, a := range annotations {
		before, shown, shows := strings.Cut(a, "{")
		if shows {
			n := len(objects) + 1
			content := "BT /F1 12 Tf 2 4 Td (" + strings.TrimSuffix(shown, "}") + ") Tj ET"
			objects = append(objects, fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 200 20] /Resources << /Font << /F1 3 0 R >> >> /Length %d >>\nstream\n%s\nendstream", len(content), content))
			before += fmt.Sprintf("/AP << /N %d 0 R >>", n)
		}
		objects = append(objects, fmt.Sprintf("<< /Type /Annot /F 4 /Rect [50 %d 250 %d] %s >>", 600-40*i, 620-40*i, before))
		list += fmt.Sprintf("%d 0 R ", len(objects))
	}
	objects[3] = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R /Annots [" + list + "] >>"
	return written(objects, "")
}

// TestPDFAnnotations_Slow has a form and annotations: what they show, and what they say and do
// not show, is read once.
func TestPDFAnnotations_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	d, err := shared.Text(t.Context(), []byte(annotated("Name of the glacier",
		"/Subtype /Widget /FT /Tx /T (name) /V (Aletsch) {Aletsch}", "/Subtype /Widget /FT /Tx /T (length) /V (22 km)",
		"/Subtype /FreeText /Contents (It is long.) {It is long.}", "/Subtype /Text /T (Anna) /Contents (Really?)", "/Subtype /Link /Contents (a link)",
	)), corpus.ContentPDF)
	if err != nil {
		t.Fatal(err)
	}
	for said, want := range map[string]int{"Name of the glacier": 1, "Aletsch": 1, "length: 22 km": 1, "It is long.": 1, "Comment (Anna): Really?": 1, "a link": 0} {
		if n := strings.Count(d.Text, said); n != want {
			t.Errorf("%q is %d times in %q, want %d", said, n, d.Text, want)
		}
	}
}

// TestPDFWithoutItsEnd_Slow has a PDF whose last lines are missing: PDFium finds its objects.
func TestPDFWithoutItsEnd_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	whole := pdf([]string{"Ice melts."})
	for _, end := range []string{"%%EOF", "startxref", "xref\n0"} {
		body := whole[:strings.Index(whole, end)]
		if format, err := NewReader().Recognise([]byte(body), "a.pdf", ""); format != corpus.ContentPDF || err != nil {
			t.Errorf("before %q: got %q and %v", end, format, err)
		}
		d, err := shared.Text(t.Context(), []byte(body), corpus.ContentPDF)
		if err != nil || d.Text != "Ice melts." {
			t.Errorf("before %q: got %q and %v", end, d.Text, err)
		}
	}
}
