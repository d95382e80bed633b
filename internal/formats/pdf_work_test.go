package formats

import (
	"bytes"
	"compress/lzw"
	"compress/zlib"
	"encoding/ascii85"
	"encoding/hex"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// onePage is a PDF of one page, which is described by this.
func onePage(content string) string { return drawn(stream(content)) }

// drawn is a PDF of one page: of the stream that describes it, object 5, and of the objects
// from 6 on, of which it names the first one X.
func drawn(content string, objects ...string) string {
	return written(append([]string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 900 900] /Resources << /Font << /F1 3 0 R >> /XObject << /X 6 0 R >> >> /Contents 5 0 R >>", content,
	}, objects...), "")
}

// drawing is a form that names another one X.
func drawing(content string, shows int) string {
	return fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /Font << /F1 3 0 R >> /XObject << /X %d 0 R >> >> /Length %d >>\nstream\n%s\nendstream", shows, len(content), content)
}

// nested are forms that each show the next one so many times; the last one shows a word.
func nested(depth, times int) []string {
	var objects []string
	for i := range depth {
		objects = append(objects, drawing(strings.Repeat("/X Do ", times), 7+i))
	}
	return append(objects, drawing("BT /F1 1 Tf (water) Tj ET", 6))
}

// packedBy is a stream to which these filters were applied, the last one first.
func packedBy(content string, filters ...string) string {
	for _, filter := range slices.Backward(filters) {
		content = pack(content, filter)
	}
	return fmt.Sprintf("<< /Length %d /Filter [/%s] >>\nstream\n%s\nendstream", len(content), strings.Join(filters, " /"), content)
}

func pack(content, filter string) string {
	var b bytes.Buffer
	switch filter {
	case "FlateDecode":
		w := zlib.NewWriter(&b)
		_, _ = w.Write([]byte(content))
		_ = w.Close()
	case "LZWDecode": // of less than a table, where all kinds of it are the same
		w := lzw.NewWriter(&b, lzw.MSB, 8)
		_, _ = w.Write([]byte(content))
		_ = w.Close()
	case "ASCII85Decode":
		w := ascii85.NewEncoder(&b)
		_, _ = w.Write([]byte(content))
		_ = w.Close()
		b.WriteString("~>")
	case "ASCIIHexDecode":
		b.WriteString(hex.EncodeToString([]byte(content)) + ">")
	case "RunLengthDecode":
		for part := range slices.Chunk([]byte(content), 128) {
			b.WriteByte(byte(len(part) - 1))
			b.Write(part)
		}
		b.WriteByte(128)
	}
	return b.String()
}

// hostilePDFs are small files that take PDFium minutes, or gigabytes.
func hostilePDFs() map[string]string {
	round := nested(11, 20)
	for i := range round { // each shows the first one, which shows the others
		round[i] = drawing(strings.Repeat("/X Do ", 20), 6+(i+1)%len(round))
	}
	spaces := strings.Repeat(" ", 64<<20)
	contents := drawn(packedBy(strings.Repeat("q Q ", 100_000), "FlateDecode"))
	packed := written([]string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [4 0 R] /Count 1 >>", packedBy(string(make([]byte, 16<<20)), "FlateDecode", "FlateDecode"), "<<>>",
	}, "")
	return map[string]string{
		"forms that show each other":     drawn(stream("/X Do"), nested(12, 20)...),
		"forms in a circle":              drawn(stream("/X Do"), round...),
		"a form that shows itself twice": drawn(stream("/X Do"), drawing("/X Do /X Do BT /F1 1 Tf (water) Tj ET", 6)),
		"names with numbers":             strings.ReplaceAll(drawn(stream("/#58 Do"), nested(12, 20)...), "/X Do", "/#58 Do"),
		"packed twice":                   drawn(packedBy(spaces, "FlateDecode", "FlateDecode")),
		"packed twice, as a form":        drawn(stream("/X Do"), strings.Replace(packedBy(spaces, "FlateDecode", "FlateDecode"), "<<", "<< /Subtype /Form", 1)),
		"one content a thousand times":   strings.Replace(contents, "/Contents 5 0 R", "/Contents ["+strings.Repeat("5 0 R ", 1000)+"]", 1),
		"one page a thousand times":      strings.Replace(contents, "/Kids [4 0 R]", "/Kids ["+strings.Repeat("4 0 R ", 1000)+"]", 1),
		"packed objects, packed twice":   strings.Replace(packed, "<< /Length", "<< /Type /ObjStm /N 1 /First 4 /Length", 1),
		"filters upon filters":           drawn(packedBy("It melts.", slices.Repeat([]string{"ASCIIHexDecode"}, maxPDFFilters+1)...)),
	}
}

// TestHostilePDFs refuses them before PDFium sees them, in the time that it takes to look.
func TestHostilePDFs(t *testing.T) {
	for name, body := range hostilePDFs() {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		began := time.Now()
		err := checkPDF(t.Context(), []byte(body))
		took := time.Since(began)
		runtime.ReadMemStats(&after)
		allocated := after.TotalAlloc - before.TotalAlloc
		t.Logf("%s: %d bytes, %v, %d MB: %v", name, len(body), took, allocated>>20, err)
		if kappa.ErrorCode(err) != kappa.CodeMalformed || len(body) > 32<<10 {
			t.Errorf("%s: %d bytes: got %v", name, len(body), err)
		}
		if allocated > 64<<20 {
			t.Errorf("%s: it took %d MB", name, allocated>>20)
		}
	}
}

// TestPDFsThatPass has files that are read: with forms as programs write them.
func TestPDFsThatPass(t *testing.T) {
	for name, body := range passingPDFs() {
		if err := checkPDF(t.Context(), []byte(body)); err != nil {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func passingPDFs() map[string]string {
	pages := make([][]string, 1000)
	for i := range pages {
		pages[i] = []string{fmt.Sprintf("Water of page %d", i)}
	}
	picture := strings.Replace(packedBy(string(make([]byte, 32<<20)), "FlateDecode"), "<<", "<< /Type /XObject /Subtype /Image /Width 8192 /Height 4096 /BitsPerComponent 8 /ColorSpace /DeviceGray", 1)
	water := "BT /F1 12 Tf 50 50 Td (water) Tj ET"
	passing := map[string]string{
		"a thousand pages":           pdf(pages...),
		"marks of a plot":            drawn(stream(strings.Repeat("/X Do 1 0 0 1 2 3 cm ", 10_000)), drawing(water, 6)),
		"forms in forms":             drawn(stream("/X Do"), nested(8, 1)...),
		"a form that shows itself":   drawn(stream("/X Do"), drawing(water+" /X Do", 6)),
		"a form without resources":   drawn(stream("/X Do"), strings.Replace(drawing(water, 6), "/Resources", "/None", 1)),
		"a large picture":            drawn(stream("/X Do "+water), picture),
		"a part of many pages":       strings.Replace(drawn(stream("/X Do"), drawing(water, 6)), "/Kids [4 0 R] /Count 1", "/Kids ["+strings.Repeat("4 0 R ", 50)+"] /Count 50", 1),
		"changed, and changed again": drawn(stream("/X Do"), append(nested(3, 1), "<< >>\nendobj\n6 0 obj\n"+drawing(water, 6))...),
	}
	for _, filter := range []string{"FlateDecode", "LZWDecode", "ASCII85Decode", "ASCIIHexDecode", "RunLengthDecode"} {
		passing["packed by "+filter] = drawn(packedBy("/X Do", filter), drawing(water, 6))
		passing["packed by "+filter+" and more"] = drawn(packedBy(water, "ASCII85Decode", filter))
	}
	return passing
}

// TestPDFsThatPass_Slow has PDFium read them.
func TestPDFsThatPass_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	for name, body := range passingPDFs() {
		if d, err := shared.Text(t.Context(), []byte(body), corpus.ContentPDF); err != nil || !strings.Contains(strings.ToLower(d.Text), "water") {
			t.Errorf("%s: got %.100q and %v", name, d.Text, err)
		}
	}
}

// TestPDFMemory_Slow has a file of which the look finds nothing: PDFium has no more memory
// for it than the limit, and gives it back.
func TestPDFMemory_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	if _, err := shared.Text(t.Context(), []byte(pdf([]string{"warm"})), corpus.ContentPDF); err != nil {
		t.Fatal(err)
	}
	body := strings.NewReplacer("/Root", "/R#6fot").Replace(drawn(packedBy(strings.Repeat(" ", 256<<20), "FlateDecode", "FlateDecode")))
	debug.FreeOSMemory() // of other tests
	before, peak, stop := resident(t), 0, make(chan struct{})
	go func() {
		defer close(stop)
		for range 2 {
			_, err := shared.Text(t.Context(), []byte(body), corpus.ContentPDF)
			if !strings.Contains(kappa.ErrorMessage(err), "MB of memory") {
				t.Errorf("got %v", err)
			}
		}
	}()
	for done := false; !done; {
		select {
		case <-stop:
			done = true
		case <-time.After(5 * time.Millisecond):
			peak = max(peak, resident(t)-before)
		}
	}
	left := resident(t) - before
	t.Logf("%d bytes took %d MB, and left %d MB", len(body), peak>>20, left>>20)
	if peak > leastPDFMemory+64<<20 || left > 64<<20 {
		t.Errorf("%d bytes took %d MB, and left %d MB", len(body), peak>>20, left>>20)
	}
}

// resident returns how much memory this process has.
func resident(t *testing.T) int {
	t.Helper()
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("this system does not say how much memory a process has")
	}
	var size, pages int
	if _, err := fmt.Sscan(string(text), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}

// FuzzCheckPDF looks at whatever file: it ends, and says nothing but that it is too much.
func FuzzCheckPDF(f *testing.F) {
	for _, files := range []map[string]string{passingPDFs(), hostilePDFs()} {
		for _, body := range files {
			if len(body) < 64<<10 {
				f.Add([]byte(body))
			}
		}
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		began := time.Now()
		if err := checkPDF(t.Context(), body); err != nil && kappa.ErrorCode(err) != kappa.CodeMalformed {
			t.Error(err)
		}
		if took := time.Since(began); took > 30*time.Second {
			t.Errorf("%d bytes took %v", len(body), took)
		}
	})
}
