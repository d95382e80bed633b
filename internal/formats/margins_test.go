package formats

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// TestMargins has headers and footers of each format of texts: they are read once, and stand
// beside the text.
func TestMargins(t *testing.T) {
	const want = "# Ice\n\nIt melts.\n\nReport of Anna\n\nFor the glacier only"
	places := []corpus.Place{{Start: 0, Section: "Ice"}, {Start: 18, Section: corpus.SectionNotice}}
	part := func(name, body string) string {
		return `<w:` + name + wordSpace + `><w:p><w:r><w:t>` + body + `</w:t></w:r></w:p></w:` + name + `>`
	}
	const relation = `<Relationship Id="%" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	styles := `<office:document-styles` + odfSpace + `><office:styles><text:p>not said</text:p></office:styles><office:master-styles><style:master-page>` +
		`<style:header><text:p>Report of Anna</text:p></style:header><style:header-left><text:p>Report of Anna</text:p></style:header-left>` +
		`<style:footer><text:p><text:span>For the glacier only</text:span></text:p><text:p>3</text:p></style:footer></style:master-page></office:master-styles></office:document-styles>`
	text := `<office:text><text:h text:outline-level="1">Ice</text:h><text:p>It melts.</text:p></office:text>`
	for name, body := range map[string]string{
		"docx": archive(map[string]string{
			docxBody: `<w:document` + wordSpace + `><w:body><w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr><w:r><w:t>Ice</w:t></w:r></w:p><w:p><w:r><w:t>It melts.</w:t></w:r></w:p></w:body></w:document>`, docxStyles: wordStyles,
			"word/_rels/document.xml.rels": `<Relationships>` + relation + `header" Target="header1.xml"/>` + relation + `header" Target="header2.xml"/>` + relation + `footer" Target="footer1.xml"/></Relationships>`,
			"word/header1.xml":             part("hdr", "Report of Anna"), "word/header2.xml": part("hdr", "Report of Anna"), "word/footer1.xml": part("ftr", `For the glacier only</w:t></w:r></w:p><w:p><w:r><w:t>3`),
		}),
		"odt":  archive(map[string]string{"mimetype": "application/vnd.oasis.opendocument.text", odfBody: `<office:document-content` + odfSpace + `><office:body>` + text + `</office:body></office:document-content>`, odfStyles: styles}),
		"fodt": `<?xml version="1.0"?><office:document` + odfSpace + ` office:mimetype="application/vnd.oasis.opendocument.text">` + styles[len(`<office:document-styles`+odfSpace+`>`):len(styles)-len(`</office:document-styles>`)] + `<office:body>` + text + `</office:body></office:document>`,
		"rtf":  rich(`{\header Report of Anna\par}{\headerl Report of Anna\par}{\footer For the glacier only\par 3\par}\pard\s1 Ice\par\pard\s0 It melts.\par`),
	} {
		d, err := read(t, body)
		if err != nil || d.Text != want || !slices.Equal(d.Places, places) {
			t.Errorf("%s: got %q with %v and %v, want %q", name, d.Text, d.Places, err, want)
		}
	}
}

// TestMarginsAlone is of a document that has nothing else.
func TestMarginsAlone(t *testing.T) {
	d, err := read(t, rich(`{\header Report\par}`))
	if err != nil || d.Text != "Report" || !slices.Equal(d.Places, []corpus.Place{{Section: corpus.SectionNotice}}) {
		t.Errorf("got %q with %v and %v", d.Text, d.Places, err)
	}
}
