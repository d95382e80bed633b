package formats

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// pdf returns a PDF whose pages show these lines of text.
func pdf(pages ...[]string) string {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	var kids strings.Builder
	for _, lines := range pages {
		content := "BT /F1 12 Tf 14 TL 50 750 Td "
		for _, line := range lines {
			content += "(" + line + ") Tj T* "
		}
		content += "ET"
		fmt.Fprintf(&kids, "%d 0 R ", len(objects)+1)
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents %d 0 R >>", len(objects)+2),
			stream(content))
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids.String(), len(pages))
	return written(objects, "")
}

func stream(content string) string {
	return fmt.Sprintf("<< /Length %d >>\nstream\n%s\nendstream", len(content), content)
}

// written is a PDF file of objects, the first of which is its catalog.
func written(objects []string, trailer string) string {
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	table := fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := b.Len()
	fmt.Fprintf(&b, "%strailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n", table, len(objects)+1, trailer, at)
	return b.String()
}

// shared reads every PDF of the tests: PDFium is compiled once, which takes seconds.
var shared = NewReader()

func TestPDF_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	r := shared
	reads := func(body string) (corpus.DocumentText, error) {
		return r.Text(t.Context(), []byte(body), corpus.ContentPDF)
	}
	report := pdf(
		[]string{"Report of 2026", "Glaciers are rivers of ice.", "page 1 of 3"},
		[]string{"Report of 2026", "page 2 of 3"},
		[]string{"Report of 2026", "They melt.", "page 3 of 3"},
	)
	start := time.Now()
	d, err := reads(report)
	t.Logf("the first took %v", time.Since(start))
	if want := "Glaciers are rivers of ice.\n\nThey melt."; err != nil || d.Text != want || d.Markup != corpus.ContentPlain {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
	if want := []string{"Page 2 has no text layer: what is on it as a picture is not read", `Left out what repeats on most pages: ["Report of 2026" "page 1 of 3"]`}; !slices.Equal(d.Warnings, want) {
		t.Errorf("warned %q, want %q", d.Warnings, want)
	}
	start = time.Now()
	if again, err := reads(report); err != nil || again.Text != d.Text {
		t.Errorf("read again: %+v and %v", again, err)
	}
	t.Logf("the second took %v", time.Since(start))

	encrypted := written([]string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>",
		"<< /Filter /Standard /V 1 /R 2 /P -4 /O <" + strings.Repeat("41", 32) + "> /U <" + strings.Repeat("42", 32) + "> >>",
	}, "/Encrypt 3 0 R /ID [<01> <01>]")
	loop := written([]string{"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2000000000 >>"}, "")
	for name, c := range map[string]struct{ body, says string }{
		"encrypted":       {encrypted, "encrypted: remove its password"},
		"cut short":       {report[:40], "broken"},
		"without pages":   {pdf(), "no text"},
		"only a picture":  {pdf(nil), "no text layer"},
		"pages of itself": {loop, "no text"},
		"not a PDF":       {"%PDF-1.4\n" + strings.Repeat("[", 1<<20), "broken"},
	} {
		start := time.Now()
		d, err := reads(c.body)
		if kappa.ErrorCode(err) != kappa.CodeMalformed || kappa.Retryable(err) || !strings.Contains(kappa.ErrorMessage(err), c.says) {
			t.Errorf("%s: got %.100q and %v, want a message that says %q", name, d.Text, err, c.says)
		}
		t.Logf("%s: %v after %v", name, err, time.Since(start))
	}
}

// TestPDFThatNeverEnds_Slow has a page that takes longer than is allowed: a second, and one for each
// 16 MiB.
func TestPDFThatNeverEnds_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	r := shared
	if _, err := r.Text(t.Context(), []byte(pdf([]string{"warm"})), corpus.ContentPDF); err != nil {
		t.Fatal(err)
	}
	body := []byte(onePage(strings.Repeat("q Q ", 8<<20)))
	r.limit = time.Second
	defer func() { r.limit = maxTime }()
	start := time.Now()
	_, err := r.Text(t.Context(), body, corpus.ContentPDF)
	if took := time.Since(start); took > 30*time.Second || !strings.Contains(kappa.ErrorMessage(err), "within 3s") {
		t.Errorf("got %v after %v", err, took)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(kappa.ErrCancelled)
	if _, err := r.Text(ctx, body, corpus.ContentPDF); !errors.Is(err, kappa.ErrCancelled) {
		t.Errorf("cancelled: got %v", err)
	}
}
