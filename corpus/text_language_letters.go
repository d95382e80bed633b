package corpus

import "strings"

// letters tell the languages of a script apart where the words do not, as in a short text: the
// first language of which a letter is there.
var letters = map[string][]struct{ code, of string }{
	"Cyrillic": {{"uk", "єїґЄЇҐ"}, {"be", "ўЎ"}, {"mk", "ѓќѕ"}, {"sr", "ћђџљњј"}, {"kk", "әңғұқһ"}, {"ru", "ыэёЫЭЁ"}},
	"Arabic":   {{"ur", "ٹڈڑںے"}, {"fa", "پچژگکی"}, {"ar", "ةىيكأإ"}},
}

// byLetters returns the likeliest language of a text in a script; "" when no letter tells.
func byLetters(script, text string) string {
	for _, l := range letters[script] {
		if strings.ContainsAny(text, l.of) {
			return l.code
		}
	}
	return ""
}
