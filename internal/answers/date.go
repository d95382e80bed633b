package answers

import (
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// moment is a date as far as a text gives it; a part that it does not give is 0.
type moment struct {
	corpus.Span
	year, month, day int
}

// momentsOf returns the dates of a text that is cut into words, none within another: days, months
// and years, ranges, decades, centuries, and times ago.
func momentsOf(text string, all []piece) []moment {
	var found []moment
	d := dater{text: text, words: all}
	for i := 0; i < len(all); {
		m, next, ok := d.at(i)
		if !ok {
			i++
			continue
		}
		if n := len(found); n > 0 && m.Start < found[n-1].End {
			m.Start = found[n-1].End
		}
		found = append(found, m)
		i = next
	}
	return found
}

// dater reads dates at words of a text.
type dater struct {
	text  string
	words []piece
}

// gap returns what stands before a word, behind the one before it.
func (d dater) gap(i int) string {
	if i <= 0 || i >= len(d.words) {
		return "|"
	}
	return d.text[d.words[i-1].End:max(d.words[i-1].End, d.words[i].Start)]
}

// word returns the folded word at i; "" beyond the text.
func (d dater) word(i int) string {
	if i < 0 || i >= len(d.words) {
		return ""
	}
	return d.words[i].Text
}

// at returns the date that a word belongs to, and the word behind it.
func (d dater) at(i int) (m moment, next int, ok bool) {
	w := d.words[i]
	first := w.Text[0]
	switch {
	case first >= '0' && first <= '9':
		m, next, ok = d.digits(i)
	case monthNumbers[w.Text] != 0:
		m, next, ok = d.monthAt(i)
	case w.raw == "AD" || w.raw == "A.D":
		if n := wholeNumber(d.word(i + 1)); n > 0 {
			return moment{Span: d.span(i, i+1), year: n}, i + 2, true
		}
	case ordinalWords[w.Text] || centuryJoined(w.Text):
		m, next, ok = d.century(i)
	case decade(w.Text):
		m, next, ok = moment{Span: d.span(d.qualified(i), i)}, i+1, true
	case weekdays[w.Text] && w.capital:
		m, next, ok = moment{Span: d.span(i, i)}, i+1, true
	case numberWords[w.Text] != 0 || w.Text == "hundreds" || w.Text == "thousands" || w.Text == "millions":
		m, next, ok = d.ago(i)
	case w.Text == "siglo" && i+1 < len(d.words):
		m, next, ok = moment{Span: d.span(i, i+1)}, i+2, true
	}
	return m, next, ok
}

func (d dater) span(first, last int) corpus.Span {
	return corpus.Span{Start: d.words[first].Start, End: d.words[last].End}
}

// digits reads a date that begins with a number.
func (d dater) digits(i int) (m moment, next int, ok bool) {
	w := d.words[i]
	if y, mo, day, is := isoDate(w.Text); is {
		return moment{Span: d.span(i, i), year: y, month: mo, day: day}, i + 1, true
	}
	if strings.HasPrefix(d.text[w.End:], "年") {
		return d.chinese(i)
	}
	if m, next, ok = d.dayFirst(i); ok {
		return m, next, ok
	}
	if era(d.wordRaw(i+1)) && wholeNumber(w.raw) > 0 && strings.TrimSpace(d.gap(i+1)) == "" {
		return moment{Span: d.span(i, i+1), year: -wholeNumber(w.raw)}, i + 2, true
	}
	if m, next, ok = d.century(i); ok {
		return m, next, ok
	}
	if m, next, ok = d.ago(i); ok {
		return m, next, ok
	}
	if decade(w.Text) {
		return moment{Span: d.span(d.qualified(i), i)}, i + 1, true
	}
	return d.yearAt(i)
}

// yearAt reads a year, a range of years, and a season before one.
func (d dater) yearAt(i int) (m moment, next int, ok bool) {
	w := d.words[i]
	from, _, _ := strings.Cut(w.raw, "-")
	year := yearOf(from)
	if year == 0 || from != w.raw && wholeNumber(w.raw[len(from)+1:]) == 0 {
		return m, i, false
	}
	if w.Start > 0 && strings.IndexByte(".,:/$#_-", d.text[w.Start-1]) >= 0 || measured(d.text[w.End:], d.word(i+1), d.wordRaw(i+1)) {
		return m, i, false
	}
	last := i
	switch gap := strings.TrimSpace(d.gap(i + 1)); {
	case (gap == "–" || gap == "-" || gap == "—") && wholeNumber(d.word(i+1)) > 0 && len(d.word(i+1)) <= 4:
		last = i + 1
	case gap == "" && rangeWords[d.word(i+1)] && yearOf(d.word(i+2)) != 0 && strings.TrimSpace(d.gap(i+2)) == "" && (d.word(i+1) != "and" && d.word(i+1) != "und" && d.word(i+1) != "y" || d.word(i-1) == "between" || d.word(i-1) == "zwischen" || d.word(i-1) == "entre"):
		last = i + 2
	}
	first := i
	switch {
	case seasons[d.word(i-1)]:
		first = i - 1
	case d.word(i-1) == "of" && seasons[d.word(i-2)]:
		first = i - 2
	}
	return moment{Span: d.span(first, last), year: year}, last + 1, true
}

// dayFirst reads "8 May 1945", "the 8th of May" and "8. Mai".
func (d dater) dayFirst(i int) (m moment, next int, ok bool) {
	day := wholeNumber(strings.TrimRight(d.words[i].Text, "sthndr"))
	at := i + 1
	if w := d.word(at); w == "of" || w == "de" {
		at++
	}
	if day < 1 || day > 31 || monthNumbers[d.word(at)] == 0 || strings.Trim(d.gap(at), " .º") != "" || !d.isMonth(at, true) {
		return m, i, false
	}
	m = moment{month: monthNumbers[d.word(at)], day: day}
	last := d.yearBehind(at, &m)
	m.Span = d.span(i, last)
	return m, last + 1, true
}

// yearBehind reads the year behind a month, and returns the last word of the date.
func (d dater) yearBehind(at int, m *moment) int {
	next := at + 1
	if w := d.word(next); w == "of" || w == "de" {
		next++
	}
	if y := yearOf(d.word(next)); y != 0 && strings.Trim(d.gap(next), " ,.") == "" {
		m.year = y
		return next
	}
	return at
}

// isMonth reports whether a word means a month: "may" and "mar" do only beside a number.
func (d dater) isMonth(i int, beside bool) bool {
	w := d.words[i]
	return w.capital && len(w.raw) > 3 || beside && (w.capital || len(w.raw) > 3)
}

// monthAt reads "May 8, 1945", "May 1945" and "in May".
func (d dater) monthAt(i int) (m moment, next int, ok bool) {
	m.month = monthNumbers[d.words[i].Text]
	last := i
	if day := wholeNumber(strings.TrimRight(d.word(i+1), "sthndr")); day >= 1 && day <= 31 && strings.Trim(d.gap(i+1), " .") == "" && d.gap(i+1) != "" {
		m.day, last = day, i+1
	}
	last = d.yearBehind(last, &m)
	if !d.isMonth(i, last > i) || last == i && d.words[i].Start == 0 {
		return m, i, false
	}
	m.Span = d.span(i, last)
	return m, last + 1, true
}

// century reads "the late 19th century" and "6th century BC".
func (d dater) century(i int) (m moment, next int, ok bool) {
	last := i
	if !centuryJoined(d.words[i].Text) {
		if w := d.words[i].Text; !ordinalWords[w] && !ordinal(w) && strings.TrimSpace(d.gap(i+1)) != "." {
			return m, i, false
		}
		last++
		if w := d.word(last); w == "and" || w == "to" || w == "or" {
			last += 2
		}
		switch d.word(last) {
		case "century", "centuries", "jahrhundert", "jahrhunderts":
		default:
			return m, i, false
		}
	}
	if era(d.wordRaw(last + 1)) {
		last++
	}
	return moment{Span: d.span(d.qualified(i), last)}, last + 1, true
}

// qualified returns where what qualifies a decade or century begins: "the early", "the first half
// of the".
func (d dater) qualified(i int) int {
	for i > 0 && strings.TrimSpace(d.gap(i)) == "" && qualifiers[d.word(i-1)] {
		i--
	}
	for (d.word(i) == "of" || d.word(i) == "in") && i+1 < len(d.words) {
		i++
	}
	return i
}

// ago reads "22,000 years ago".
func (d dater) ago(i int) (m moment, next int, ok bool) {
	at := i + 1
	if scaleValues[d.word(at)] != 0 {
		at++
	}
	if !timeUnits[d.word(at)] || !agoWords[d.word(at+1)] {
		return m, i, false
	}
	return moment{Span: d.span(i, at+1)}, at + 2, true
}

// chinese reads 1889年, 1889年5月 and 1889年5月8日.
func (d dater) chinese(i int) (m moment, next int, ok bool) {
	m.Span = d.span(i, i)
	m.year = wholeNumber(d.words[i].raw)
	m.End += len("年")
	for _, part := range []struct {
		sign string
		into *int
	}{{"月", &m.month}, {"日", &m.day}} {
		rest := d.text[m.End:]
		digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
		if digits == 0 || digits > 2 || !strings.HasPrefix(rest[digits:], part.sign) {
			break
		}
		*part.into = wholeNumber(rest[:digits])
		m.End += digits + len(part.sign)
	}
	for next = i + 1; next < len(d.words) && d.words[next].Start < m.End; {
		next++
	}
	return m, next, m.year > 0
}

// wordRaw returns the word at i as it is written; "" beyond the text.
func (d dater) wordRaw(i int) string {
	if i < 0 || i >= len(d.words) {
		return ""
	}
	return d.words[i].raw
}

var (
	asksYear  = way("year", `(?i)\b(?:what|which) years?\b`)
	asksMonth = way("month", `(?i)\b(?:what|which) months?\b`)
	asksDay   = way("day|date", `(?i)\b(?:what|which) (?:day|date)\b`)
)

// dates returns the dates of the sentence that the question does not have.
func (s *scanned) dates() []found {
	var all []found
	for _, m := range momentsOf(s.text, s.words) {
		first, last := s.wordsIn(m.Span)
		if s.allAsked(first, last) {
			continue
		}
		f := found{Span: m.Span}
		switch {
		case m.year != 0, m.day != 0:
			f.bonus = 0.3
		}
		if s.before(first, "in", "on", "since", "until", "by", "from", "during", "am", "im", "en", "el", "seit") {
			f.bonus += 0.2
		}
		if s.has(&asksYear) && m.year == 0 && !strings.ContainsAny(s.text[m.Start:m.End], "0123456789") ||
			s.has(&asksMonth) && m.month == 0 || s.has(&asksDay) && m.day == 0 {
			f.bonus--
		}
		all = append(all, f)
	}
	return all
}
