package formats

import (
	"maps"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

const odfSpace = ` xmlns:office="o" xmlns:text="t" xmlns:table="b" xmlns:draw="urn:drawing" xmlns:presentation="p" xmlns:svg="s" xmlns:dc="d" xmlns:xlink="x" xmlns:style="y"`

// open returns a document in the OpenDocument format: kind is text, spreadsheet or presentation.
func open(kind, body string, others map[string]string) string {
	files := map[string]string{
		"mimetype": "application/vnd.oasis.opendocument." + kind,
		odfBody:    `<office:document-content` + odfSpace + `><office:automatic-styles><style:x><text:p>style</text:p></style:x></office:automatic-styles><office:body><office:` + kind + `>` + body + `</office:` + kind + `></office:body></office:document-content>`,
	}
	maps.Copy(files, others)
	return archive(files)
}

func TestODT(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"headings and spaces": {`<text:h text:outline-level="2">Ice</text:h><text:p>It<text:s text:c="3"/>melts<text:line-break/>slowly.</text:p>`, "## Ice\n\nIt melts slowly."},
		"a list":              {`<text:list><text:list-item><text:p>Ice</text:p></text:list-item></text:list><text:p>End</text:p>`, "- Ice\n\nEnd"},
		"a footnote":          {`<text:p>Ice<text:note text:note-class="footnote"><text:note-citation>1</text:note-citation><text:note-body><text:p>Cold.</text:p></text:note-body></text:note> melts.</text:p>`, "Ice melts.\n\nFootnote: Cold."},
		"a comment":           {`<text:p>Ice<office:annotation><dc:creator>Anna</dc:creator><dc:date>2026</dc:date><text:p>Really?</text:p></office:annotation>.</text:p>`, "Ice.\n\nComment (Anna): Really?"},
		"what was deleted":    {`<text:tracked-changes><text:deletion><text:p>Old.</text:p></text:deletion></text:tracked-changes><text:p>New.</text:p>`, "New."},
		"a text box":          {`<text:p>Ice <draw:frame><draw:text-box><text:p>Cold.</text:p><text:p>Wet.</text:p></draw:text-box><svg:desc>A river of ice</svg:desc></draw:frame>melts.</text:p>`, "Ice melts.\n\nCold.\n\nWet.\n\nPicture: A river of ice"},
		"a shape":             {`<text:p>Ice <draw:custom-shape><text:p>Cold.</text:p></draw:custom-shape>melts.</text:p>`, "Ice melts.\n\nCold."},
		"a table":             {`<table:table><table:table-row><table:table-cell><text:p>Name</text:p></table:table-cell><table:table-cell><text:p>22</text:p><text:p>km</text:p></table:table-cell></table:table-row></table:table>`, "Name | 22 km"},
		"ruby":                {`<text:p><text:ruby><text:ruby-base>氷</text:ruby-base><text:ruby-text>こおり</text:ruby-text></text:ruby></text:p>`, "氷"},
		"metadata in a line":  {`<text:p><text:meta>Ice</text:meta> melts.</text:p>`, "Ice melts."},
		"a formula":           {`<text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></text:p>`, "A=πr^2"},
	} {
		math := `<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mrow><mi>A</mi><mo>=</mo><mi>π</mi><msup><mi>r</mi><mn>2</mn></msup></mrow><annotation>A = %pi r^2</annotation></semantics></math>`
		body := open("text", c.body, map[string]string{"Object 1/content.xml": math})
		d, err := read(t, body)
		if got := strings.TrimSpace(d.Text); err != nil || got != c.want {
			t.Errorf("%s: got %q and %v, want %q", name, got, err, c.want)
		}
		if name == "a formula" {
			continue
		}
		flat := `<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.text"` + odfSpace + `><office:meta><dc:title>None</dc:title></office:meta><office:body><office:text>` + c.body + `</office:text></office:body></office:document>`
		if d, err := read(t, flat); err != nil || strings.TrimSpace(d.Text) != c.want {
			t.Errorf("%s, flat: got %q and %v, want %q", name, d.Text, err, c.want)
		}
	}
}

func TestODS(t *testing.T) {
	cell := func(attributes, text string) string {
		return `<table:table-cell ` + attributes + `><text:p>` + text + `</text:p></table:table-cell>`
	}
	row := func(cells ...string) string {
		return `<table:table-row>` + strings.Join(cells, "") + `</table:table-row>`
	}
	d, err := read(t, open("spreadsheet", `<table:table table:name="Ice 2021">`+
		row(cell("", "Name"), cell("", "Born"), cell("", "Size"))+
		row(cell("", "Anna"), cell(`office:value-type="date" office:date-value="1980-05-01"`, "1.5.80"), cell(`office:value-type="float" office:value="123456789012345"`, "1.23E+14"))+
		row(cell(`table:number-columns-repeated="2"`, ""), cell("", "7"))+
		row(cell(`table:number-columns-repeated="2"`, "x"))+
		`<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16000"/></table:table-row></table:table>`, nil))
	want := "## Ice 2021\n\nName: Anna; Born: 1980-05-01; Size: 123456789012345\n\n7\n\nName: x; Born: x"
	if err != nil || strings.TrimSpace(d.Text) != want {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
}

// TestODSWithoutTexts has cells whose program wrote values alone, and one that is made to show nothing.
func TestODSWithoutTexts(t *testing.T) {
	cell := func(attributes, text string) string {
		return `<table:table-cell ` + attributes + `>` + text + `</table:table-cell>`
	}
	d, err := read(t, open("spreadsheet", `<table:table table:name="Ice"><table:table-row>`+
		cell(`office:value-type="string" office:string-value="Aletsch"`, "")+cell(`office:value-type="float" office:value="81.7"`, "")+
		cell(`office:value-type="percentage" office:value="0.5"`, "")+cell(`office:value-type="boolean" office:boolean-value="true"`, "")+
		cell(`office:value-type="date" office:date-value="2026-01-31"`, "")+cell(`office:value-type="float" office:value="7"`, "<text:p/>")+cell("", "")+
		`</table:table-row></table:table>`, nil))
	const want = "## Ice\n\nAletsch; 81.7; 0.5; true; 2026-01-31"
	if err != nil || strings.TrimSpace(d.Text) != want {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
}

func TestODP(t *testing.T) {
	d, err := read(t, open("presentation", `<draw:page draw:name="p1"><draw:frame><draw:text-box><text:p>It melts.</text:p></draw:text-box></draw:frame>`+
		`<draw:frame presentation:class="title"><draw:text-box><text:p>Ice</text:p></draw:text-box></draw:frame>`+
		`<presentation:notes><draw:frame><draw:text-box><text:p>Slowly.</text:p></draw:text-box></draw:frame></presentation:notes></draw:page><draw:page><draw:frame><draw:text-box><text:p>Snow</text:p></draw:text-box></draw:frame></draw:page>`, nil))
	want := "## Slide 1: Ice\n\nIt melts.\n\nNotes: Slowly.\n\n## Slide 2\n\nSnow"
	if err != nil || strings.TrimSpace(d.Text) != want {
		t.Errorf("got %q and %v, want %q", d.Text, err, want)
	}
}

// TestODFKinds has templates, older names and encrypted documents.
func TestODFKinds(t *testing.T) {
	for kind, want := range map[string]corpus.ContentType{
		"application/vnd.oasis.opendocument.text-template": corpus.ContentODT, "application/vnd.sun.xml.calc": corpus.ContentODS,
		"application/vnd.oasis.opendocument.graphics": corpus.ContentODP, "application/x": "",
	} {
		got, err := NewReader().Recognise([]byte(archive(map[string]string{"mimetype": kind, odfBody: "<x/>"})), "a", "")
		if got != want || (want == "") != (kappa.ErrorCode(err) == kappa.CodeUnsupported) {
			t.Errorf("%s: got %q and %v", kind, got, err)
		}
	}
	refused(t, open("text", "", map[string]string{odfManifest: `<m:manifest xmlns:m="m"><m:file-entry m:full-path="content.xml"><m:encryption-data/></m:file-entry></m:manifest>`}), "encrypted: remove its password")
	refused(t, open("text", strings.Repeat("<text:p>", maxDepth), nil), "deeper than 200")
}

func FuzzODF(f *testing.F) {
	f.Add("text", `<text:p>a<text:note><text:note-body><text:p>b</text:p></text:note-body></text:note></text:p>`)
	f.Add("spreadsheet", `<table:table><table:table-row><table:table-cell><text:p>a</text:p></table:table-cell></table:table-row></table:table>`)
	f.Add("presentation", `<draw:page><presentation:notes><text:p>a</text:p></presentation:notes></draw:page>`)
	f.Fuzz(func(t *testing.T, kind, body string) {
		pages := "<office:document-styles" + odfSpace + "><office:master-styles><style:header>" + body + "</style:header></office:master-styles></office:document-styles>"
		fuzzed(t, archive(map[string]string{odfBody: "<office:" + kind + odfSpace + ">" + body + "</office:" + kind + ">", odfStyles: pages}), corpus.ContentODT)
	})
}

// TestODPFooter has a presentation whose slides name a footer, in an archive and in one file.
func TestODPFooter(t *testing.T) {
	const slides = `<presentation:header-decl presentation:name="hdr1">Glaciers</presentation:header-decl><presentation:footer-decl presentation:name="ftr1">Institute of Ice &amp; Snow</presentation:footer-decl>` +
		`<presentation:footer-decl presentation:name="ftr2"/><draw:page presentation:use-footer-name="ftr1"><draw:frame><draw:text-box><text:p>It melts.</text:p></draw:text-box></draw:frame></draw:page>` +
		`<draw:page presentation:use-footer-name="ftr1"><draw:frame><draw:text-box><text:p>It flows.</text:p></draw:text-box></draw:frame></draw:page>`
	const want = "## Slide 1\n\nIt melts.\n\n## Slide 2\n\nIt flows.\n\nGlaciers\n\nInstitute of Ice & Snow"
	flat := `<?xml version="1.0"?><office:document office:mimetype="application/vnd.oasis.opendocument.presentation"` + odfSpace + `><office:body><office:presentation>` + slides + `</office:presentation></office:body></office:document>`
	for name, body := range map[string]string{"an archive": open("presentation", slides, nil), "flat": flat} {
		d, err := read(t, body)
		if err != nil || strings.TrimSpace(d.Text) != want || d.Places[len(d.Places)-1].Section != corpus.SectionNotice {
			t.Errorf("%s: got %q (%v) and %v, want %q", name, d.Text, d.Places, err, want)
		}
	}
}
