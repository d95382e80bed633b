package answers

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// monthWords are the names of the twelve months in the languages that are read, with their short
// forms.
var monthWords = [12]string{
	"january jan januar enero janvier gennaio janeiro января",
	"february feb februar febrero février febbraio fevereiro февраля",
	"march mar märz marzo mars março марта",
	"april apr abril avril aprile апреля",
	"may mai mayo maggio maio мая",
	"june jun juni junio juin giugno junho июня",
	"july jul juli julio juillet luglio julho июля",
	"august aug agosto août августа",
	"september sept sep septiembre septembre settembre setembro сентября",
	"october oct oktober octubre octobre ottobre outubro октября",
	"november nov noviembre novembre novembro ноября",
	"december dec dezember diciembre décembre dicembre dezembro декабря",
}

var monthNumbers = func() map[string]int {
	all := map[string]int{}
	for i, names := range monthWords {
		for name := range strings.FieldsSeq(names) {
			all[name] = i + 1
		}
	}
	return all
}()

// monthName reports whether a word names a month.
func monthName(w string) bool { return monthNumbers[strings.ToLower(strings.TrimSuffix(w, "."))] != 0 }

// dateForms find dates, the most exact first. Their named groups are its parts.
var dateForms = func() []*regexp.Regexp {
	month := `(?P<month>(?i:` + strings.Join(strings.Fields(strings.Join(monthWords[:], " ")), "|") + `))\.?`
	const year, day = `(?P<year>1\d{3}|20\d{2}|2100)`, `(?P<day>[12]\d|3[01]|0?[1-9])`
	all := []string{
		`\b` + year + `-(?P<number>0[1-9]|1[0-2])-` + day + `\b`,
		`\b(?:the )?` + day + `(?:st|nd|rd|th|\.|º)?(?: of| de)? ` + month + `(?:,? (?:of |de )?` + year + `)?\b`,
		`\b` + month + ` ` + day + `(?:st|nd|rd|th)?(?:,? ` + year + `)?\b`,
		`\b` + month + `,? (?:of |de )?` + year + `\b`,
		year + `年(?:(?P<number>\d{1,2})月(?:` + day + `日)?)?`,
		`\b(?:(?:between|from|von|zwischen|entre|desde) )?` + year + `(?:\s?[–-]\s?| (?:and|to|until|bis|und|y|a|hasta) )(?:1\d{3}|20\d{2}|\d{2})\b`,
		`\b\d{1,4} ?(?:BCE?|B\.C\.(?:E\.)?|AD|CE|v\. Chr\.|n\. Chr\.|a\. ?C\.|d\. ?C\.)`,
		`\b(?:AD|A\.D\.) ?\d{1,4}\b`,
		`(?i)\b(?:(?:the )?(?:early|mid|middle|late|beginning|end)(?:[- ](?:of )?(?:the )?| ))?(?:the )?(?:1\d|20)\d0s\b`,
		`(?i)\b(?:(?:the )?(?:early|mid|middle|late|beginning|end)(?:[- ](?:of )?(?:the )?| ))?(?:the )?(?:\d{1,2}(?:st|nd|rd|th)|\d{1,2}\.|first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|eleventh|twelfth|thirteenth|fourteenth|fifteenth|sixteenth|seventeenth|eighteenth|nineteenth|twentieth|twenty-first)(?:[- ](?:and|to|or|through) (?:\d{1,2}(?:st|nd|rd|th)|\w+th))?[- ](?:century|centuries|jahrhundert)\b(?: (?:BCE?|AD|CE))?`,
		`(?i)\bsiglo [xvi]+\b`,
		`\b` + year + `\b`,
		`(?i)\b(?:about |around |some )?(?:\d[\d,.]*|\w+)(?: (?:million|billion|thousand|hundred))? (?:years|months|days|weeks|decades|centuries) (?:ago|later|earlier|before present)\b`,
		`(?i)\b(?:spring|summer|autumn|winter|fall)(?: of)? ` + year + `\b`,
		`\b(?:Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday)s?\b`,
		`\b` + month + `\b`,
	}
	forms := make([]*regexp.Regexp, len(all))
	for i, form := range all {
		forms[i] = regexp.MustCompile(form)
	}
	return forms
}()

// moment is a date as far as a text gives it; a part that it does not give is 0.
type moment struct {
	corpus.Span
	year, month, day int
}

// momentsOf returns the dates of a text, none within another.
func momentsOf(text string) []moment {
	if strings.IndexAny(text, "0123456789") < 0 && !strings.ContainsAny(text, "JFMASONDcCsdw") {
		return nil
	}
	var all []moment
	for _, form := range dateForms {
		names := form.SubexpNames()
		for _, m := range form.FindAllStringSubmatchIndex(text, -1) {
			at := moment{Span: corpus.Span{Start: m[0], End: m[1]}}
			if overlaps(all, at.Span) || m[0] > 0 && strings.IndexByte(".,:/$€£", text[m[0]-1]) >= 0 || single(text, at.Span) || measured.MatchString(text[m[1]:]) {
				continue
			}
			for g, name := range names {
				if name == "" || m[2*g] < 0 {
					continue
				}
				part := text[m[2*g]:m[2*g+1]]
				n, _ := strconv.Atoi(part)
				switch name {
				case "year":
					at.year = n
				case "number":
					at.month = n
				case "month":
					at.month = monthNumbers[strings.ToLower(part)]
				case "day":
					at.day = n
				}
			}
			all = append(all, at)
		}
	}
	return all
}

// measured finds a measure behind what looks like a year: 1230 km.
var measured = regexp.MustCompile(`^[ -]?(?:` + units + `)(?:$|[^\pL\pN])`)

// single reports a month alone that is more often another word: "may", "mar".
func single(text string, at corpus.Span) bool {
	word := text[at.Start:at.End]
	return monthName(word) && (!capital(word) || len(word) < 4)
}

func overlaps(all []moment, at corpus.Span) bool {
	for _, m := range all {
		if at.Start < m.End && m.Start < at.End {
			return true
		}
	}
	return false
}

var (
	asksYear  = regexp.MustCompile(`(?i)\b(?:what|which) years?\b`)
	asksMonth = regexp.MustCompile(`(?i)\b(?:what|which) months?\b`)
	asksDay   = regexp.MustCompile(`(?i)\b(?:what|which) (?:day|date)\b`)
)

// dates returns the dates of the sentence that the question does not have.
func (s *scanned) dates() []found {
	var all []found
	for _, m := range momentsOf(s.text) {
		first, last := s.wordsIn(m.Span)
		if s.allAsked(first, last) {
			continue
		}
		f := found{Span: m.Span}
		switch {
		case m.year != 0, m.day != 0:
			f.bonus = 0.3
		case strings.HasSuffix(s.text[m.Start:m.End], "ly"):
			f.bonus = -1
		}
		if s.before(first, "in", "on", "since", "until", "by", "from", "during", "am", "im", "en", "el", "seit") {
			f.bonus += 0.2
		}
		if s.asksFor(asksYear) && m.year == 0 && !strings.ContainsAny(s.text[m.Start:m.End], "0123456789") ||
			s.asksFor(asksMonth) && m.month == 0 || s.asksFor(asksDay) && m.day == 0 {
			f.bonus -= 1
		}
		all = append(all, f)
	}
	return all
}

// asksFor reports whether the question has a form.
func (s *scanned) asksFor(way *regexp.Regexp) bool { return way.MatchString(s.asking) }
