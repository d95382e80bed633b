//go:build linux

package read

import (
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/formats"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/internal/reading"
)

// pdfOf is a PDF of objects, the first of which is its catalog.
func pdfOf(objects ...string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	table := fmt.Sprintf("xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for i, object := range objects {
		table += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	at := b.Len()
	fmt.Fprintf(&b, "%strailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", table, len(objects)+1, at)
	return b.Bytes()
}

func streamOf(dict, content string) string {
	return fmt.Sprintf("<< %s /Length %d >>\nstream\n%s\nendstream", dict, len(content), content)
}

// stamped is a picture with some words beside it.
type stamped struct {
	picture *image.Gray
	words   string
	height  int // of 792
}

// paper is a PDF of pages, each a text or a picture, or a picture that is stamped.
func paper(pages ...any) []byte {
	objects := []string{"<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"}
	kids := ""
	for _, page := range pages {
		n := len(objects) + 1
		kids += fmt.Sprintf("%d 0 R ", n)
		words, _ := page.(string)
		picture, _ := page.(*image.Gray)
		height := 792
		if s, ok := page.(stamped); ok {
			words, picture, height = s.words, s.picture, s.height
		}
		content, shown := "", ""
		if picture != nil {
			content = fmt.Sprintf("q 612 0 0 %d 0 0 cm /X Do Q ", height)
			var packed bytes.Buffer
			w := zlib.NewWriter(&packed)
			_, _ = w.Write(picture.Pix) // into memory
			_ = w.Close()
			shown = streamOf(fmt.Sprintf("/Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode",
				picture.Rect.Dx(), picture.Rect.Dy()), packed.String())
		}
		if words != "" {
			content += "BT /F1 14 Tf 18 TL 50 750 Td (" + strings.ReplaceAll(words, "\n", ") Tj T* (") + ") Tj ET"
		}
		objects = append(objects,
			fmt.Sprintf("<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> /XObject << /X %d 0 R >> >> /Contents %d 0 R >>", n+2, n+1),
			streamOf("", content))
		if shown != "" {
			objects = append(objects, shown)
		}
	}
	objects[1] = fmt.Sprintf("<< /Type /Pages /Kids [%s] /Count %d >>", kids, len(pages))
	return pdfOf(objects...)
}

// scanned returns the picture of a page with a text.
func scanned(t *testing.T, r *formats.Reader, text string) *image.Gray {
	t.Helper()
	pictures, err := r.Pictures(t.Context(), paper(text), []int{1})
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(pictures[0]))
	if err != nil {
		t.Fatal(err)
	}
	grey, ok := picture.(*image.Gray)
	if !ok || grey.Rect.Dx() != 2550 || grey.Rect.Dy()/10 != 330 { // of 300 dots an inch
		t.Fatalf("drawn as a %T of %v", picture, picture.Bounds())
	}
	return grey
}

// compiledDir returns a directory for what is compiled: that of a test may not be searched by other
// users.
func compiledDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "compiled")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestLongPDF_Slow reads a PDF of 5,000 pages, and says how many are read meanwhile: the limit is for
// some hundred of them.
func TestLongPDF_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	pages := make([]any, 5000)
	for i := range pages {
		lines := []string{fmt.Sprintf("Page %d of a long book about glaciers.", i+1)}
		for range 40 {
			lines = append(lines, "A glacier is a river of ice which moves slowly down a valley to the sea.")
		}
		pages[i] = strings.Join(lines, "\n")
	}
	r, _ := start(t, Command, func(c *reading.Config) { c.Limit, c.Dir = 20*time.Second, compiledDir(t) })
	said := 0
	ctx := corpus.WithReadingProgress(t.Context(), func(done, of int) {
		if done <= said || of != len(pages) {
			t.Errorf("%d of %d pages after %d", done, of, said)
		}
		said = done
	})
	began := time.Now()
	d, err := r.Text(ctx, paper(pages...), corpus.ContentPDF)
	t.Logf("read in %v", time.Since(began))
	if err != nil || len(d.Places) != len(pages) || said != len(pages) {
		t.Errorf("read %d pages, said %d, %v", len(d.Places), said, err)
	}
}

// TestStampedPDF_Slow reads pages that are pictures although a few words stand on them: their numbers,
// who copied them. A page with more words, or with a picture that leaves room, is a text.
func TestStampedPDF_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	here := formats.NewReader()
	defer here.Close(t.Context())
	picture := scanned(t, here, "A glacier is a river of ice.")
	long := strings.Repeat("A page that was scanned before has words of its own. ", 4)
	document := paper("The first page has letters.", stamped{picture, "Scanned by Ada\n17", 792}, stamped{picture, long, 792}, stamped{picture, "Figure 3: a glacier", 300}, stamped{picture, "18", 792})
	eng, err := reading.FindOCR(t.Context(), fakeTesseract(t), "eng")
	if err != nil {
		t.Fatal(err)
	}
	dir := compiledDir(t)
	var d corpus.DocumentText
	server(t, eng, true, dir, func(r *reading.Reader) { d, err = r.Text(t.Context(), document, corpus.ContentPDF) })
	if err != nil || len(d.Places) != 5 || strings.Count(d.Text, "stdin stdout") != 2 || !strings.Contains(d.Text, "Wasserstand\nScanned by Ada\n17\n\nA page that") || !strings.HasSuffix(d.Text, "Wasserstand\n18") || !strings.Contains(d.Text, "\n\nFigure 3: a glacier\n\n") {
		t.Errorf("read %q, %v, %v", d.Text, d.Places, err)
	}
	if want := "2 of 5 pages are pictures: read by OCR"; !strings.Contains(strings.Join(d.Warnings, "\n"), want) {
		t.Errorf("warned %q, want %q", d.Warnings, want)
	}
	r, _ := start(t, Command, func(c *reading.Config) { c.Dir, c.Limit = dir, 2*time.Minute })
	d, err = r.Text(t.Context(), document, corpus.ContentPDF)
	if err != nil || !strings.Contains(d.Text, "\n\nScanned by Ada\n17\n\n") || !strings.HasSuffix(d.Text, "\n\n18") || !strings.Contains(strings.Join(d.Warnings, "\n"), "2 of 5 pages are pictures, and what is on them is not read: no OCR program") {
		t.Errorf("without a program: %q, %q, %v", d.Text, d.Warnings, err)
	}
}

// TestUnmappedPDF_Slow reads a page whose font does not say which letters its shapes are, as a
// picture: what it says of itself are numbers.
func TestUnmappedPDF_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	document := paper("The first page has letters.", strings.Repeat(`\001\004\005\006 \016\017\020\021 `, 10), "The third page has letters.")
	fake, err := reading.FindOCR(t.Context(), fakeTesseract(t), "eng")
	if err != nil {
		t.Fatal(err)
	}
	dir := compiledDir(t)
	var d corpus.DocumentText
	server(t, fake, true, dir, func(r *reading.Reader) { d, err = r.Text(t.Context(), document, corpus.ContentPDF) })
	if err != nil || len(d.Places) != 3 || strings.ContainsAny(d.Text, "\x01\x10") || strings.Count(d.Text, "stdin stdout") != 1 {
		t.Errorf("read %q, %v, %v", d.Text, d.Places, err)
	}
	if want := "1 of 3 pages (2) is a picture: read by OCR"; !strings.Contains(strings.Join(d.Warnings, "\n"), want) {
		t.Errorf("warned %q, want %q", d.Warnings, want)
	}
	r, _ := start(t, Command, func(c *reading.Config) { c.Dir, c.Limit = dir, 2*time.Minute })
	d, err = r.Text(t.Context(), document, corpus.ContentPDF)
	if err != nil || d.Text != "The first page has letters.\n\nThe third page has letters." || !strings.Contains(strings.Join(d.Warnings, "\n"), "1 of 3 pages (2) is a picture, and what is on it is not read: no OCR program") {
		t.Errorf("without a program: %q, %q, %v", d.Text, d.Warnings, err)
	}
}

// TestScannedPDF_Slow reads a PDF of which some pages are pictures: by a program that stands for
// tesseract, and by tesseract itself where it is installed.
func TestScannedPDF_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	here := formats.NewReader()
	defer here.Close(t.Context())
	const spoken, frozen = "A glacier is a river of ice.\nIt moves slowly down a valley.", "Pack ice drifts on the open sea.\nWinter makes it thicker."
	document := paper("The first page has letters.", scanned(t, here, spoken), "", "The fourth page has letters.", scanned(t, here, frozen))
	only := paper(scanned(t, here, spoken))
	fake, err := reading.FindOCR(t.Context(), fakeTesseract(t), "eng")
	if err != nil {
		t.Fatal(err)
	}
	const says = "2 of 5 pages are pictures"
	compiled := compiledDir(t)
	slow := func(find func(context.Context) (reading.OCR, error)) *reading.Reader {
		r, _ := start(t, Command, func(c *reading.Config) { c.FindOCR, c.Limit, c.Dir = find, 2*time.Minute, compiled })
		return r
	}
	t.Run("by nothing", func(t *testing.T) {
		r := slow(nil)
		for _, read := range []func() (corpus.DocumentText, error){
			func() (corpus.DocumentText, error) { return r.Text(t.Context(), document, corpus.ContentPDF) },
			func() (corpus.DocumentText, error) {
				return r.Analyses().Text(t.Context(), document, corpus.ContentPDF)
			},
		} {
			d, err := read()
			if want := says + ", and what is on them is not read: no OCR program is here; install tesseract-ocr"; err != nil || !strings.Contains(strings.Join(d.Warnings, "\n"), want) {
				t.Errorf("warned %q and %v, want %q", d.Warnings, err, want)
			}
			if want := "The first page has letters.\n\nThe fourth page has letters."; d.Text != want || len(d.Pictures) > 0 {
				t.Errorf("got %q", d.Text)
			}
		}
		_, err := r.Text(t.Context(), only, corpus.ContentPDF)
		if want := "The document has no text that can be read. It is a picture, and what is on it is not read: no OCR"; kappa.ErrorCode(err) != kappa.CodeMalformed || !strings.Contains(kappa.ErrorMessage(err), want) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("by one that stands for it", func(t *testing.T) {
		r := slow(found(fake))
		d, err := r.Text(t.Context(), document, corpus.ContentPDF)
		part := "stdin stdout --tessdata-dir " + fake.Data + " -l eng --psm 1 --dpi 300 of"
		if err != nil || strings.Count(d.Text, part) != 2 || len(d.Places) != 4 || d.Places[1].Page != 2 || !strings.HasPrefix(d.Text[d.Places[1].Start:], part) || d.Places[3].Page != 5 {
			t.Errorf("got %q, %v and %v", d.Text, d.Places, err)
		}
		if want := says + ": read by OCR (tesseract 9.9.9, eng)"; !strings.Contains(strings.Join(d.Warnings, "\n"), want) {
			t.Errorf("warned %q, want %q", d.Warnings, want)
		}
		a, err := r.Analyses().Text(t.Context(), only, corpus.ContentPDF)
		if want := "It is a picture: read by OCR (tesseract 9.9.9, eng) once the job is approved"; err != nil || len(a.Pictures) != 1 || !strings.Contains(strings.Join(a.Warnings, "\n"), want) {
			t.Errorf("warned %q and %v, want %q", a.Warnings, err, want)
		}
	})
	t.Run("by tesseract", func(t *testing.T) {
		ocr, err := reading.FindOCR(t.Context(), tesseract, "")
		if err != nil {
			t.Skipf("NOT TRIED: %v", err)
		}
		d, err := slow(found(ocr)).Text(t.Context(), document, corpus.ContentPDF)
		if want := "The first page has letters.\n\n" + spoken + "\n\nThe fourth page has letters.\n\n" + frozen; err != nil || d.Text != want {
			t.Errorf("got %q and %v, want %q", d.Text, err, want)
		}
	})
}
