package keyterms_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/extract/keyterms"
	"github.com/kappagraph/kappa/knowledge"
	"github.com/kappagraph/kappa/knowledge/vocabulary"
)

// texts are a few sentences about a university, in each language.
var texts = map[string]string{
	"es": "La Universidad de Chile fue fundada en 1842. En la biblioteca de la Universidad de Chile trabaja Andrés Bello. El sistema de votación de la asamblea cambió en 1900, y el sistema de votación duró mucho. " +
		"Andrés Bello escribió una gramática. La gramática es conocida; una gramática, decía, es un arte.",
	"de": "Die Universität Wien wurde 1365 gegründet. An der Universität Wien lehrte Erwin Schrödinger. Die Bibliothek der Stadt ist alt, und eine Bibliothek braucht Bücher. Erwin Schrödinger fand eine Gleichung. " +
		"Die Gleichung beschreibt ein Teilchen, und jede Gleichung hat eine Lösung.",
	"ru": "Московский университет основан в 1755 году. Ректором был Михаил Ломоносов. В Москве Михаил Ломоносов построил лабораторию. Эта лаборатория была первой, и в лаборатории работали ученики.",
	"zh": "北京大学创建于1898年。蔡元培担任北京大学校长。后来鲁迅在北京大学任教，写了《狂人日记》。蔡元培主张学术自由。学者认为学术自由很重要，而学术自由需要制度。人们记得蔡元培。",
	"ja": "東京大学は1877年に設立された。夏目漱石は東京大学で学び、アインシュタインは東京大学を訪れた。アインシュタインの講演は有名である。",
	"th": "จุฬาลงกรณ์มหาวิทยาลัยก่อตั้งในปี 2460 นักศึกษาของจุฬาลงกรณ์มหาวิทยาลัยมีจำนวนมาก และจุฬาลงกรณ์มหาวิทยาลัย ตั้งอยู่ในกรุงเทพ",
	"hi": "दिल्ली विश्वविद्यालय की स्थापना 1922 में हुई। दिल्ली विश्वविद्यालय में कई महाविद्यालय हैं। छात्र दिल्ली विश्वविद्यालय के पुस्तकालय में पढ़ते हैं।",
	"ar": "تأسست جامعة القاهرة عام 1908. تقع جامعة القاهرة في الجيزة. درس نجيب محفوظ في جامعة القاهرة وكتب روايات.",
}

func extract(t *testing.T, language, text string, kind corpus.ContentType) knowledge.Extraction {
	t.Helper()
	e, err := keyterms.Extractor{}.Extract(t.Context(), knowledge.Passage{Text: text, Language: language, ContentType: kind})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func labels(e knowledge.Extraction) (list []string) {
	for _, c := range e.Concepts {
		list = append(list, c.Label)
	}
	return list
}

func TestTerms(t *testing.T) {
	for language, c := range map[string]struct {
		want []string
		not  []string
	}{
		"es": {[]string{"Universidad de Chile", "Andrés Bello", "sistema de votación", "gramática"}, []string{"La", "El", "En", "La Universidad de Chile"}},
		"de": {[]string{"Universität Wien", "Erwin Schrödinger", "Bibliothek", "Gleichung"}, []string{"Die", "An", "Die Universität Wien", "Die Gleichung"}},
		"ru": {[]string{"Михаил Ломоносов"}, []string{"В", "Эта", "В Москве Михаил Ломоносов"}},
		"zh": {[]string{"北京大学", "蔡元培", "学术自由", "狂人日记"}, []string{"在北京大学", "学术自", "术自由"}},
		"ja": {[]string{"東京大学", "アインシュタイン"}, []string{"は東京大学", "シュタイン"}},
		"th": {[]string{"จุฬาลงกรณ์มหาวิทยาลัย"}, nil},
		"hi": {[]string{"दिल्ली विश्वविद्यालय"}, []string{"में", "की"}},
		"ar": {[]string{"جامعة القاهرة"}, []string{"في"}},
	} {
		e := extract(t, language, texts[language], corpus.ContentPlain)
		got := labels(e)
		for _, w := range c.want {
			if !slices.Contains(got, w) {
				t.Errorf("%s: %q lacks %q", language, got, w)
			}
		}
		for _, w := range c.not {
			if slices.Contains(got, w) {
				t.Errorf("%s: %q has %q", language, got, w)
			}
		}
	}
}

// TestExtractorKeepsItsWord says of all texts what every extractor promises.
func TestExtractorKeepsItsWord(t *testing.T) {
	all := ""
	for _, text := range texts {
		all += text + "\n\n"
	}
	hostile := []string{"", " ", "\n\n\n", "...", "a", "Ä", "###", "](", "](x", "<a", "```\nX\n", strings.Repeat("Ab ", 3000), strings.Repeat("北京", 5000), strings.Repeat("\xff\xfe", 50), "É" + strings.Repeat("é", 5000) + " Z", "· ·· A·", "A'", "l'"}
	for _, text := range append(hostile, all, strings.Repeat(all, 10)) {
		e := extract(t, "und", text, corpus.ContentMarkdown)
		if len(e.Concepts) > 20 {
			t.Errorf("%d concepts", len(e.Concepts))
		}
		keys, quoted := map[string]bool{}, map[string]bool{}
		for _, c := range e.Concepts {
			if c.Label == "" || keys[c.Key] || c.Weight <= 0 {
				t.Errorf("concept %+v", c)
			}
			keys[c.Key] = true
		}
		shown := map[string]bool{}
		for _, i := range e.Instances {
			if !keys[i.Concept] || text[i.Span.Start:i.Span.End] != i.Quote || i.Quote == "" || len(i.Quote) > 1000 || quoted[fmt.Sprint(i.Concept, i.Span)] {
				t.Errorf("instance %+v", i)
			}
			shown[i.Concept], quoted[fmt.Sprint(i.Concept, i.Span)] = true, true
		}
		for _, c := range e.Concepts {
			if !shown[c.Key] {
				t.Errorf("nothing shows %q", c.Label)
			}
		}
		for _, r := range e.Relationships {
			if !keys[r.From] || !keys[r.To] || r.From == r.To || r.Type != vocabulary.TypeRelatedTo || text[r.Span.Start:r.Span.End] != r.Quote ||
				r.Marks.From.End > len(r.Quote) || r.Marks.To.End > len(r.Quote) || r.Confidence > 0.5 {
				t.Errorf("relationship %+v", r)
			}
		}
		if again := extract(t, "und", text, corpus.ContentMarkdown); fmt.Sprint(again) != fmt.Sprint(e) {
			t.Error("another time it says something else")
		}
	}
}

// TestRelated relates terms of one sentence, and says in which they stand.
func TestRelated(t *testing.T) {
	e := extract(t, "de", texts["de"], corpus.ContentPlain)
	for _, r := range e.Relationships {
		if strings.Contains(r.Quote, "lehrte Erwin Schrödinger") {
			from, to := r.Quote[r.Marks.From.Start:r.Marks.From.End], r.Quote[r.Marks.To.Start:r.Marks.To.End]
			if r.Quote != "An der Universität Wien lehrte Erwin Schrödinger." || from == to || r.Confidence >= vocabulary.LeastRelated {
				t.Errorf("%q relates %q and %q with %v", r.Quote, from, to, r.Confidence)
			}
			return
		}
	}
	t.Errorf("not related: %+v", e.Relationships)
}

func TestMarkdownIsNoText(t *testing.T) {
	text := "# Bibliothek\n\nDie [Universität Wien](https://Universität-Wien.example/Aula) ist alt.\n\n```\nAula Aula Aula\n```\n\nDie Universität Wien ist groß: https://Aula.example/Aula und <b>Aula</b>.\n"
	if got := labels(extract(t, "de", text, corpus.ContentMarkdown)); !slices.Contains(got, "Universität Wien") || slices.ContainsFunc(got, func(l string) bool { return strings.Contains(l, "Aula") }) {
		t.Errorf("got %q", got)
	}
}

// TestShowTerms prints what is found in the files of KEYTERMS_SHOW, for who changes a rule.
func TestShowTerms(t *testing.T) {
	for f := range strings.FieldsSeq(os.Getenv("KEYTERMS_SHOW")) {
		body, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		t.Log(f, strings.Join(labels(extract(t, corpus.LanguageOf(string(body)).Code, string(body), corpus.ContentPlain)), "; "))
	}
}
