package formats

import (
	"strings"
	"testing"
)

// TestXLSXBeside has a comment and a text box beside the cells of a sheet.
func TestXLSXBeside(t *testing.T) {
	const space = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	others := map[string]string{
		"xl/worksheets/_rels/sheet1.xml.rels": `<Relationships><Relationship Id="r8" Type="` + space + `comments" Target="../comments1.xml"/><Relationship Id="r9" Type="` + space + `drawing" Target="../drawings/d1.xml"/></Relationships>`,
		"xl/comments1.xml":                    `<comments><authors><author>Anna</author></authors><commentList><comment ref="A1"><text><r><t>Real</t></r><r><t>ly?</t></r></text></comment><comment ref="A2"><text><t>Yes.</t></text></comment></commentList></comments>`,
		"xl/drawings/d1.xml":                  `<wsDr><sp><nvSpPr><cNvPr descr="A river of ice"/></nvSpPr><txBody><p><r><t>A box</t></r></p></txBody></sp></wsDr>`,
	}
	d, err := read(t, workbookOf(others, `<row r="1"><c r="A1" t="str"><v>Ice</v></c></row>`))
	if want := "## Sheet1\n\nIce\n\nComment: Really?\n\nComment: Yes.\n\nPicture: A river of ice\n\nA box"; err != nil || d.Text != want {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
	if d, err = read(t, workbookOf(others, "")); err != nil || !strings.HasPrefix(d.Text, "## Sheet1\n\nComment: Really?") {
		t.Errorf("without rows: got %q and %v", d.Text, err)
	}
}
