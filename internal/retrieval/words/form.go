package words

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/kljensen/snowball/english"
	"golang.org/x/text/unicode/norm"
)

// form is how a word is compared.
type form struct{ raw, text, stem string }

// forms remembers the forms of words, since texts repeat few words most of the time: then
// nothing is folded, stemmed or allocated. It holds at most one word in each place, so that it
// does not grow, and is safe for concurrent use.
type forms struct {
	english bool
	places  [1 << 15]atomic.Pointer[form]
}

var (
	englishForms = forms{english: true}
	foreignForms forms
	formSeed     = maphash.MakeSeed()
)

func (f *forms) of(raw string) *form {
	place := &f.places[maphash.String(formSeed, raw)%uint64(len(f.places))]
	if form := place.Load(); form != nil && form.raw == raw {
		return form
	}
	made := &form{text: fold(clip(raw))}
	made.stem = made.text
	if f.english {
		made.stem = stem(made.text)
	}
	if len(raw) <= longest { // what is longer comes once, and would keep much in memory
		made.raw = strings.Clone(raw)
		place.Store(made)
	}
	return made
}

// clip returns the beginning of a word that is longer than any.
func clip(raw string) string {
	if len(raw) <= longest {
		return raw
	}
	end := longest
	for !utf8.RuneStart(raw[end]) {
		end--
	}
	return raw[:end]
}

// stem takes the English endings off a word that is of plain letters.
func stem(text string) string {
	for i := range len(text) {
		if text[i] < 'a' || text[i] > 'z' {
			return text
		}
	}
	return english.Stem(text, true)
}

// fold returns the letters of a word that are compared, as a string of its own.
func fold(raw string) string {
	b := make([]byte, 0, len(raw))
	for _, r := range norm.NFKC.String(raw) {
		if r < 0x80 {
			b = append(b, byte(unicode.ToLower(r)))
			continue
		}
		b = appendFolded(b, r)
	}
	return string(withoutThousands(b))
}

func appendFolded(b []byte, r rune) []byte {
	r = unicode.ToLower(r)
	switch {
	case classOf(r) == classPair || unicode.Is(unicode.Hangul, r): // their marks tell words apart
		return utf8.AppendRune(b, r)
	case classOf(r) == classUnseen || r == tatweel:
		return b
	case unicode.Is(unicode.Nd, r):
		return append(b, decimal(r))
	}
	if same, ok := same[r]; ok {
		return append(b, same...)
	}
	var one, apart [utf8.UTFMax * 18]byte
	for _, d := range string(norm.NFKD.Append(apart[:0], utf8.AppendRune(one[:0], r)...)) {
		switch {
		case unicode.Is(unicode.Mn, d) && unicode.In(d, unicode.Inherited, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew, unicode.Syriac):
		default:
			b = utf8.AppendRune(b, unicode.ToLower(d))
		}
	}
	return b
}

// tatweel only draws an Arabic word out.
const tatweel = 'ـ'

// same holds letters that are another one for whoever types a question, and that Unicode does
// not decompose.
var same = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'þ': "th", 'ł': "l", 'ħ': "h", 'ı': "i", 'ŋ': "n",
	'ς': "σ", 'ى': "ي", 'ی': "ي", 'ک': "ك", 'ة': "ه",
}

// decimal returns the ASCII digit of a decimal digit of any script. Unicode keeps the ten of a
// script together, from a multiple of ten or sixteen on.
func decimal(r rune) byte {
	value := byte(0)
	for value < 9 && unicode.Is(unicode.Nd, r-rune(value)-1) {
		value++
	}
	return '0' + value
}

// withoutThousands takes the commas out of 1,000,000.
func withoutThousands(b []byte) []byte {
	first := 0
	for first < len(b) && b[first] != ',' {
		first++
	}
	if first == len(b) || first == 0 || first > 3 || len(b[first:])%4 != 0 {
		return b
	}
	for i, c := range b {
		comma := i >= first && (i-first)%4 == 0
		if comma != (c == ',') || !comma && (c < '0' || c > '9') {
			return b
		}
	}
	kept := b[:first]
	for i := first + 1; i < len(b); i += 4 {
		kept = append(kept, b[i:i+3]...)
	}
	return kept
}
