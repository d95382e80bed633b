package corpus

import "testing"

func TestEnglishQuestion(t *testing.T) {
	for text, want := range map[string]bool{
		"How many points did the Panthers defense give up?": true,
		"Why does unemployment harm growth?":                true,
		"What was the café in Montréal called?":             true,
		"Debian 2.0": true, // it may be in any
		"":           true,
		"Wie viele Punkte gab die Verteidigung der Panthers ab?":      false,
		"Was hat Lady Gaga gesungen?":                                 false,
		"Wer gewann Super Bowl XLVIII?":                               false,
		"¿Cuántos balones interceptó Josh Norman?":                    false,
		"A quoi sert le protocole?":                                   false,
		"黑豹队的防守丢了多少分？":                                                false,
		"Кто написал это?":                                            false,
		"Dünyanın en büyük şehri hangisidir ve nerede bulunmaktadır?": false,
		"Người Norman đã đến nước Anh khi nào?":                       false,
		"พรรคใดชนะการเลือกตั้ง":                                       false,
	} {
		if got := EnglishQuestion(text); got != want {
			t.Errorf("EnglishQuestion(%q) = %v, want %v", text, got, want)
		}
	}
}
