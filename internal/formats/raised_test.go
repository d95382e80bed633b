package formats

import (
	"strings"
	"testing"
)

// TestRaised has powers, which are other numbers without a sign, in each format that has them.
func TestRaised(t *testing.T) {
	run := func(text, up string) string {
		return `<w:r><w:rPr><w:vertAlign w:val="` + up + `"/></w:rPr><w:t>` + text + `</w:t></w:r>`
	}
	span := func(style, text string) string {
		return `<text:span text:style-name="` + style + `">` + text + `</text:span>`
	}
	styles := ""
	for name, position := range map[string]string{"T1": "super 58%", "T2": "33% 58%", "T3": "sub 58%", "T4": "0% 100%", "T5": "-33% 58%"} {
		styles += `<style:style style:name="` + name + `"><style:text-properties style:text-position="` + position + `"/></style:style>`
	}
	part := func(text string, up byte) docPart { return docPart{text: text, chars: le(uint16(sprmRaised), up)} }
	for name, c := range map[string]struct{ name, body, want string }{
		"HTML":         {"a.html", "<html><body><p>It has 10<sup>9</sup> m<sup>2</sup>, the 1<sup>st</sup> x<sub>2</sub>.</p></body></html>", "It has 10^9 m^2, the 1st x2."},
		"DocBook":      {"a.xml", "<?xml version='1.0'?><article><para>It has 10<superscript>9</superscript> m<superscript>2</superscript>, the 1<superscript>st</superscript> x<subscript>2</subscript>.</para></article>", "It has 10^9 m^2, the 1st x2."},
		"Word":         {"a.docx", word(`<w:p>` + run("It has 10", "baseline") + run("9", "superscript") + run(" m", "baseline") + run("2", "superscript") + run(", the 1", "") + run("st", "superscript") + run(" x", "") + run("2", "subscript") + `<w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F061"/><w:t>.</w:t></w:r></w:p>`), "It has 10^9 m^2, the 1st x2α."},
		"OpenDocument": {"a.fodt", `<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"` + odfSpace + `><office:automatic-styles>` + styles + `</office:automatic-styles><office:body><office:text><text:p>It has ` + span("T4", "10") + span("T1", "9") + ` m` + span("T2", "2") + `, the 1` + span("T1", "st") + ` x` + span("T3", "2") + `, y` + span("T5", "2") + `.</text:p></office:text></office:body></office:document>`, "It has 10^9 m^2, the 1st x2, y2."},
		"Word 97":      {"a.doc", wordOld([]docPart{{text: "It has 10"}, part("9", 1), {text: " m"}, part("2", 1), {text: ", the 1"}, part("st", 1), {text: " x"}, part("2", 2), {text: ".\r"}}), "It has 10^9 m^2, the 1st x2."},
		"RTF":          {"a.rtf", rich(`It has 10{\super 9} m{\super 2}, the 1{\super st} x\sub 2\nosupersub{\field{\*\fldinst SYMBOL 97 \\f "Symbol" \\s 12}{\fldrslt\f3 a}}{\field{\*\fldinst PAGE}{\fldrslt 7}}.`), "It has 10^9 m^2, the 1st x2α7."},
	} {
		if _, d := readNamed(t, c.body, c.name); strings.TrimSpace(d.Text) != c.want {
			t.Errorf("%s: got %q, want %q", name, d.Text, c.want)
		}
	}
}
