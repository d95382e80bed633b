package formats

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// portfolio is a PDF with files in it.
func portfolio(text string, names ...string) string {
	var list strings.Builder
	for i, name := range names {
		fmt.Fprintf(&list, "(%03d) << /Type /Filespec /F (%s) /UF (%s) /EF << /F 6 0 R >> >> ", i, name, name)
	}
	return written([]string{
		"<< /Type /Catalog /Pages 2 0 R /Names << /EmbeddedFiles << /Names [" + list.String() + "] >> >> >>",
		"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 4 0 R >> >> /Contents 5 0 R >>",
		"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		stream("BT /F1 12 Tf 50 750 Td (" + text + ") Tj ET"),
		"<< /Type /EmbeddedFile /Length 3 >>\nstream\nice\nendstream",
	}, "")
}

func TestAttachedFiles_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, ""},
		{[]string{"ice.docx"}, `A file is attached to the PDF, which is not read: `},
		{[]string{"ice.docx", "snow.pdf"}, `2 files are attached to the PDF, which are not read: `},
		{slices.Repeat([]string{"a"}, 12), "and 2 more"},
	} {
		d, err := shared.Text(t.Context(), []byte(portfolio("It melts.", c.names...)), "application/pdf")
		said := strings.Join(d.Warnings, "\n")
		if err != nil || d.Text != "It melts." || !strings.Contains(said, c.want) || c.want == "" && said != "" {
			t.Errorf("%d files: got %q, %q and %v", len(c.names), d.Text, said, err)
		}
		for _, name := range c.names {
			if !strings.Contains(said, fmt.Sprintf("%q", name)) {
				t.Errorf("%s is not named: %s", name, said)
			}
		}
	}
	if _, err := shared.Text(t.Context(), []byte(portfolio("", "ice.docx")), "application/pdf"); err == nil || !strings.Contains(err.Error(), "ice.docx") {
		t.Errorf("a portfolio without a text: %v", err)
	}
}
