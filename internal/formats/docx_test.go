package formats

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/pgtest"
)

const (
	wordSpace  = ` xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"`
	wordStyles = `<w:styles` + wordSpace + `><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style><w:style w:styleId="Standard"><w:name w:val="Normal"/></w:style></w:styles>`
)

// word returns a Word document with this body.
func word(body string) string {
	return archive(map[string]string{docxBody: `<?xml version="1.0"?><w:document` + wordSpace + `><w:body>` + body + `</w:body></w:document>`, docxStyles: wordStyles})
}

func TestDOCX(t *testing.T) {
	paragraph := func(text string) string { return "<w:p><w:r><w:t>" + text + "</w:t></w:r></w:p>" }
	d, err := read(t, word(`<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Glaciers</w:t></w:r></w:p>`+
		`<w:p><w:pPr><w:pStyle w:val="Standard"/></w:pPr><w:r><w:t xml:space="preserve">A glacier </w:t></w:r><w:del><w:r><w:delText>was</w:delText></w:r></w:del><w:r><w:t>is ice</w:t><w:br/><w:t>&amp; snow.</w:t></w:r></w:p>`+
		`<w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>melting</w:t></w:r></w:p>`+
		`<w:tbl><w:tr><w:tc>`+paragraph("Glacier")+`</w:tc><w:tc>`+paragraph("Length")+`</w:tc></w:tr>`+
		`<w:tr><w:tc>`+paragraph("Aletsch")+paragraph("(Wallis)")+`</w:tc><w:tc><w:tbl><w:tr><w:tc>`+paragraph("22 km")+`</w:tc></w:tr></w:tbl></w:tc></w:tr></w:tbl>`+
		paragraph("The end.")))
	if err != nil {
		t.Fatal(err)
	}
	want := "# Glaciers\n\nA glacier is ice & snow.\n\n- melting\n\nGlacier | Length\n\nAletsch (Wallis) | 22 km\n\nThe end.\n\n"
	if d.Text != want || d.Markup != corpus.ContentMarkdown {
		t.Errorf("got %q, want %q", d.Text, want)
	}
}

func TestDOCXHostile_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	refused(t, word(strings.Repeat("<w:p>", maxDepth+1)), "deeper than 200")
	refused(t, word("<w:p>"), "broken")
	refused(t, word(""), "no text")
	refused(t, word("<w:p><w:r><w:t>"+strings.Repeat(" ", 10<<20)+"</w:t></w:r></w:p>"), "unpacks to more than is read")
	refused(t, word("<w:p><w:r><w:t>"+strings.Repeat("<w:tab/>", 2<<20)+"</w:t></w:r></w:p>"), "unpacks to more than is read")
	refused(t, archive(map[string]string{docxBody: `<!DOCTYPE x [<!ENTITY a "aaaa">]><x><t>&a;</t></x>`}), "broken")
	many := map[string]string{docxBody: "<x/>"}
	for i := range maxEntries {
		many[strings.Repeat("x", i%100)+string(rune('0'+i))] = ""
	}
	if _, err := NewReader().Recognise([]byte(archive(many)), "many.docx", ""); kappa.ErrorCode(err) != kappa.CodeMalformed || !strings.Contains(kappa.ErrorMessage(err), "at most 10000") {
		t.Errorf("an archive of many files is recognised with %v", err)
	}
}

func FuzzDOCX(f *testing.F) {
	f.Add("<w:p><w:r><w:t>Glaciers</w:t></w:r></w:p>")
	f.Add("<w:tbl><w:tr><w:tc><w:p><w:r><w:t>a</w:t></w:r></w:p></w:tc></w:tr></w:tbl>")
	f.Add("<w:tc><w:tbl></w:tbl></w:tbl>")
	f.Add(`<w:p><w:r><w:rPr><w:vertAlign w:val="superscript"/></w:rPr><w:t>2</w:t><w:sym w:font="Symbol" w:char="F061"/></w:r></w:p>`)
	f.Fuzz(func(t *testing.T, body string) {
		r := NewReader()
		d, err := r.Text(t.Context(), []byte(word(body)), corpus.ContentDOCX)
		if err != nil && kappa.ErrorCode(err) != kappa.CodeMalformed {
			t.Errorf("unexpected error %v", err)
		}
		if err == nil && invalidOffset([]byte(d.Text)) >= 0 {
			t.Errorf("got %q", d.Text)
		}
		const relation = `<Relationship Id="a" Type="x/header" Target="header.xml"/>`
		fuzzed(t, archive(map[string]string{docxBody: "<w:document" + wordSpace + "/>", "word/_rels/document.xml.rels": "<Relationships>" + relation + "</Relationships>", "word/header.xml": "<w:hdr" + wordSpace + ">" + body + "</w:hdr>"}), corpus.ContentDOCX)
	})
}
