package formats

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
)

// rich returns rich text with this body, in the fonts f0 to f3: Western, Cyrillic, Japanese and
// of symbols.
func rich(body string) string {
	return `{\rtf1\ansi\ansicpg1252\uc1{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset204 Times Cyr;}{\f2\fcharset128 Mincho;}{\f3\fcharset2 Symbol;}}` +
		`{\stylesheet{\s0 Normal;}{\s1\outlinelevel0 heading 1;}{\s7\outlinelevel1 Abschnitt;}}{\info{\title Hidden}}{\*\generator None;}\f0 ` + body + "}"
}

func TestRTF(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"paragraphs":              {`Ice melts.\par Snow\line falls.\par`, "Ice melts.\n\nSnow falls."},
		"headings":                {`\pard\s1 Ice\par\pard\s7 Melting\par\pard It melts.`, "# Ice\n\n## Melting\n\nIt melts."},
		"numbers of headings":     {`\pard\s1{\listtext Chapter 1\tab}Ice\par\pard{\listtext 1.\tab}Snow\par`, "# Chapter 1 Ice\n\n- Snow"},
		"numbers before them":     {`\pard\s1 A\par{\listtext\loch\f0 1 \'a7\tab}\pard\plain\s7 Ice{\footnote\pard n\par}\par{\listtext 2\tab}\pard\s1\par{\pntext\bullet}\pard\s1 Fog\par{\listtext 3\tab}\pard Sea`, "# A\n\n## 1 § Ice\n\nFootnote: n\n\n# Fog\n\nSea"},
		"characters":              {`caf\'e9 \{a\} 5\~km co\-op semi\_dry \endash  \ldblquote a\rdblquote`, "café {a} 5 km coop semi-dry – “a”"},
		"Unicode":                 {`\u1083?\u1105?\u1076? \u-10179?\u-8704? {\uc2\u233\'c3\'a9}x {\uc0\u233}y`, "лёд 😀 éx éy"},
		"a font of Cyrillic":      {`\f1\'eb\'b8\'e4\f0  ice`, "лёд ice"},
		"a font of Japanese":      {`{\f2\'95\'58\'8d\'c0}`, "氷座"},
		"a font of symbols":       {`{\f3 a}{\u-3913?} x`, "α• x"},
		"a table":                 {`\trowd\cellx1\cellx2\pard\intbl Name\cell\cell Length\cell\row\trowd\pard\intbl Aletsch\par glacier\cell CH\cell 22 km\cell\row\pard After.`, "Name |  | Length\n\nAletsch glacier | CH | 22 km\n\nAfter."},
		"a list":                  {`{\listtext\bullet\tab}Ice\par\pard{\pntext 1.\tab}Snow\par\pard Fog`, "- Ice\n\n- Snow\n\nFog"},
		"a footnote":              {`Ice{\footnote\pard\plain It is {\i cold}.} melts.\par Fog{\footnote\ftnalt Wet.}.`, "Ice melts.\n\nFootnote: It is cold.\n\nFog.\n\nEndnote: Wet."},
		"a comment":               {`Ice{\*\atnid AB}{\*\atnauthor Anna}{\*\annotation{\*\atndate 1}Really?} melts.`, "Ice melts.\n\nComment (Anna): Really?"},
		"a text box":              {`Ice{\shp{\*\shpinst{\sp{\sn a}{\sv b}}{\shptxt Cold.\par}}{\shprslt{\*\do{\dptxbxtext Cold.}}}} melts.`, "Ice melts.\n\nCold."},
		"what was deleted":        {`Ice {\deleted boils}{\revised melts}.`, "Ice melts."},
		"a field":                 {`See {\field{\*\fldinst HYPERLINK "x"}{\fldrslt the page}}.`, "See the page."},
		"pictures and data":       {"a{\\pict\\pngblip 89504e47}{\\*\\objdata 0105}{\\*\\unknown x}\\bin3 }}}b", "ab"},
		"headers and footers":     {`{\header Report\par}{\footerl Report\par Page 3 of 4\par}{\footerf 3\par}Ice{\footnote{\header none}It is cold.}.`, "Ice.\n\nFootnote: It is cold.\n\nReport\n\nPage 3 of 4"},
		"a formula":               {`Loss {\mmath{\*\moMath{\mf{\mfPr{\mctrlPr x}{\mtype bar}}{\mnum{\mr a+b}}{\mden{\mr\mscr0 c}}}{\mr =}{\mnary{\mnaryPr{\mchr\u8721?}{\mlimLoc subSup}}{\msub{\mr i=1}}{\msup{\mr n}}{\me{\msSup{\me{\mr x}}{\msup{\mr 2}}}}}}} grows.`, "Loss (a+b)/c=∑_(i=1)^n x^2 grows."},
		"an open formula":         {`Loss {\*\moMath{\mf{\mnum{\mr a`, "Loss a/"},
		"Unicode beside its like": {`{\upr{old}{\*\ud{n\u233?w}}}`, "néw"},
		"an open group":           {`Ice {\b melts`, "Ice melts"},
	} {
		d, err := read(t, rich(c.body))
		if got := strings.TrimSpace(d.Text); err != nil || got != c.want {
			t.Errorf("%s: got %q and %v, want %q", name, got, err, c.want)
		}
	}
	if d, err := read(t, rich(`Ice {\b melts`)); err != nil || len(d.Warnings) != 1 || !strings.Contains(d.Warnings[0], "cut short") {
		t.Errorf("an open group: warned %q, %v", d.Warnings, err)
	}
	refused(t, rich(strings.Repeat("{", maxRTFGroups+1)), "deeper than 2000")
	refused(t, rich(""), "no text")
}

func FuzzRTF(f *testing.F) {
	f.Add(`Ice{\footnote a\par}\u1083?\'e9\trowd\intbl a\cell\row`)
	f.Add(`\cell\row}}}{\*\annotation x\bin5`)
	f.Add(`{\header Ice{\footnote a}}{\*\moMath{\mf{\mnum{\mr a}}{\mden{\mnary{\mnaryPr{\mchr x}}}}}}`)
	f.Add(`{\field{\*\fldinst SYMBOL 97 \\f "Symbol"}{\fldrslt a}}10{\super 2}`)
	f.Fuzz(func(t *testing.T, body string) { fuzzed(t, rich(body), corpus.ContentRTF) })
}

// fuzzed reads a document, which ends in a text that can be stored or in a refusal.
func fuzzed(t *testing.T, body string, format corpus.ContentType) {
	t.Helper()
	d, err := NewReader().Text(t.Context(), []byte(body), format)
	if err != nil && kappa.ErrorCode(err) != kappa.CodeMalformed {
		t.Errorf("unexpected error %v", err)
	}
	if err != nil && strings.Contains(err.Error(), "panic") {
		t.Errorf("it panicked: %v", err)
	}
	if err == nil && invalidOffset([]byte(d.Text)) >= 0 {
		t.Errorf("got %q", d.Text)
	}
}
