package answers

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestAsking(t *testing.T) {
	for question, want := range map[string]string{
		"In welchem Stadion fand der Super Bowl statt?": "der in welchem", "Wann wurde Warschau Hauptstadt?": "wann wurde", "¿Dónde está la capital?": "dónde la", "Où est la capitale ?": "est la où",
		"Когда построен Московский Кремль?": "когда", "أين تقع القاهرة؟": "أين", "What did the man with the hat die of in the war?": "", "": "", "comment on this": "",
	} {
		asking := Asking(question)
		maps.DeleteFunc(asking, func(_ string, asks bool) bool { return !asks })
		if got := strings.Join(slices.Sorted(maps.Keys(asking)), " "); got != want {
			t.Errorf("%s: %q, want %q", question, got, want)
		}
	}
}
