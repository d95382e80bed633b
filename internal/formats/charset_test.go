package formats

import (
	"strings"
	"testing"

	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"

	"github.com/kappagraph/kappa/corpus"
)

const (
	russian  = "Ледник - это река льда, которая движется под собственным весом. Он образуется там, где снега выпадает больше, чем тает, и снег становится льдом, а не водой."
	czech    = "Ledovec je řeka ledu, která se pohybuje vlastní vahou. Vzniká tam, kde sněhu napadne více, než kolik ho roztaje, a sníh se tak po letech stane ledem; není to však jen voda, jak by se mohlo zdát."
	japans   = "氷河とは、自分の重さで動く氷の川のことである。雪が解けるよりも多く降るところにできる。"
	chinese  = "冰川是在自己的重量下移动的冰的河流。它在下的雪比融化的多的地方形成，这样雪就成为了冰。"
	koreans  = "빙하는 자신의 무게로 움직이는 얼음의 강이다. 눈이 녹는 것보다 더 많이 내리는 곳에서 만들어진다."
	hellenic = "Ο παγετώνας είναι ένα ποτάμι πάγου που κινείται με το βάρος του και σχηματίζεται εκεί όπου πέφτει περισσότερο χιόνι."
)

// TestCharsets reads texts in the encodings of other languages, each of which is certain.
func TestCharsets(t *testing.T) {
	for name, text := range map[string]string{
		"WINDOWS-1251": russian, "KOI8-R": russian, "ISO-8859-5": russian, "CP866": russian, "WINDOWS-1250": czech, "ISO-8859-2": czech,
		"EUC-JP": japans, "SHIFT_JIS": japans, "GB18030": chinese, "EUC-KR": koreans, "WINDOWS-1253": hellenic,
	} {
		for _, c := range textEncodings {
			if c.name != name {
				continue
			}
			body, err := c.from.NewEncoder().String(text)
			if err != nil {
				t.Fatal(err)
			}
			d, err := read(t, body)
			if err != nil || d.Text != text || len(d.Warnings) != 1 || !strings.HasPrefix(d.Warnings[0], "Read as "+name+": ") {
				t.Errorf("%s: got %.200q with %q and %v", name, d.Text, d.Warnings, err)
			}
		}
	}
}

// TestEscapes reads texts whose characters stand between escapes.
func TestEscapes(t *testing.T) {
	body, err := japanese.ISO2022JP.NewEncoder().String(japans)
	if err != nil {
		t.Fatal(err)
	}
	if d, err := read(t, body); err != nil || d.Text != japans {
		t.Errorf("got %q and %v", d.Text, err)
	}
	eight, err := korean.EUCKR.NewEncoder().String("얼음")
	if err != nil {
		t.Fatal(err)
	}
	seven := "\x1b$)C\n\x0e"
	for _, b := range []byte(eight) {
		seven += string(rune(b & 0x7f))
	}
	if d, err := read(t, seven+"\x0f melts"); err != nil || strings.TrimSpace(d.Text) != "얼음 melts" {
		t.Errorf("got %q and %v", d.Text, err)
	}
}

// TestCharsetAdvice names the likely encoding where a text is too short to be certain.
func TestCharsetAdvice(t *testing.T) {
	for _, c := range []struct{ body, advice string }{
		{"\xcb\xe5\xe4\xed\xe8\xea \xe8 \xe2\xee\xe4\xe0 \xed\xe0 \xe3\xee\xf0\xe5", "iconv -f WINDOWS-1251 "},
		{"Water boils caf\xe9 here", "iconv -f WINDOWS-1252 "},
	} {
		if _, err := NewReader().Recognise([]byte(c.body), "", ""); err == nil || !strings.Contains(err.Error(), c.advice) {
			t.Errorf("%q: got %v, want %s", c.body, err, c.advice)
		}
	}
	short, err := simplifiedchinese.GB18030.NewEncoder().String("这是在我的国家")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewReader().Recognise([]byte(short), "", ""); err == nil || !strings.Contains(err.Error(), "iconv -f GB18030") {
		t.Errorf("Chinese: got %v", err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, seed := range []string{"\x1b$B", "\x1b$)C\x0ea", "\xcb\xe5\xe4", "caf\xe9", "\xff\xfe"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		text, _, err := decode(body)
		if err == nil && (invalidOffset(text) >= 0 || len(text) > 4*len(body)) {
			t.Errorf("%q became %q", body, text)
		}
		checkRead(t, corpus.DocumentText{Text: string(text), Markup: corpus.ContentPlain}, err)
	})
}
