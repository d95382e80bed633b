package formats

import (
	"fmt"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// show returns a presentation of slides, whose contents are in the order of the list but not of
// their names; others are parts beside them.
func show(others map[string]string, slides ...string) string {
	const space = `http://schemas.openxmlformats.org/officeDocument/2006/relationships/`
	files := map[string]string{}
	list, relations := "", ""
	for i, slide := range slides {
		n := len(slides) - i
		list += fmt.Sprintf(`<p:sldId id="%d" r:id="r%d"/>`, 256+i, n)
		relations += fmt.Sprintf(`<Relationship Id="r%d" Type="%sslide" Target="slides/slide%d.xml"/>`, n, space, n)
		files[fmt.Sprintf("ppt/slides/slide%d.xml", n)] = "<p:sld><p:cSld><p:spTree>" + slide + "</p:spTree></p:cSld></p:sld>"
	}
	files[pptxBody] = "<p:presentation><p:sldIdLst>" + list + "</p:sldIdLst></p:presentation>"
	files["ppt/_rels/presentation.xml.rels"] = "<Relationships>" + relations + "</Relationships>"
	for name, content := range others {
		files["ppt/"+name] = strings.ReplaceAll(content, "SPACE", space)
	}
	return archive(files)
}

// shape returns a shape with paragraphs, which is a placeholder of a kind.
func shape(kind string, paragraphs ...string) string {
	text := ""
	for _, p := range paragraphs {
		text += "<a:p><a:r><a:t>" + p + "</a:t></a:r></a:p>"
	}
	placeholder := ""
	if kind != "" {
		placeholder = `<p:ph type="` + kind + `"/>`
	}
	return `<p:sp><p:nvSpPr><p:cNvPr id="1"/><p:nvPr>` + placeholder + `</p:nvPr></p:nvSpPr><p:txBody>` + text + `</p:txBody></p:sp>`
}

func TestPPTX(t *testing.T) {
	body := show(
		map[string]string{
			"slides/_rels/slide2.xml.rels": `<Relationships><Relationship Id="a" Type="SPACEnotesSlide" Target="../notesSlides/n1.xml"/><Relationship Id="b" Type="SPACEdiagramData" Target="../diagrams/d1.xml"/><Relationship Id="c" Type="SPACEcomments" Target="../comments/c1.xml"/></Relationships>`,
			"notesSlides/n1.xml":           "<p:notes>" + shape("sldNum", "7") + shape("body", "Say it slowly.") + "</p:notes>",
			"diagrams/d1.xml":              `<dgm:dataModel><dgm:pt><a:p><a:r><a:t>Snow</a:t></a:r></a:p></dgm:pt><dgm:pt><a:p><a:r><a:t>Ice</a:t></a:r></a:p></dgm:pt></dgm:dataModel>`,
			"comments/c1.xml":              `<p:cmLst><p:cm><p:text>Really?</p:text></p:cm></p:cmLst>`,
		},
		shape("body", "It is cold.", "It moves.")+shape("title", "Glaciers")+shape("ftr", "Footer")+`<p:pic><p:nvPicPr><p:cNvPr descr="A river of ice"/></p:nvPicPr></p:pic>`,
		`<a:tbl><a:tr><a:tc><a:p><a:r><a:t>Name</a:t></a:r></a:p></a:tc><a:tc><a:p><a:r><a:t>Length</a:t></a:r></a:p></a:tc></a:tr></a:tbl>`+
			`<mc:AlternateContent><mc:Choice>`+shape("", `Once 10</a:t></a:r><a:r><a:rPr baseline="30000"/><a:t>9`)+`</mc:Choice><mc:Fallback>`+shape("", "Once")+`</mc:Fallback></mc:AlternateContent>`,
	)
	format, err := NewReader().Recognise([]byte(body), "a.bin", "")
	if format != corpus.ContentPPTX || err != nil {
		t.Fatalf("got %q and %v", format, err)
	}
	d, err := read(t, body)
	want := "## Slide 1: Glaciers\n\nIt is cold.\n\nIt moves.\n\nPicture: A river of ice\n\nDiagram: Snow\n\nIce\n\nNotes: Say it slowly.\n\nComment: Really?\n\n## Slide 2\n\nName | Length\n\nOnce 10^9\n\nFooter"
	if err != nil || d.Text != want || d.Markup != corpus.ContentMarkdown {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
	refused(t, archive(map[string]string{pptxBody: "<p:presentation"}), "broken")
}

func FuzzPPTX(f *testing.F) {
	f.Add(shape("title", "Ice") + "<tbl><tr><tc><p><t>a</t></p></tc></tr></tbl>")
	f.Add("<AlternateContent><Choice><oMath><t>a</t></Choice></AlternateContent></p></tc></tr></tbl>")
	f.Fuzz(func(t *testing.T, slide string) { fuzzed(t, show(nil, slide), corpus.ContentPPTX) })
}
