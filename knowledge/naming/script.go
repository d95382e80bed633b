package naming

import (
	"strings"
	"unicode"
)

// Spelling is a name as it is compared with names in other scripts.
type Spelling struct {
	// Sounds are its consonants, word by word: what is one name in two scripts has the same.
	Sounds string
	// Script is what it is written in: Latin, Cyrillic …
	Script string

	letters string // in Latin ones
	vowels  bool   // its script writes them
}

const (
	// leastSounds is how many consonants a name has at least: with fewer, words sound alike by chance.
	leastSounds = 3
	// mostLetters bounds what is compared.
	mostLetters = 100
)

// Spell reads a name. ok is false for what is no name by its capital, where its script has them, for
// scripts without an alphabet, for more than one script, and for what is too short to be told by its
// sound.
func Spell(name string) (s Spelling, ok bool) {
	if len(name) > mostLetters || !isCapital(name) {
		return s, false
	}
	var letters strings.Builder
	script, vowels := "", true
	for _, r := range strings.ToLower(name) {
		if !unicode.IsLetter(r) {
			if !unicode.IsMark(r) && r != '\'' && r != '’' {
				letters.WriteByte(' ')
			}
			continue
		}
		own := alphabetOf(r)
		if own == "" || script != "" && own != script {
			return s, false
		}
		script = own
		latin, known := latinLetters[r]
		switch {
		case known:
			letters.WriteString(latin)
		case own == latinScript:
			letters.WriteRune(r)
		}
		vowels = vowels && own != "Hebrew" && own != "Arabic"
	}
	s = Spelling{Script: script, letters: oneLetter(letters.String()), vowels: vowels}
	s.Sounds = consonants(s.letters)
	return s, len(strings.ReplaceAll(s.Sounds, " ", "")) >= leastSounds
}

// SoundsLike reports whether two names in different scripts may be one: their consonants are the same,
// and, where both scripts write vowels, few of these are others.
func (s Spelling) SoundsLike(o Spelling) bool {
	if s.Sounds != o.Sounds || s.Script == o.Script {
		return false
	}
	const of = 5 // letters, of which two may differ
	return !s.vowels || !o.vowels || of*EditDistance(s.letters, o.letters) <= 2*max(len(s.letters), len(o.letters))
}

// isCapital reports whether a text begins as a name does. Scripts without capitals say nothing, and
// Georgian has some that nobody begins a name with.
func isCapital(text string) bool {
	for _, r := range text {
		return unicode.IsLetter(r) && (!unicode.IsLower(r) || unicode.Is(unicode.Georgian, r))
	}
	return false
}

const latinScript = "Latin"

// alphabetOf names the script of a letter; "" for one that is not read.
func alphabetOf(r rune) string {
	for _, s := range []struct {
		name  string
		table *unicode.RangeTable
	}{
		{latinScript, unicode.Latin},
		{"Cyrillic", unicode.Cyrillic},
		{"Greek", unicode.Greek},
		{"Arabic", unicode.Arabic},
		{"Hebrew", unicode.Hebrew},
		{"Georgian", unicode.Georgian},
		{"Armenian", unicode.Armenian},
	} {
		if unicode.Is(s.table, r) {
			return s.name
		}
	}
	return ""
}

// spelled are ways to write one sound, each as one letter: longer ones come first.
var spelled = strings.NewReplacer(
	"tch", "č", "tsch", "č", "sch", "š", "ch", "č", "sh", "š", "zh", "ž", "kh", "k", "gh", "g", "ph", "f", "th", "t", "ck", "k", "qu", "kv", "cz", "č", "dz", "z",
	"tz", "ts", "ce", "se", "ci", "si", "cy", "si", "c", "k", "q", "k", "x", "ks", "w", "v", "j", "y",
)

// oneLetter writes letters as other languages would: twice the same as one, and one for each sound.
func oneLetter(letters string) string {
	var once strings.Builder
	last := rune(0)
	for _, r := range strings.Join(strings.Fields(letters), " ") {
		if r != last {
			once.WriteRune(r)
		}
		last = r
	}
	return spelled.Replace(once.String())
}

// consonants leaves the vowels out, with what is heard as one in some languages.
func consonants(letters string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("aeiouyh", r) {
			return -1
		}
		return r
	}, letters)
}
