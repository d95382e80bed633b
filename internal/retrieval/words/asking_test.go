package words_test

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/retrieval/words"
)

// TestAsking has questions in many languages, and what is left of them without what only asks.
func TestAsking(t *testing.T) {
	for question, want := range map[string]string{
		"¿Qué es la fotosíntesis y cuándo se descubrió?": "es la fotosintesis y se descubrio",
		"Wer war Kim, und welche Partei führte er?":      "war kim und partei fuhrte er",
		"Was ist Wie?":                       "ist wie", // a name
		"Quelle est la capitale du Brésil ?": "est la capitale du bresil",
		"Сколько человек живёт в городе?":     "человек живет в городе",
		"Что такое фотосинтез?":               "фотосинтез",
		"Що таке фотосинтез?":                 "фотосинтез",
		"ما هي عاصمة مصر؟":                    "عاصمه مصر",
		"מהי בירת צרפת?":                      "בירת צרפת",
		"Qu'est-ce que la neige ?":            "est la neige",
		"Πότε πέθανε ο Αριστοτέλης;":          "πεθανε ο αριστοτελησ",
		"Có bao nhiêu người ở đầu thành phố?": "co bao nguoi o dau thanh pho", // đầu is a head, đâu is where
		"대통령은 누구였습니까?":                        "대통령은",
		"भारत की राजधानी क्या है?":            "भारत की राजधानी है",
		"WHO nedir?":                             "who", // it is no question word in capitals
		"谁发明了电话":                                 "发 发明 明 明了 了 了电 电 电话 话",
		"几何是什么":                                  "几 几何 何 何是 是",
		"電話は誰が発明しましたか":                           "電 電話 話 話は が発 発 発明 明 明し",
		"ใครเป็นนายก":                            "เป็ ป็น ็นน นนา นาย ายก",
		"what does the parser do":                "the parser",
		"¿Cuánto mide el que está en el almacén": "mide el esta en el almacen",
	} {
		asking := words.NewAsking(question)
		var left []string
		for _, w := range words.Cut(question, false).Words {
			if !asking.Has(w) {
				left = append(left, w.Text)
			}
		}
		if got := strings.Join(left, " "); got != want {
			t.Errorf("%s: %q is left, want %q", question, got, want)
		}
	}
}
