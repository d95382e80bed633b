package naming

import "testing"

func TestSoundsLike(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{"Moscow", "Москва", true},
		{"Vladimir Putin", "Владимир Путин", true},
		{"Tchaikovsky", "Чайковский", true},
		{"Chekhov", "Чехов", true},
		{"Dostoevsky", "Достоевский", true},
		{"Gorbachev", "Горбачёв", true},
		{"Tolstoy", "Толстой", true},
		{"Socrates", "Σωκράτης", true},
		{"Thessaloniki", "Θεσσαλονίκη", true},
		{"Muhammad", "محمد", true},
		{"Tbilisi", "თბილისი", true},
		{"Сократ", "Σωκράτ", true},
		{"Jerusalem", "Москва", false},
		{"Moscow", "Минск", false},
		{"Moscow", "Moscow", false}, // one script
		{"milk", "Молоко", false},   // no name
		{"Mlk", "Молоко", false},    // the vowels are missing
		{"Room", "Рим", false},      // too short
		{"Beijing", "北京", false},    // no alphabet
		{"Мoscow", "Moscow", false}, // two scripts in one
		{"", "Москва", false},
	} {
		a, okA := Spell(c.a)
		b, okB := Spell(c.b)
		if got := okA && okB && a.SoundsLike(b) && b.SoundsLike(a); got != c.want {
			t.Errorf("%q %+v and %q %+v: %v", c.a, a, c.b, b, got)
		}
	}
}

func FuzzSpell(f *testing.F) {
	f.Add("Москва")
	f.Add("O’Brien 7")
	f.Fuzz(func(t *testing.T, name string) {
		if s, ok := Spell(name); ok && (s.Sounds == "" || s.Script == "" || s.SoundsLike(s)) {
			t.Errorf("%q: %+v", name, s)
		}
	})
}
