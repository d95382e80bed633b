package words

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func texts(t Text) []string {
	var all []string
	for _, w := range t.Words {
		all = append(all, w.Text)
	}
	return all
}

func TestCut(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"plain words", "The quick brown fox", "the quick brown fox"},
		{"accents", "Beyoncé Łódź naïve Straße", "beyonce lodz naive strasse"},
		{"accents that are apart", "Beyonce\u0301", "beyonce"},
		{"wide letters", "ＡＢＣ １２", "abc 12"},
		{"'s", "Beyoncé's album, Spain’s king", "beyonce album spain king"},
		{"apostrophes", "l'eau d’or James' o'sullivan", "l eau d or james o sullivan"},
		{"joined", "kg-data max_jobs a/b example.com", "kg-data kg data max_jobs max jobs a/b a b example.com example com"},
		{"an address", "me@example.com", "me@example.com me example com"},
		{"humps", "maxJobs HTTPServer iPhone PhD PDFs getURLs", "maxjobs max jobs httpserver http server iphone phd pdfs geturls get urls"},
		{"numbers", "1,000,000 of 3.14 at 12:30, 5.", "1000000 of 3.14 at 12:30 5"},
		{"numbers that are no thousands", "1,00 1,0000 1234,567", "1,00 1,0000 1234,567"},
		{"dates", "2026-11-24", "2026-11-24 2026 11 24"},
		{"versions", "v1.2.3 1.2.3", "v1.2.3 v1 2.3 1.2.3"},
		{"languages of programs", "C++, C# and c", "c++ c c# c and c"},
		{"digits of Arabic", "٢٠٢٦", "2026"},
		{"Arabic", "مُحَمَّد أحمد", "محمد احمد"},
		{"Cyrillic", "Москва Ёлка", "москва елка"},
		{"Greek", "Ὀδυσσεύς", "οδυσσευσ"},
		{"Hindi keeps its marks", "हिन्दी", "हिन्दी"},
		{"Chinese", "我爱北京", "我 我爱 爱 爱北 北 北京 京"},
		{"Japanese", "東京タワー", "東 東京 京 京タ タワ ワー"},
		{"one kana", "ガ", "ガ"},
		{"half wide kana", "ｶﾞｽ", "ガス"},
		{"Korean", "한국어를 배워요", "한국어를 배워요"},
		{"Thai", "ภาษาไทย", "ภาษ าษา ษาไ าไท ไทย"},
		{"two of Thai", "ไท", "ไท"},
		{"soft hyphens", "ex\u00adam\u00adple", "example"},
		{"no words", "… — 🎉\ufe0f !", ""},
		{"not UTF-8", "a\xffb \xc3", "a b"},
		{"a number and Chinese", "2008年", "2008 年"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := strings.Join(texts(Cut(c.text, true)), " "); got != c.want {
				t.Errorf("Cut(%q) = %q, want %q", c.text, got, c.want)
			}
		})
	}
}

func TestStems(t *testing.T) {
	got := Cut("Running dogs' 1990s café max-jobs", true)
	var stems []string
	for _, w := range got.Words {
		stems = append(stems, w.Stem)
	}
	if want := "run dog 1990s cafe max-jobs max job"; strings.Join(stems, " ") != want {
		t.Errorf("stems %q, want %q", stems, want)
	}
	for _, w := range Cut("Running dogs", false).Words {
		if w.Stem != w.Text {
			t.Errorf("without English, the stem of %q is %q", w.Text, w.Stem)
		}
	}
}

func TestSentences(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"stops", "One two. Three! Four? Five", "one two|three|four|five"},
		{"a small letter", "one etc. two ... three", "one etc two three"},
		{"a title is no unit", "Ms. Smith waited 40 ms. Then she left.", "ms smith waited 40 ms|then she left"},
		{"initials and abbreviations", "J. R. Smith met Dr. Who, e.g. in Rome. Then left.", "j r smith met dr who e.g e g in rome|then left"},
		{"quotes", `He said "no." Then "yes!" too.`, "he said no|then yes too"},
		{"lines", "a line\nthat goes on\n\nnext", "a line that goes on|next"},
		{"lists", "first:\n- a b\n- c\n1. d", "first|a b|c|1 d"},
		{"tables", "| a | b |\n| c | d |", "a b|c d"},
		{"Chinese", "我。你", "我|你"},
		{"Hindi", "एक। दो", "एक|दो"},
	} {
		t.Run(c.name, func(t *testing.T) {
			cut := Cut(c.text, false)
			var got []string
			for i, from := range cut.Sentences {
				to := len(cut.Words)
				if i+1 < len(cut.Sentences) {
					to = cut.Sentences[i+1]
				}
				got = append(got, strings.Join(texts(Text{Words: cut.Words[from:to]}), " "))
			}
			if strings.Join(got, "|") != c.want {
				t.Errorf("sentences of %q = %q, want %q", c.text, got, c.want)
			}
		})
	}
}

func TestPrefixAndGrams(t *testing.T) {
	for text, want := range map[string]string{"": "", "abcd": "abcd", "abcdef": "abcde", "москва": "москв", "1234567": "1234567", "한국어를": "한국"} {
		if got := Prefix(text); got != want {
			t.Errorf("Prefix(%q) = %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string][]string{"": nil, "abc": {"abc"}, "abcd": {"abcd"}, "abcdef": {"abcd", "bcde", "cdef"}, "москва": {"моск", "оскв", "сква"}, "12345": {"12345"}} {
		if got := slices.Collect(Grams(text)); !slices.Equal(got, want) {
			t.Errorf("Grams(%q) = %q, want %q", text, got, want)
		}
	}
	for text, want := range map[string]bool{"": false, "a": false, "москва": false, "한국": false, "北京": true, "ガ": true, "ไทย": true} {
		if got := Unspaced(text); got != want {
			t.Errorf("Unspaced(%q) = %v", text, got)
		}
	}
	if !Function("the") || Function("then-some") || Function("kappa") {
		t.Error("function words are not told apart")
	}
}

func TestLongWords(t *testing.T) {
	cut := Cut(strings.Repeat("é", 100_000)+" end", true)
	if len(cut.Words) != 2 || len(cut.Words[0].Text) > longest || cut.Words[0].End != 200_000 {
		t.Errorf("a word of 100,000 letters became %d words", len(cut.Words))
	}
}

func FuzzCut(f *testing.F) {
	for _, seed := range []string{"The U.S. maxJobs 1,000 C++ don't", "我爱北京。ガｶﾞ", "ภาษาไทย ไท", "\xff\u00ad\u0301'", "a-b_c/d.e", "İıſK", "½²Ⅷ"} {
		f.Add(seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, english bool) {
		cut := Cut(text, english)
		start := 0
		for i, w := range cut.Words {
			switch {
			case w.Start < start || w.End <= w.Start || w.End > len(text):
				t.Fatalf("word %d of %q is at %d to %d, after one at %d", i, text, w.Start, w.End, start)
			case w.Text == "" || w.Stem == "" || !utf8.ValidString(w.Text):
				t.Fatalf("word %d of %q is %q, of stem %q", i, text, w.Text, w.Stem)
			case !utf8.ValidString(text[w.Start:w.End]):
				t.Fatalf("word %d of %q is cut inside a character", i, text)
			}
			if prefix := Prefix(w.Text); prefix == "" || !strings.HasPrefix(w.Text, prefix) {
				t.Fatalf("Prefix(%q) = %q", w.Text, prefix)
			}
			for gram := range Grams(w.Text) {
				if gram == "" || !strings.Contains(w.Text, gram) {
					t.Fatalf("Grams(%q) has %q", w.Text, gram)
				}
			}
			if i > 0 && !strings.Contains(text[cut.Words[i-1].Start:], text[w.Start:w.End]) {
				t.Fatalf("word %d of %q is before the one before it", i, text)
			}
		}
		last := -1
		for _, s := range cut.Sentences {
			if s <= last || s >= len(cut.Words) {
				t.Fatalf("sentences of %q begin at %d, of %d words", text, cut.Sentences, len(cut.Words))
			}
			last = s
		}
		if len(cut.Words) > 0 && (len(cut.Sentences) == 0 || cut.Sentences[0] != 0) {
			t.Fatalf("the first sentence of %q begins at %d", text, cut.Sentences)
		}
	})
}

func BenchmarkCut(b *testing.B) {
	for _, c := range []struct {
		name, text string
		english    bool
	}{
		{"English", strings.Repeat("The Normans were the people who in the 10th and 11th centuries gave their name to Normandy, a region in France. ", 100), true},
		{"Russian", strings.Repeat("Норманны были народом, который в X и XI веках дал своё имя Нормандии, области во Франции. ", 100), false},
		{"Chinese", strings.Repeat("诺曼人在10世纪和11世纪将其名字命名为诺曼底。", 100), false},
	} {
		b.Run(c.name, func(b *testing.B) {
			n := 0
			b.ReportAllocs()
			for b.Loop() {
				n += len(Cut(c.text, c.english).Words)
			}
			b.ReportMetric(float64(n)/b.Elapsed().Seconds()/1e6, "Mwords/s")
		})
	}
}
