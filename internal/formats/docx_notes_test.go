package formats

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// wordWith returns a Word document with this body, and parts of notes with these contents.
func wordWith(body string, notes map[string]string) string {
	files := map[string]string{docxBody: `<w:document` + wordSpace + `><w:body>` + body + `</w:body></w:document>`, docxStyles: wordStyles}
	for part, content := range notes {
		files["word/"+part+".xml"] = `<w:` + part + wordSpace + `>` + content + `</w:` + part + `>`
	}
	return archive(files)
}

// run returns a run of text in Word.
func run(text string) string { return `<w:r><w:t xml:space="preserve">` + text + `</w:t></w:r>` }

func paragraph(content string) string { return "<w:p>" + content + "</w:p>" }

// TestDOCXWhole has what is beside the paragraphs of a Word document, and what is not its text.
func TestDOCXWhole(t *testing.T) {
	note := func(kind, id, text string) string {
		return `<w:` + kind + ` w:id="` + id + `" w:author="Anna">` + paragraph(run(text)) + `</w:` + kind + `>`
	}
	box := func(text string) string { return `<w:txbxContent>` + paragraph(run(text)) + `</w:txbxContent>` }
	for name, c := range map[string]struct{ body, want string }{
		"a footnote":           {paragraph(run("Ice") + `<w:r><w:footnoteReference w:id="2"/></w:r>` + run(" melts.")), "Ice melts.\n\nFootnote (Anna): It is cold.\n\nFootnote (Anna): Nobody refers to it."},
		"a note shown twice":   {paragraph(`<w:footnoteReference w:id="2"/><w:footnoteReference w:id="2"/><w:footnoteReference w:id="3"/>` + run("Ice.")), "Ice.\n\nFootnote (Anna): It is cold.\n\nFootnote (Anna): Nobody refers to it."},
		"a choice":             {paragraph(`<mc:AlternateContent><mc:Choice>` + box("Cold.") + `</mc:Choice><mc:Fallback>` + box("Cold.") + `</mc:Fallback></mc:AlternateContent>` + run("Ice.")), "Ice.\n\nCold."},
		"a fallback":           {paragraph(`<mc:AlternateContent><mc:Choice><a/></mc:Choice><mc:Fallback>` + box("Cold.") + `</mc:Fallback></mc:AlternateContent>` + run("Ice.")), "Ice.\n\nCold."},
		"a text box within":    {paragraph(run("Ice ") + box("Cold.") + run("melts.")), "Ice melts.\n\nCold."},
		"moved text":           {paragraph(run("Ice ") + `<w:moveFrom>` + run("melts") + `</w:moveFrom><w:moveTo>` + run("melts") + `</w:moveTo>`), "Ice melts"},
		"ruby":                 {paragraph(`<w:ruby><w:rt>` + run("こおり") + `</w:rt><w:rubyBase>` + run("氷") + `</w:rubyBase></w:ruby>`), "氷"},
		"a deleted row":        {`<w:tbl><w:tr><w:trPr><w:del w:id="1"/></w:trPr><w:tc>` + paragraph(run("old")) + `</w:tc></w:tr><w:tr><w:tc>` + paragraph(run("new")) + `</w:tc></w:tr></w:tbl>`, "new"},
		"what a picture shows": {paragraph(`<wp:docPr descr="A river of ice"/>`+run("Ice.")) + paragraph(`<wp:docPr descr="image1.png"/>`), "Ice.\n\nPicture: A river of ice"},
		"a style based on one": {paragraph(`<w:pPr><w:pStyle w:val="Mine"/></w:pPr>` + run("Ice")), "# Ice"},
	} {
		notes := map[string]string{}
		if strings.Contains(c.body, "Reference") {
			notes["footnotes"] = `<w:footnote w:type="separator" w:id="0">` + paragraph(run("---")) + `</w:footnote>` + note("footnote", "2", "It is cold.") + note("footnote", "3", "Nobody refers to it.")
		}
		body := wordWith(c.body, notes)
		if strings.Contains(c.body, "Mine") {
			body = archive(map[string]string{docxBody: `<w:document` + wordSpace + `>` + c.body + `</w:document>`, docxStyles: strings.Replace(wordStyles, "</w:styles>", `<w:style w:styleId="Mine"><w:name w:val="Mine"/><w:basedOn w:val="berschrift1"/></w:style></w:styles>`, 1)})
		}
		d, err := read(t, body)
		if got := strings.TrimSpace(d.Text); err != nil || got != c.want {
			t.Errorf("%s: got %q and %v, want %q", name, got, err, c.want)
		}
	}
	all := wordWith(paragraph(run("Ice")+`<w:commentReference w:id="1"/><w:endnoteReference w:id="1"/>`), map[string]string{
		"comments": note("comment", "1", "Really?"), "endnotes": `<w:endnote w:id="1">` + paragraph(run("Yes.")) + `</w:endnote>`, "footnotes": "<broken",
	})
	d, err := read(t, all)
	if want := "Ice\n\nComment (Anna): Really?\n\nEndnote: Yes.\n\n"; err != nil || d.Text != want || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "footnotes could not be read") {
		t.Errorf("got %q, %q and %v, want %q", d.Text, d.Warnings, err, want)
	}
}

// TestDOCXElsewhere has a Word document whose parts have names of their own.
func TestDOCXElsewhere(t *testing.T) {
	const space = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	body := archive(map[string]string{
		"[Content_Types].xml":     `<Types><Override PartName="/doc/main.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels":             `<Relationships><Relationship Id="r1" Type="` + space + `officeDocument" Target="/doc/main.xml"/></Relationships>`,
		"doc/_rels/main.xml.rels": `<Relationships><Relationship Id="r1" Type="` + space + `footnotes" Target="n.xml"/></Relationships>`,
		"doc/main.xml":            `<document>` + `<p><r><t>Ice</t></r><footnoteReference id="1"/></p></document>`,
		"doc/n.xml":               `<footnotes><footnote id="1"><p><r><t>Cold.</t></r></p></footnote></footnotes>`,
	})
	format, err := NewReader().Recognise([]byte(body), "a", "")
	if format != corpus.ContentDOCX || err != nil {
		t.Fatalf("got %q and %v", format, err)
	}
	d, err := read(t, body)
	if want := "Ice\n\nFootnote: Cold.\n\n"; err != nil || d.Text != want {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
}

// TestFormulas has formulas of Word in the linear format.
func TestFormulas(t *testing.T) {
	r := func(text string) string { return "<m:r><m:t>" + text + "</m:t></m:r>" }
	e := func(name, content string) string { return "<m:" + name + ">" + content + "</m:" + name + ">" }
	for want, content := range map[string]string{
		"A=πr^2":       r("A=π") + e("sSup", e("e", r("r"))+e("sup", r("2"))),
		"(a+b)/c":      e("f", e("num", r("a+b"))+e("den", r("c"))),
		"√(a+b)":       e("rad", e("radPr", `<m:degHide m:val="1"/>`)+e("deg", "")+e("e", r("a+b"))),
		"√(3&x)":       e("rad", e("deg", r("3"))+e("e", r("x"))),
		"∑_(i=1)^n i":  e("nary", e("naryPr", `<m:chr m:val="∑"/>`)+e("sub", r("i=1"))+e("sup", r("n"))+e("e", r("i"))),
		"x_i^2":        e("sSubSup", e("e", r("x"))+e("sub", r("i"))+e("sup", r("2"))),
		"sin (x)":      e("func", e("fName", r("sin"))+e("e", e("d", e("e", r("x"))))),
		"[a, b; c, d]": e("d", e("dPr", `<m:begChr m:val="["/><m:endChr m:val="]"/>`)+e("e", e("m", e("mr", e("e", r("a"))+e("e", r("b")))+e("mr", e("e", r("c"))+e("e", r("d")))))),
	} {
		d, err := read(t, word(paragraph(e("oMath", content))))
		if got := strings.TrimSpace(d.Text); err != nil || got != want {
			t.Errorf("got %q and %v, want %q", got, err, want)
		}
	}
}
