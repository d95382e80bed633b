package formats

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"

	"github.com/kappagraph/kappa/corpus"
)

// textEncoding is an encoding that texts are likely in, and what a text in it looks like.
type textEncoding struct {
	name     string // as iconv calls it
	from     encoding.Encoding
	script   string // of its letters, as corpus.TextLanguage names it
	frequent string // characters of which at least a part of such a text is
	least    float64
}

// The characters that are frequent in a script or a language. A text that was decoded wrongly has
// few of them.
const (
	frequentCyrillic = "оеаинтсрвлк"
	frequentGreek    = "αοιετσνηυρκπςάίόέ"
	frequentHebrew   = "יוהלאתרמבש"
	frequentArabic   = "اليمونرتبةده"
	frequentThai     = "านรอกเงมยลวดท่้ีัส"
	frequentChinese  = "的一是不了在人有我他这这個个上們们来來到時时大地为為子中你說说生国國年着就那和要她出也得里後后自以会會家可下而过過天去能对對小多然于於心学學么之都好看起发發当當没沒成只如事把还還用第样樣道想作种種開开"
	frequentKana     = "のにはをたがでてとしれさいるなかもあこうすらりくっんそまけ"
	frequentHangul   = "이다의는에을가고하지를로한은사인자도기대리어서"
)

// accents are the letters beyond ASCII of languages that are not written in Windows-1252.
var accents = map[string]string{
	"Polish": "ąćęłńóśźż", "Czech": "áčďéěíňóřšťúůýžäĺľôŕ", "Hungarian": "áéíóöőúüű", "Romanian": "ăâîșțşţ", "Turkish": "çğıi̇öşüâîû",
}

// textEncodings are the encodings that are told apart, those first that are likelier where a text is
// the same in both.
var textEncodings = []textEncoding{
	{"EUC-JP", japanese.EUCJP, "", frequentKana, 0.25},
	{"SHIFT_JIS", japanese.ShiftJIS, "", frequentKana, 0.25},
	{"EUC-KR", korean.EUCKR, "Hangul", frequentHangul, 0.2},
	{"GB18030", simplifiedchinese.GB18030, "Han", frequentChinese, 0.08},
	{"BIG5", traditionalchinese.Big5, "Han", frequentChinese, 0.08},
	{"WINDOWS-1251", charmap.Windows1251, "Cyrillic", frequentCyrillic, 0.5},
	{"KOI8-R", charmap.KOI8R, "Cyrillic", frequentCyrillic, 0.5},
	{"KOI8-U", charmap.KOI8U, "Cyrillic", frequentCyrillic, 0.5},
	{"ISO-8859-5", charmap.ISO8859_5, "Cyrillic", frequentCyrillic, 0.5},
	{"CP866", charmap.CodePage866, "Cyrillic", frequentCyrillic, 0.5},
	{"WINDOWS-1253", charmap.Windows1253, "Greek", frequentGreek, 0.6},
	{"ISO-8859-7", charmap.ISO8859_7, "Greek", frequentGreek, 0.6},
	{"WINDOWS-1255", charmap.Windows1255, "Hebrew", frequentHebrew, 0.5},
	{"ISO-8859-8", charmap.ISO8859_8, "Hebrew", frequentHebrew, 0.5},
	{"WINDOWS-1256", charmap.Windows1256, "Arabic", frequentArabic, 0.5},
	{"ISO-8859-6", charmap.ISO8859_6, "Arabic", frequentArabic, 0.5},
	{"WINDOWS-874", charmap.Windows874, "Thai", frequentThai, 0.5},
	{"WINDOWS-1250", charmap.Windows1250, "Latin", "", 0},
	{"ISO-8859-2", charmap.ISO8859_2, "Latin", "", 0},
	{"CP852", charmap.CodePage852, "Latin", "", 0},
	{"WINDOWS-1254", charmap.Windows1254, "Latin", "", 0},
}

// guess is a text as it reads in an encoding.
type guess struct {
	textEncoding
	language corpus.TextLanguage
	whole    float64 // of the words with characters beyond ASCII, those of nothing but letters
	letters  int     // beyond ASCII
	likeness float64 // of them, those that are frequent in the script, or of the language
}

// sure reports a text that no other encoding makes: of whole words, in a language that is clear.
func (g guess) sure() bool {
	const (
		mostBroken   = 0.03
		leastLetters = 20
	)
	if g.whole < 1-mostBroken || g.likeness < g.least {
		return false
	}
	switch g.script {
	case "Latin":
		return g.language.Share > 0 && g.likeness >= 1-mostBroken
	case "Cyrillic", "Arabic":
		return g.language.Share > 0 && g.language.Script == g.script
	}
	return g.letters >= leastLetters && (g.script == "" || g.language.Script == g.script)
}

// better orders guesses, the likeliest first.
func better(a, b guess) int { return cmp.Compare(b.score(), a.score()) }

func (g guess) score() float64 {
	score := g.whole + g.language.Share
	if g.frequent == "" {
		score += g.likeness - 1
	} else {
		score += min(g.likeness/g.least, 1) - 1
	}
	if g.script != "" && g.language.Script != g.script {
		score--
	}
	return score
}

// guesses returns the encodings that a text may be in, the likeliest first.
func guesses(body []byte) []guess {
	const sample = 32 << 10
	body = body[:min(len(body), sample)]
	if i := bytes.LastIndexAny(body, " \n"); i > 0 && len(body) == sample {
		body = body[:i] // a character may end behind the sample
	}
	var list []guess
	for _, c := range textEncodings {
		decoded, ok := decodeStrictly(body, c.from)
		if !ok {
			continue
		}
		g := guess{textEncoding: c, language: corpus.LanguageOf(decoded)}
		g.whole = wholeWords(decoded)
		g.letters, g.likeness = likeness(decoded, cmp.Or(c.frequent, accents[g.language.Name]))
		list = append(list, g)
	}
	slices.SortStableFunc(list, better)
	return list
}

// decodeStrictly decodes a text, of which every byte must be a character that is written.
func decodeStrictly(body []byte, from encoding.Encoding) (string, bool) {
	decoded, err := from.NewDecoder().Bytes(body)
	if err != nil {
		return "", false
	}
	for _, r := range string(decoded) {
		if r == utf8.RuneError || r < ' ' && !strings.ContainsRune("\t\n\r\f", r) || unicode.Is(unicode.Cc, r) && r > '~' || unicode.Is(unicode.Co, r) {
			return "", false
		}
	}
	return string(decoded), true
}

// wholeWords returns which part of the words that are not all ASCII are nothing but letters, and
// change from small to capital letters nowhere, nor from one script to another. A symbol within a
// word is a letter that was decoded wrongly.
func wholeWords(text string) float64 {
	words, whole := 0, 0
	for word := range strings.FieldsFuncSeq(text, func(r rune) bool { return r < utf8.RuneSelf && !unicode.IsLetter(r) }) {
		if !strings.ContainsFunc(word, func(r rune) bool { return r >= utf8.RuneSelf }) {
			continue
		}
		words++
		word = strings.TrimFunc(word, func(r rune) bool { return strings.ContainsRune(wordEdges, r) })
		small, latin, other, broken := false, false, false, false
		for _, r := range word {
			latin = latin || r < utf8.RuneSelf && unicode.IsLetter(r)
			other = other || unicode.In(r, unicode.Cyrillic, unicode.Greek, unicode.Hebrew, unicode.Arabic, unicode.Thai)
			broken = broken || !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune(wordEdges, r) || small && unicode.IsUpper(r)
			small = unicode.IsLower(r)
		}
		if !broken && !(latin && other) {
			whole++
		}
	}
	if words == 0 {
		return 0
	}
	return float64(whole) / float64(words)
}

// wordEdges are marks beside words.
const wordEdges = westernMarks + "„”“’‘–—…«»№·、。，；：？！「」『』（）《》・〜ー％～【】"

// likeness returns how many letters of a text are beyond ASCII, and which part of them are frequent
// ones.
func likeness(text, frequent string) (letters int, part float64) {
	known := 0
	for _, r := range text {
		if r < utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.IsMark(r) {
			continue
		}
		letters++
		if strings.ContainsRune(frequent, unicode.ToLower(r)) {
			known++
		}
	}
	if letters == 0 {
		return 0, 0
	}
	return letters, float64(known) / float64(letters)
}

// guessed returns what a text that is not UTF-8 is encoded in, if it is certain, and says so.
func guessed(body []byte) (from encoding.Encoding, said string) {
	const read = "Read as %s: it is not UTF-8, and decoded so it is %s"
	if _, language := western(body); language != "" {
		return charmap.Windows1252, fmt.Sprintf(read, "Windows-1252", language)
	}
	list := guesses(body)
	if len(list) == 0 || !list[0].sure() {
		return nil, ""
	}
	if _, ok := decodeStrictly(body, list[0].from); !ok {
		return nil, ""
	}
	return list[0].from, fmt.Sprintf(read, list[0].name, cmp.Or(list[0].language.Name, "Japanese"))
}

// likelyCharset names the encoding that a text is in most likely, for advice.
func likelyCharset(body []byte) string {
	const plausible = 0.9
	for _, g := range guesses(body) {
		if g.script != "Latin" && g.whole >= plausible && g.likeness >= g.least {
			return g.name
		}
		if g.script == "Latin" && g.whole >= plausible && g.likeness >= plausible && g.language.Share > 0 {
			return g.name
		}
	}
	return "WINDOWS-1252"
}

// What begins a text whose characters stand between escapes, as in old mail: they are of seven
// bits, and would pass for ASCII.
const (
	escapedJapanese = "\x1b$B"
	escapedKorean   = "\x1b$)C"
)

// decodeEscapes decodes a text whose characters stand between escapes, and names the encoding.
func decodeEscapes(body []byte) (text []byte, name string) {
	switch {
	case bytes.Contains(body, []byte(escapedJapanese)) || bytes.Contains(body, []byte("\x1b$@")):
		if decoded, ok := decodeStrictly(body, japanese.ISO2022JP); ok {
			return []byte(decoded), "ISO-2022-JP"
		}
	case bytes.Contains(body, []byte(escapedKorean)):
		if decoded, ok := decodeStrictly(unshifted(body), korean.EUCKR); ok {
			return []byte(decoded), "ISO-2022-KR"
		}
	}
	return nil, ""
}

// unshifted returns a text in ISO-2022-KR in eight bits: those of what stands between a shift out
// and a shift in have the highest bit.
func unshifted(body []byte) []byte {
	const out, in = 0x0e, 0x0f
	var text []byte
	shifted := false
	for _, b := range bytes.ReplaceAll(body, []byte(escapedKorean), nil) {
		switch {
		case b == out, b == in:
			shifted = b == out
		case shifted && b > ' ':
			text = append(text, b|0x80)
		default:
			text = append(text, b)
		}
	}
	return text
}

// mostlyUTF8 replaces the bytes of a text that are not UTF-8, when it has many more characters
// that are.
func mostlyUTF8(body []byte) (text []byte, said string, ok bool) {
	const least = 20 // characters beyond ASCII for each byte that is wrong
	right, wrong := 0, 0
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		switch {
		case r == utf8.RuneError && size <= 1:
			wrong++
		case size > 1:
			right++
		}
		i += size
	}
	if right < least*wrong {
		return nil, "", false
	}
	return bytes.ToValidUTF8(body, []byte("\uFFFD")), fmt.Sprintf("%d bytes of it are not UTF-8: \uFFFD stands in their place", wrong), true
}
