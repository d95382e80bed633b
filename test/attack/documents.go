package main

import (
	"archive/zip"
	"bytes"
	"compress/zlib"
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

const (
	hostileDocuments = 60 // of one account, at once
	honestEvery      = 250 * time.Millisecond
	honestAlone      = 5 * time.Second  // before them
	honestFor        = 30 * time.Second // beside them
	// mostSlower is how many times as long as the slowest one before them an honest text may
	// wait for its analysis beside hostile documents, in 99 of 100 times. Behind one of them
	// it would wait hundreds of times as long.
	mostSlower = 20
	// mostGrowth is how much more memory the server itself may take for them.
	mostGrowth = 512 << 20
)

// bomb is a document that takes more than it looks.
type bomb struct {
	name, filename string
	body           []byte
}

// bombs are one of each format.
func bombs() []bomb {
	repeat := func(text string, n int) []byte { return []byte(strings.Repeat(text, n)) }
	xml := func(inner string) string { return `<?xml version="1.0"?>` + inner }
	var entities strings.Builder
	entities.WriteString(`<!DOCTYPE a [<!ENTITY a "aaaaaaaaaa">`)
	for c := 'b'; c <= 'j'; c++ {
		fmt.Fprintf(&entities, `<!ENTITY %c "%s">`, c, strings.Repeat("&"+string(c-1)+";", 10))
	}
	entities.WriteString("]>")
	return []bomb{
		{"a PDF whose forms call each other", "forms.pdf", formsPDF(12, 20)},
		{"a PDF that is deflated twice", "twice.pdf", twicePDF(200 << 20)},
		{"a DOCX of a gigabyte", "large.docx", archive(map[string][]byte{"[Content_Types].xml": []byte(xml(`<Types/>`)), "word/document.xml": zeros(1 << 30)})},
		{"a DOCX with entities in entities", "entities.docx", archive(map[string][]byte{"[Content_Types].xml": []byte(xml(`<Types/>`)), "word/document.xml": []byte(xml(entities.String() + `<w:document><w:body><w:p><w:r><w:t>&j;</w:t></w:r></w:p></w:body></w:document>`))})},
		{"a sheet with a cell in the last column of each row", "wide.xlsx", wideSheet(20_000)},
		{"100,000 elements in each other", "deep.html", slices.Concat([]byte("<html><body>"), repeat("<div>", 100_000), []byte("text"))},
		{"a table of a million columns", "columns.html", []byte("<html><body><table><tr><td colspan=1000000 rowspan=1000000>a</td></tr><tr><td>b</td></tr></table></body></html>")},
		{"a mail in a mail in a mail", "nested.eml", nestedMail(1000)},
		{"a mail with a header of 17 MB", "header.eml", slices.Concat([]byte("From: a@example.com\r\nSubject: "), repeat("a", 17<<20), []byte("\r\n\r\ntext\r\n"))},
		{"a mail of 100,000 parts", "parts.eml", slices.Concat([]byte("From: a@example.com\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n"), repeat("--x\r\nContent-Type: text/plain\r\n\r\na\r\n", 100_000), []byte("--x--\r\n"))},
		{"a line of 60 MB", "line.txt", repeat("word ", 12<<20)},
		{"marks on one letter", "marks.txt", slices.Concat([]byte("e"), repeat("\u0301", 5<<20), []byte(" is a letter."))},
		{"a row of a million columns", "row.csv", slices.Concat(repeat("a,", 1_000_000), []byte("b\n"), repeat("1,", 1_000_000), []byte("2\n"))},
		{"a million lists in each other", "deep.json", slices.Concat(repeat("[", 1_000_000), repeat("]", 1_000_000))},
		{"3 MB of braces", "braces.go", slices.Concat([]byte("package a\n"), repeat("{", 3<<20))},
		{"an EPUB of itself", "loop.epub", archive(map[string][]byte{"mimetype": []byte("application/epub+zip"), "META-INF/container.xml": []byte(xml(`<container><rootfiles><rootfile full-path="../../../../etc/passwd"/></rootfiles></container>`))})},
	}
}

// zeros is so much of one letter, which packs a thousand times.
func zeros(n int) []byte { return bytes.Repeat([]byte("a"), n) }

// archive packs files.
func archive(files map[string][]byte) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, body := range files {
		w, err := z.Create(name)
		if err == nil {
			_, _ = w.Write(body) // into memory
		}
	}
	_ = z.Close() // into memory
	return b.Bytes()
}

// pdf is a document of numbered objects, the first of which is the catalog.
func pdf(objects []string) []byte {
	var b bytes.Buffer
	b.WriteString("%PDF-1.7\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = b.Len()
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	at := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&b, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&b, "trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, at)
	return b.Bytes()
}

// formsPDF is a page that draws a form which draws the next one so many times, and so on.
func formsPDF(levels, times int) []byte {
	objects := []string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
		"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R /Resources << /XObject << /F 5 0 R >> >> >>", "<< /Length 4 >>\nstream\n/F Do\nendstream",
	}
	calls := strings.Repeat("/F Do ", times)
	for i := range levels {
		next := ""
		if i+1 < levels {
			next = fmt.Sprintf("/Resources << /XObject << /F %d 0 R >> >> ", len(objects)+2)
		}
		objects = append(objects, fmt.Sprintf("<< /Type /XObject /Subtype /Form /BBox [0 0 100 100] %s/Length %d >>\nstream\n%s\nendstream", next, len(calls), calls))
	}
	return pdf(objects)
}

// twicePDF is a page whose content is deflated twice, to a few kilobytes.
func twicePDF(size int) []byte {
	deflate := func(text []byte) []byte {
		var b bytes.Buffer
		z := zlib.NewWriter(&b)
		_, _ = z.Write(text) // into memory
		_ = z.Close()        // into memory
		return b.Bytes()
	}
	packed := deflate(deflate(bytes.Repeat([]byte(" "), size)))
	return pdf([]string{
		"<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [3 0 R] /Count 1 >>", "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R >>",
		fmt.Sprintf("<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%s\nendstream", len(packed), packed),
	})
}

// wideSheet is a workbook whose rows have one cell each, in the last column there is.
func wideSheet(rows int) []byte {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?><worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>`)
	for i := range rows {
		fmt.Fprintf(&b, `<row r="%d"><c r="XFD%d"><v>1</v></c></row>`, i+1, i+1)
	}
	b.WriteString(`</sheetData></worksheet>`)
	return archive(map[string][]byte{
		"[Content_Types].xml":        []byte(`<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`),
		"_rels/.rels":                []byte(`<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`),
		"xl/workbook.xml":            []byte(`<?xml version="1.0"?><workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><sheets><sheet name="a" sheetId="1" r:id="rId1"/></sheets></workbook>`),
		"xl/_rels/workbook.xml.rels": []byte(`<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`),
		"xl/worksheets/sheet1.xml":   []byte(b.String()),
	})
}

// nestedMail is a mail within a mail, so many times.
func nestedMail(depth int) []byte {
	return []byte(strings.Repeat("From: a@example.com\r\nMIME-Version: 1.0\r\nContent-Type: message/rfc822\r\n\r\n", depth) + "From: a@example.com\r\n\r\nThe last one.\r\n")
}

// attackDocuments has one account submit hostile documents, and another one short texts. The
// texts are analysed in time, all hostile documents come to an end, and the server does not
// grow.
func attackDocuments(ctx context.Context, t *target, out *tally) error {
	hostile, honest := t.accounts[1], t.accounts[2]
	alone := t.honestTexts(ctx, out, honest, "cup", honestAlone)
	if len(alone) == 0 {
		return nil
	}
	before := t.resident()
	var ids []string
	for i, b := range hostileList() {
		out.try()
		s, err := hostile.client.Documents.Submit(ctx, client.Document{Body: b.body, Filename: b.filename, Ontology: "bombs_" + strconv.Itoa(i), Force: true})
		if code := kappa.ErrorCode(err); err != nil && code == kappa.CodeInternal {
			out.hole("%s: %v", b.name, err)
		}
		if err == nil {
			ids = append(ids, s.JobID)
		}
	}
	waits := t.honestTexts(ctx, out, honest, "kettle", honestFor)
	if len(waits) == 0 {
		return nil
	}
	slices.Sort(waits)
	if late, most := waits[len(waits)*99/100], mostSlower*slices.Max(alone); late > most {
		out.hole("of %d short texts beside them, one in a hundred waits %v for its analysis, want at most %v, %d times the slowest with nothing beside it; the median is %v",
			len(waits), late, most, mostSlower, waits[len(waits)/2])
	}
	if grown := t.resident() - before; grown > mostGrowth {
		out.hole("the server took %d MB more", grown>>20)
	}
	t.allEnd(ctx, out, hostile, ids)
	return nil
}

// hostileList is one bomb of each format, and for the rest the first one, each a little
// different.
func hostileList() []bomb {
	list := bombs()
	for i := len(list); i < hostileDocuments; i++ {
		list = append(list, bomb{list[0].name, list[0].filename, append(slices.Clone(list[0].body), fmt.Sprintf("%%%d\n", i)...)})
	}
	return list
}

// honestTexts submits short texts about a thing one after the other for a while, and returns
// how long each waited for its analysis.
func (t *target) honestTexts(ctx context.Context, out *tally, who account, thing string, lasts time.Duration) []time.Duration {
	var mu sync.Mutex
	var waits []time.Duration
	var all sync.WaitGroup
	for i := range int(lasts / honestEvery) {
		out.try()
		all.Go(func() {
			began := time.Now()
			s, err := who.client.Documents.Submit(ctx, client.Document{Body: fmt.Appendf(nil, "A %s number %d is a vessel that holds water.", thing, i), Filename: thing + ".txt", Ontology: thing + "s"})
			for err == nil && time.Since(began) < patience {
				var job work.Job
				if job, err = who.client.Jobs.Get(ctx, s.JobID); err == nil && job.Status != work.StatusPending {
					mu.Lock()
					defer mu.Unlock()
					waits = append(waits, time.Since(began))
					return
				}
				kappa.Sleep(ctx, 20*time.Millisecond)
			}
			out.hole("a short text is not analysed after %v: %v", time.Since(began), err)
		})
		kappa.Sleep(ctx, honestEvery)
	}
	all.Wait()
	return waits
}

// allEnd waits until each of the hostile documents is analysed or refused.
func (t *target) allEnd(ctx context.Context, out *tally, who account, ids []string) {
	limit := time.Now().Add(4 * time.Minute)
	for _, id := range ids {
		for {
			job, err := who.client.Jobs.Get(ctx, id)
			if err == nil && job.Status != work.StatusPending {
				break
			}
			if time.Now().After(limit) {
				out.hole("the hostile document of %s has not come to an end: %s %v", id, job.Status, err)
				break
			}
			kappa.Sleep(ctx, 200*time.Millisecond)
		}
	}
}

// resident returns the bytes of memory that the server holds itself; 0 where that cannot be
// read.
func (t *target) resident() int64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", t.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return 0
	}
	pages, _ := strconv.ParseInt(fields[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
