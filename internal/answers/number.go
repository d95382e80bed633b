package answers

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// unitWords are what numbers are counted in, folded.
var unitWords = union(timeUnits, moneyWords, set(`percent prozent km km2 m2 m3 m cm mm kilometer kilometers kilometre kilometres meter meters metre metres centimeters millimeter millimeters mile miles mi feet foot ft
	inch inches acre acres hectare hectares kg g mg ton tons tonne tonnes gigatons gram grams kilogram kilograms liter liters litre litres byte bytes kb mb gb tb kib mib gib bit bits
	degree degrees c f k hz khz mhz ghz w kw mw gw volt volts v people person persons inhabitants inhabitant students times point points millionen milliarden`))

var (
	timeUnits = set(`year years month months week weeks day days hour hours minute minutes second seconds ms ns decade decades century centuries
		jahr jahre jahren monat monate monaten tag tage tagen stunde stunden minuten sekunden anos meses dias horas minutos segundos`)
	moneyWords  = set("dollar dollars euro euros pound pounds yen cent cents usd eur gbp")
	lengthUnits = set("km kilometer kilometers kilometre kilometres m meter meters metre metres cm mm mile miles mi feet foot ft inch inches centimeters millimeters millimeter")
	fractions   = set("half third thirds quarter quarters fifth fifths tenth tenths")
)

var scaleValues = map[string]float64{
	"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12, "dozen": 12,
	"tausend": 1e3, "millionen": 1e6, "milliarden": 1e9, "mil": 1e3, "millones": 1e6, "millions": 1e6, "milliards": 1e9,
}

// amount is a number of a text.
type amount struct {
	corpus.Span
	value  float64
	unit   string // folded; "" of a number of things
	counts string // the stem of the word behind a number of things
}

// amountsOf returns the numbers of a text that is cut into words, in digits or words, with their
// units, and without those that are dates or parts of names.
func amountsOf(text string, all []piece, dates []moment) []amount {
	var found []amount
	c := counter{dater{text: text, words: all}}
	for i := 0; i < len(all); {
		a, next, ok := c.number(i)
		if !ok || slices.ContainsFunc(dates, func(m moment) bool { return a.Start < m.End && m.Start < a.End }) {
			i++
			continue
		}
		found = append(found, a)
		i = next
	}
	return found
}

// counter reads numbers at words of a text.
type counter struct{ dater }

// number returns the number that begins at a word, and the word behind it.
func (c counter) number(i int) (a amount, next int, ok bool) {
	w := c.words[i]
	a.Span = c.span(i, i)
	last := i
	switch first := w.Text[0]; {
	case first >= '0' && first <= '9':
		if w.Start > 0 && strings.IndexByte("-_#/.", c.text[w.Start-1]) >= 0 {
			return a, i, false
		}
		if a.value, a.unit, ok = digitsOf(w.Text); !ok {
			return a, i, false
		}
		if gap := strings.TrimSpace(c.gap(i + 1)); (gap == "–" || gap == "-" || gap == "—") && wholeNumber(c.word(i+1)) > 0 {
			last = i + 1
		}
	default:
		if a.value, last, ok = c.spelled(i); !ok {
			return a, i, false
		}
		if i > 0 && (c.word(i-1) == "a" || c.word(i-1) == "an") && (scaleValues[w.Text] != 0 || fractions[w.Text]) {
			a.Start = c.words[i-1].Start
		}
	}
	for scaleValues[c.word(last+1)] != 0 && c.near(last+1) {
		a.value *= scaleValues[c.word(last+1)]
		last++
	}
	a.End = c.words[last].End
	last = c.unit(&a, last)
	return a, last + 1, true
}

// near reports whether nothing but a space or hyphen stands before a word.
func (c counter) near(i int) bool {
	g := c.gap(i)
	return g == " " || g == "-" || g == "\u00a0" || g == ""
}

// unit reads what a number is counted in, and returns its last word.
func (c counter) unit(a *amount, last int) int {
	if a.Start > 0 {
		for _, sign := range []string{"$", "€", "£", "¥"} {
			if strings.HasSuffix(c.text[:a.Start], sign) {
				a.Start, a.unit = a.Start-len(sign), sign
				return last
			}
		}
	}
	behind := c.text[a.End:]
	for _, sign := range []string{"%", " %", "°"} {
		if strings.HasPrefix(behind, sign) {
			a.End, a.unit = a.End+len(sign), strings.TrimSpace(sign)
			if w := c.wordRaw(last + 1); sign == "°" && (w == "C" || w == "F") {
				last++
				a.End = c.words[last].End
			}
			return last
		}
	}
	if !c.near(last+1) || a.unit != "" {
		return last
	}
	switch w := c.word(last + 1); {
	case (w == "square" || w == "cubic") && unitWords[c.word(last+2)]:
		a.unit = w + " " + c.word(last+2)
		last += 2
	case w == "per" && c.word(last+2) == "cent":
		a.unit = "%"
		last += 2
	case unitWords[w]:
		if a.unit = w; w == "percent" || w == "prozent" {
			a.unit = "%"
		}
		last++
	default:
		if last+1 < len(c.words) {
			a.counts = c.words[last+1].Stem
		}
		return last
	}
	a.End = c.words[last].End
	return last
}

// digitsOf reads a number in digits as it is compared, with a unit that is written with it: 5km,
// 250-page. It is false of a version, a time and an ordinal.
func digitsOf(w string) (value float64, unit string, ok bool) {
	digits := len(w) - len(strings.TrimLeft(w, "0123456789.,"))
	unit = strings.TrimPrefix(w[digits:], "-")
	value, err := strconv.ParseFloat(strings.ReplaceAll(strings.TrimRight(w[:digits], ".,"), ",", ""), 64)
	switch {
	case err != nil, len(unit) > 12, strings.ContainsAny(unit, "0123456789"):
		return 0, "", false
	case unit == "", unitWords[unit], strings.HasPrefix(w[digits:], "-"):
		return value, unit, true
	}
	return 0, "", false
}

// spelled reads a number in words, and returns its last word.
func (c counter) spelled(i int) (value float64, last int, ok bool) {
	w := c.word(i)
	if one, part, joined := strings.Cut(w, "-"); joined && numberWords[one] != 0 && fractions[part] {
		return numberWords[one] * fractionOf(part), i, true // "two-thirds"
	}
	switch value, ok = numberWords[w]; {
	case ok && fractions[c.word(i+1)] && c.near(i+1): // "two thirds"
		return value * fractionOf(c.word(i+1)), i + 1, true
	case ok && value >= 20 && numberWords[c.word(i+1)] > 0 && numberWords[c.word(i+1)] < 10 && c.near(i+1): // "twenty five"
		return value + numberWords[c.word(i+1)], i + 1, true
	case ok:
		return value, i, true
	case w == "half", (w == "third" || w == "quarter") && (c.word(i-1) == "a" || c.word(i-1) == "one") && c.word(i+1) != "party":
		return fractionOf(w), i, true
	case scaleValues[w] != 0 && (c.word(i-1) == "a" || c.word(i-1) == "several"):
		return scaleValues[w], i, true
	case w == "none", w == "nobody":
		return 0, i, true
	}
	return 0, i, false
}

// fractionOf returns what a part of one is worth.
func fractionOf(w string) float64 {
	switch strings.TrimSuffix(w, "s") {
	case "half":
		return 1.0 / 2
	case "third":
		return 1.0 / 3
	case "quarter":
		return 1.0 / 4
	case "fifth":
		return 1.0 / 5
	}
	return 1.0 / 10
}

const (
	ones = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
	tens = "twenty thirty forty fifty sixty seventy eighty ninety"
)

var numberWords = func() map[string]float64 {
	all := map[string]float64{"zwei": 2, "drei": 3, "vier": 4, "sechs": 6, "sieben": 7, "acht": 8, "neun": 9, "zehn": 10, "funf": 5, "dos": 2, "tres": 3, "cuatro": 4, "cinco": 5, "seis": 6, "siete": 7, "ocho": 8, "nueve": 9, "diez": 10, "deux": 2, "trois": 3, "quatre": 4, "cinq": 5, "dix": 10}
	small := strings.Fields(ones)
	for i, w := range small {
		all[w] = float64(i + 1)
	}
	for i, w := range strings.Fields(tens) {
		all[w] = float64(20 + 10*i)
		for j, one := range small[:9] {
			all[w+"-"+one] = all[w] + float64(j+1)
		}
	}
	return all
}()

// sameValue reports whether two numbers are one, or one is the other, rounded.
func sameValue(a, b float64) bool {
	if a == b {
		return true
	}
	if a == 0 || b == 0 {
		return false
	}
	for _, digits := range []float64{1, 2, 3} {
		if rounded(a, digits) == b || rounded(b, digits) == a {
			return true
		}
	}
	return false
}

// rounded returns a number with so many digits.
func rounded(v, digits float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(math.Abs(v)))-digits+1)
	return math.Round(v/unit) * unit
}

var (
	asksShare  = way("percent|fraction|proportion|share", `(?i)\b(?:percent|percentage|fraction|proportion|share)\b`)
	asksMoney  = way("how much|cost|price|worth|salary|income|paid|budget|revenue", `(?i)\bhow much (?:money|did|does|was|is|were|are)\b|\b(?:cost|price|worth|salary|income|paid|budget|revenue)\b`)
	asksTime   = way("how |age", `(?i)\bhow (?:long|old|many (?:years|days|months|weeks|hours|minutes))\b|\bage\b`)
	asksLength = way("how |length|height|width|depth|distance", `(?i)\bhow (?:far|tall|high|deep|wide|long|large|big)\b|\b(?:length|height|width|depth|distance)\b`)
)

// numbers returns the numbers of the sentence that the question does not have.
func (s *scanned) numbers() []found {
	var all []found
	for _, a := range amountsOf(s.text, s.words, momentsOf(s.text, s.words)) {
		first, last := s.wordsIn(a.Span)
		if s.allAsked(first, last) {
			continue
		}
		written := s.text[a.Start:a.End]
		f := found{Span: a.Span}
		if strings.ContainsAny(written, "0123456789") {
			f.bonus += 0.3
		}
		if strings.EqualFold(written, "one") {
			f.bonus -= 0.6
		}
		for i := first; i < min(last+4, len(s.words)); i++ {
			if s.head != "" && s.words[i].Stem == s.head {
				f.bonus += 1 / float64(1+max(0, i-last))
				break
			}
		}
		f.bonus += s.fits(a, written)
		all = append(all, f)
	}
	return all
}

// fits says how well the unit of a number goes with what the question asks for.
func (s *scanned) fits(a amount, written string) float64 {
	money := strings.ContainsAny(written, "$€£¥") || moneyWords[a.unit]
	worth := func(asks, has bool) float64 {
		switch {
		case asks && has:
			return 1
		case asks:
			return -0.3
		case has:
			return -0.3
		}
		return 0
	}
	share := a.unit == "%" || strings.Contains(written, "third") || strings.Contains(written, "half") || strings.Contains(written, "quarter")
	sum := worth(s.has(&asksShare), share) + worth(s.has(&asksMoney), money)
	if timeUnits[a.unit] {
		sum += worth(s.has(&asksTime), true)
	}
	if s.has(&asksLength) && lengthUnits[a.unit] {
		sum++
	}
	if len(a.unit) > 1 && strings.Contains(s.low, a.unit) {
		sum++
	}
	return sum
}
