package answers

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

const (
	small1 = `one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen|sixteen|seventeen|eighteen|nineteen`
	tens1  = `twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety`
	scales = `hundred|thousand|million|billion|trillion|Millionen|Milliarden|millones|millions|milliards|mil`
	units  = `%|percent|per cent|percentage points|Prozent|por ciento|km²|km2|km|kilomet(?:er|re)s?|m²|m³|met(?:er|re)s?|cm|mm|centimet(?:er|re)s?|millimet(?:er|re)s?|miles?|mi|feet|foot|ft|inch(?:es)?|acres?|hectares?|square (?:miles?|kilomet(?:er|re)s?|met(?:er|re)s?|feet)|sq (?:mi|km)|cubic (?:met(?:er|re)s?|kilomet(?:er|re)s?|miles?|feet)|` +
		`years?|months?|weeks?|days?|hours?|minutes?|seconds?|ms|µs|ns|Jahren?|Monaten?|Tagen?|Stunden?|Minuten?|Sekunden?|años?|meses|días?|horas?|minutos?|segundos?|` +
		`dollars?|euros?|pounds?|yen|cents?|USD|EUR|GBP|kg|g|mg|tonn?es?|tons?|grams?|kilograms?|lit(?:er|re)s?|bytes?|[KMGT]i?B|bits?|degrees?|°[CF]?|K|Hz|[kMG]Hz|[kMG]?W|volts?|V|people|persons?|inhabitants|students|times|points?`
)

// quantity finds a number, in digits or words, with what is counted beside it.
var quantity = regexp.MustCompile(`(?:[$€£¥]\s?)?(?:\b\d{1,3}(?:,\d{3})+(?:\.\d+)?\b|\b\d+(?:\.\d+)?(?:\b|%|°|[a-z]))(?:\s?[–-]\s?\d[\d.,]*\d|\s(?:to|or|and)\s\d[\d.,]*)?(?:[\s-](?:` + scales + `)\b)?(?:[\s-]?(?:` + units + `)(?:$|[^\pL\pN])(?:(?:square|cubic)\s\w+)?)?` +
	`|(?i:\b(?:a |an )?(?:(?:one|two|three)[- ](?:third|half|quarter|fifth|tenth)s?|(?:` + tens1 + `)(?:[- ](?:` + small1 + `))?|` + small1 + `|hundred|thousand|million|billion|dozen|half a million|half|third|quarter|several hundred|several thousand|none|zero|twice|once|hundreds of \w+|thousands of \w+|millions of \w+)(?:[\s-](?:` + scales + `|dozen))*\b)(?:[\s-](?:` + units + `)\b)?`)

// amount is a number of a text.
type amount struct {
	corpus.Span
	value float64
	unit  string // folded, of one that is counted by a name of a measure; ""
	known bool   // the value
}

var (
	digitsFirst = regexp.MustCompile(`^[$€£¥]?\s?(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)`)
	scaleIn     = regexp.MustCompile(`(?i)\b(hundred|thousand|million|billion|trillion)\b`)
	unitAtEnd   = regexp.MustCompile(`(?:` + units + `)$`)
)

var scaleValues = map[string]float64{"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}

// amountsOf returns the numbers of a text that are no dates.
func amountsOf(text string) []amount {
	dates := momentsOf(text)
	var all []amount
	for _, m := range quantity.FindAllStringIndex(text, -1) {
		at := corpus.Span{Start: m[0], End: m[1]}
		for at.End > at.Start && strings.IndexByte(" \t\n.,;:)-!?\"'(", text[at.End-1]) >= 0 {
			at.End--
		}
		written := text[at.Start:at.End]
		if written == "" || overlaps(dates, at) || at.Start > 0 && joinsName(text[at.Start-1]) {
			continue
		}
		all = append(all, amountOf(written, at))
	}
	return all
}

// joinsName reports a byte before a number that makes a part of a name of it: "B-52", "v2".
func joinsName(b byte) bool { return b == '-' || b == '_' || b == '.' || b == '/' || b == '#' }

// amountOf reads a number as it is written.
func amountOf(written string, at corpus.Span) amount {
	a := amount{Span: at}
	if d := digitsFirst.FindStringSubmatch(written); d != nil {
		v, err := strconv.ParseFloat(strings.ReplaceAll(d[1], ",", ""), 64)
		a.value, a.known = v, err == nil
	} else if n, ok := numberWords[strings.ToLower(written)]; ok {
		a.value, a.known = n, true
	} else if first, _, _ := strings.Cut(strings.ToLower(written), " "); numberWords[first] != 0 {
		a.value, a.known = numberWords[first], true
	}
	if scale := scaleIn.FindString(written); scale != "" && a.known {
		a.value *= scaleValues[strings.ToLower(scale)]
	}
	a.unit = strings.ToLower(strings.TrimSpace(unitAtEnd.FindString(written)))
	switch {
	case strings.ContainsAny(written, "$"):
		a.unit = "$"
	case strings.ContainsAny(written, "€£¥"):
		a.unit = string([]rune(strings.TrimLeft(written, " "))[0])
	case a.unit == "percent", a.unit == "per cent":
		a.unit = "%"
	}
	return a
}

var numberWords = func() map[string]float64 {
	all := map[string]float64{"zero": 0, "half": 0.5, "dozen": 12}
	for i, w := range strings.Split(small1, "|") {
		all[w] = float64(i + 1)
	}
	for i, w := range strings.Split(tens1, "|") {
		ten := float64(20 + 10*i)
		all[w] = ten
		for j, one := range strings.Split(small1, "|")[:9] {
			all[w+"-"+one] = ten + float64(j+1)
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
	countsThings = regexp.MustCompile(`(?i)\bhow many\b`)
	asksShare    = regexp.MustCompile(`(?i)\b(?:percent|percentage|fraction|proportion|share)\b`)
	asksMoney    = regexp.MustCompile(`(?i)\bhow much (?:money|did|does|was|is|were|are)\b|\b(?:cost|price|worth|salary|income|paid|budget|revenue)\b`)
	asksTime     = regexp.MustCompile(`(?i)\bhow (?:long|old|many (?:years|days|months|weeks|hours|minutes))\b|\bage\b`)
	lengthUnit   = regexp.MustCompile(`(?i)(?:km|kilomet|met(?:er|re)|mile|feet|foot|ft|inch|cm|mm)`)
	timeUnit     = regexp.MustCompile(`(?i)(?:year|month|week|day|hour|minute|second|decade|centur|jahr|año)`)
	asksLength   = regexp.MustCompile(`(?i)\bhow (?:far|tall|high|deep|wide|long|large|big)\b|\b(?:length|height|width|depth|distance)\b`)
)

// numbers returns the numbers of the sentence that the question does not have.
func (s *scanned) numbers() []found {
	var all []found
	for _, a := range amountsOf(s.text) {
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
	money := strings.ContainsAny(written, "$€£¥") || strings.Contains(written, "dollar") || strings.Contains(written, "pound")
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
	sum := worth(s.asksFor(asksShare), a.unit == "%" || strings.Contains(written, "third") || strings.Contains(written, "half") || strings.Contains(written, "quarter"))
	sum += worth(s.asksFor(asksMoney), money)
	sum += worth(s.asksFor(asksTime) && timeUnit.MatchString(s.after(a.End)) || s.asksFor(asksTime) && timeUnit.MatchString(written), timeUnit.MatchString(written))
	if s.asksFor(asksLength) && lengthUnit.MatchString(written) {
		sum++
	}
	if a.unit != "" && len(a.unit) > 1 && strings.Contains(strings.ToLower(s.asking), a.unit) {
		sum++
	}
	return sum
}

// after returns the word behind a place.
func (s *scanned) after(end int) string {
	for _, w := range s.words {
		if w.Start >= end {
			return w.raw
		}
	}
	return ""
}
