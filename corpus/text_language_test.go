package corpus_test

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus"
)

// samples are the beginning of a report about glaciers in some languages.
var samples = map[string]string{
	"English":    "A glacier is a river of ice that moves under its own weight. When the snow of many winters is pressed together, it becomes ice, and the ice begins to flow into the valley.",
	"German":     "Ein Gletscher ist ein Strom aus Eis, der sich unter seinem eigenen Gewicht bewegt. Wenn der Schnee vieler Winter gepresst wird, entsteht Eis, und das Eis fließt in das Tal.",
	"French":     "Un glacier est une rivière de glace qui se déplace sous son propre poids. Lorsque la neige de nombreux hivers est comprimée, elle devient de la glace, et la glace coule dans la vallée.",
	"Spanish":    "Un glaciar es un río de hielo que se mueve por su propio peso. Cuando la nieve de muchos inviernos se comprime, se convierte en hielo, y el hielo fluye hacia el valle con los años.",
	"Dutch":      "Een gletsjer is een rivier van ijs die door zijn eigen gewicht beweegt. Als de sneeuw van vele winters wordt samengeperst, dan wordt het ijs, en het ijs stroomt naar het dal.",
	"Swedish":    "En glaciär är en flod av is som rör sig under sin egen tyngd. När snön från många vintrar pressas samman blir det is, och isen börjar att flyta ned i dalen efter en tid.",
	"Polish":     "Lodowiec to rzeka lodu, która porusza się pod własnym ciężarem. Gdy śnieg z wielu zim jest ściskany, to staje się lodem, a lód nie stoi w miejscu i płynie do doliny.",
	"Russian":    "Ледник — это река льда, которая движется под своим весом. Когда снег многих зим сжимается, он становится льдом, и лёд течёт в долину, но не так быстро, как вода из реки.",
	"Japanese":   "ひょうがは、じぶんのおもさでうごくこおりのかわです。ながいねんげつをかけてゆきがかたまり、こおりになります。",
	"Vietnamese": "Sông băng là một dòng sông của băng được hình thành từ tuyết và không ngừng chảy về thung lũng khi có đủ trọng lượng, như các nhà khoa học đã viết trong sách cho người đọc.",
}

func TestLanguageOf(t *testing.T) {
	for name, text := range samples {
		for _, text := range []string{text, strings.Repeat(text+"\n", 1000)} {
			l := corpus.LanguageOf(text)
			if l.Name != name || l.Foreign() != (name != "English") {
				t.Errorf("%s: got %+v", name, l)
			}
		}
	}
	for name, text := range map[string]string{
		"too short": "Ein Gletscher ist ein Strom.", "names": strings.Repeat("Aletsch Gorner Fiesch Unteraar Oberaar ", 20), "nothing": "", "numbers": "1 2 3 4",
		"code": strings.Repeat("func read body error return nil err ", 20),
	} {
		if l := corpus.LanguageOf(text); l.Name != "" || l.Foreign() {
			t.Errorf("%s: got %+v", name, l)
		}
	}
	if l := corpus.LanguageOf("冰川是由雪形成的冰河"); l.Script != "Han" || !l.Foreign() {
		t.Errorf("got %+v", l)
	}
	if l := corpus.LanguageOf(samples["English"]); l.English < 0.3 || l.Share != l.English || l.Script != "Latin" {
		t.Errorf("got %+v", l)
	}
	if l := corpus.LanguageOf(samples["German"]); l.English > 0.1 {
		t.Errorf("got %+v", l)
	}
}

// TestLikelyByLetters wants the likeliest language of a short text whose letters tell.
func TestLikelyByLetters(t *testing.T) {
	for text, want := range map[string]string{
		"Москва — столица России, крупный город.": "ru", "Київ є містом.": "uk", "القاهرة عاصمة مصر": "ar", "پایتخت ایران": "fa", "Рим": "", "A city": "", "": "",
	} {
		if l := corpus.LanguageOf(text); l.Likely != want || l.Name != "" {
			t.Errorf("%q: %+v, want %q", text, l, want)
		}
	}
}
