package english

import (
	"math"
	"strings"
	"unicode"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/knowledge"
)

// maxLabelWords is how long a first section may be to count as a label.
const maxLabelWords = 5

// maxEmbedBytes is how much of a text is embedded. The rest changes little.
const maxEmbedBytes = 4096

// featureSet is the working space of one Embed call.
type featureSet struct {
	words  *lexicon
	stems  map[string]string
	vector [dimensions]float64
	sum    [dimensions]float64
}

// newFeatureSet makes an empty working space.
func newFeatureSet(words *lexicon) *featureSet {
	return &featureSet{words: words, stems: map[string]string{}}
}

// embed returns the embedding of text.
func (f *featureSet) embed(text string) models.Embedding {
	text = text[:min(len(text), maxEmbedBytes)]
	first, rest, _ := strings.Cut(text, knowledge.SectionBreak)
	clear(f.sum[:])
	f.section(first, 1-weightRest)
	if strings.TrimSpace(rest) != "" {
		f.section(rest, weightRest)
	}
	length := norm(f.sum[:])
	out := make(models.Embedding, dimensions)
	if length == 0 {
		out[0] = 1
		return out
	}
	for i, x := range f.sum {
		out[i] = float32(x / length)
	}
	return out
}

// section adds the features of one section, scaled to the squared length
// weight.
func (f *featureSet) section(text string, weight float64) {
	words := embedWords(text)
	if len(words) == 0 {
		return
	}
	clear(f.vector[:])
	label := f.label(words)
	counts := map[string]float64{}
	previous := ""
	for _, w := range words {
		s := f.stem(w)
		importance := f.importance(w)
		counts[s]++
		scale := 1.0
		if n := counts[s]; n > 1 { // sublinear: a word said n times counts 1 + ln n
			scale = math.Log(n/(n-1)) / (1 + math.Log(n))
		}
		f.feature("w", s, weightWord*importance*importance*scale)
		f.grams(respell(w), weightGrams*importance*importance*scale)
		if previous != "" {
			f.feature("b"+previous, s, weightBigram*importance)
		}
		previous = s
	}
	if label {
		f.whole(words)
	}
	length := norm(f.vector[:])
	if length == 0 {
		return
	}
	scale := math.Sqrt(weight) / length
	for i, x := range f.vector {
		f.sum[i] += x * scale
	}
}

// label reports whether the words look like a name rather than a question or a
// sentence.
func (f *featureSet) label(words []string) bool {
	return len(words) <= maxLabelWords && f.words.bands[words[0]] != bandFunction
}

// whole adds the features of a label: its head and all of it.
func (f *featureSet) whole(words []string) {
	f.feature("h", f.stem(words[len(words)-1]), weightHead)
	var b strings.Builder
	for _, w := range words {
		b.WriteString(f.stem(w))
	}
	whole := spelling(b.String())
	f.feature("l", whole, weightWhole/2)
	f.grams(whole, weightWhole/2)
}

// stem returns the stem of a word in one spelling.
func (f *featureSet) stem(w string) string {
	if s, ok := f.stems[w]; ok {
		return s
	}
	if len(f.stems) > 20000 {
		clear(f.stems)
	}
	s := stem(respell(w))
	f.stems[w] = s
	return s
}

// respell maps British to American endings.
func respell(w string) string {
	if len(w) < 5 {
		return w
	}
	for _, e := range [...][2]string{
		{"isation", "ization"},
		{"isations", "izations"},
		{"ise", "ize"},
		{"ised", "ized"},
		{"ising", "izing"},
		{"our", "or"},
		{"ours", "ors"},
		{"oured", "ored"},
		{"ouring", "oring"},
		{"yse", "yze"},
		{"ysed", "yzed"},
		{"ogue", "og"},
		{"tre", "ter"},
		{"bre", "ber"},
		{"lled", "led"},
		{"lling", "ling"},
		{"ller", "ler"},
	} {
		if stemmed, ok := strings.CutSuffix(w, e[0]); ok && len(stemmed) > 2 {
			return stemmed + e[1]
		}
	}
	return w
}

// importance is the weight of a word by its frequency in English. Content words
// differ little, so that no word of a label outweighs the others.
func (f *featureSet) importance(w string) float64 {
	switch f.words.band(w) {
	case bandFunction:
		return 0.15
	case bandEveryday:
		return 0.85
	case bandCommon:
		return 0.92
	}
	return 1
}

// feature adds one feature, spread over several signed places so that one
// collision does little.
func (f *featureSet) feature(space, name string, weight float64) {
	const places = 6
	h := hash(space, name)
	x := math.Sqrt(weight / places)
	for range places {
		h = mix(h)
		f.add(h, x)
	}
}

// grams adds the 3- to 5-grams of a word with its borders marked.
func (f *featureSet) grams(w string, weight float64) {
	runes := []rune("<" + w + ">")
	count := 0
	for n := 3; n <= 5; n++ {
		count += max(0, len(runes)-n+1)
	}
	if count == 0 {
		return
	}
	x := math.Sqrt(weight / float64(count))
	for n := 3; n <= 5; n++ {
		for i := 0; i+n <= len(runes); i++ {
			h := uint64(n)
			for _, r := range runes[i : i+n] {
				h = (h ^ uint64(r)) * 0x100000001B3
			}
			f.add(mix(h), x)
		}
	}
}

// add adds x at the place and with the sign that h says.
func (f *featureSet) add(h uint64, x float64) {
	if h>>63 == 1 {
		x = -x
	}
	f.vector[h%dimensions] += x
}

// hash is FNV-1a over a feature's kind and name.
func hash(space, name string) uint64 {
	h := uint64(0xCBF29CE484222325)
	for _, s := range [2]string{space, name} {
		for i := range len(s) {
			h = (h ^ uint64(s[i])) * 0x100000001B3
		}
		h = (h ^ 0xFF) * 0x100000001B3
	}
	return h
}

// mix scrambles h (the finaliser of SplitMix64).
func mix(h uint64) uint64 {
	h += 0x9E3779B97F4A7C15
	h = (h ^ h>>30) * 0xBF58476D1CE4E5B9
	h = (h ^ h>>27) * 0x94D049BB133111EB
	return h ^ h>>31
}

// norm returns the Euclidean length of v.
func norm(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x * x
	}
	return math.Sqrt(sum)
}

// joinedPrefixes are written with and without a hyphen.
const joinedPrefixes = " e co re pre post non multi micro macro sub super semi anti inter intra over under un "

// embedWords cuts a text into lower-case words: letters and digits, split at
// hyphens, underscores and humps as in pollInterval.
func embedWords(text string) []string {
	var words []string
	var b strings.Builder
	flush := func() {
		if b.Len() > 0 {
			words = append(words, b.String())
			b.Reset()
		}
	}
	runes := []rune(text)
	for i, r := range runes {
		switch {
		case r == '\'' || r == '’':
		case r == '-' && strings.Contains(joinedPrefixes, " "+b.String()+" "): // co-occurrence, e-mail
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush()
		default:
			if i > 0 && i+1 < len(runes) && unicode.IsUpper(r) && unicode.IsLower(runes[i-1]) && unicode.IsLower(runes[i+1]) {
				flush()
			}
			b.WriteRune(unicode.ToLower(r))
		}
	}
	flush()
	return words
}
