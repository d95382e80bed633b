package answers

import (
	"strconv"
	"strings"
)

// monthWords are the names of the twelve months in the languages that are read, folded, with their
// short forms.
var monthWords = [12]string{
	"january jan januar enero janvier gennaio janeiro января",
	"february feb februar febrero fevrier febbraio fevereiro февраля",
	"march mar marz marzo mars marco марта",
	"april apr abril avril aprile апреля",
	"may mai mayo maggio maio мая",
	"june jun juni junio juin giugno junho июня",
	"july jul juli julio juillet luglio julho июля",
	"august aug agosto aout августа",
	"september sept sep septiembre septembre settembre setembro сентября",
	"october oct oktober octubre octobre ottobre outubro октября",
	"november nov noviembre novembre novembro ноября",
	"december dec dezember diciembre decembre dicembre dezembro декабря", //nolint:misspell // it is French
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

var (
	seasons      = set("spring summer autumn winter fall fruhling sommer herbst")
	rangeWords   = set("and to until through und bis y a hasta")
	weekdays     = set("monday tuesday wednesday thursday friday saturday sunday")
	qualifiers   = set("the early mid middle late beginning end first second third last half quarter of")
	agoWords     = set("ago later earlier before")
	ordinalWords = set("first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first")
)

// wholeNumber returns a number of at most six digits; 0 of anything else.
func wholeNumber(w string) int {
	if w == "" || len(w) > 6 || strings.Trim(w, "0123456789") != "" {
		return 0
	}
	n, _ := strconv.Atoi(w)
	return n
}

// yearOf returns a year of four digits, from 1000 to 2100; 0 of anything else.
func yearOf(w string) int {
	if n := wholeNumber(w); len(w) == 4 && n >= 1000 && n <= 2100 {
		return n
	}
	return 0
}

// isoDate reads 2026-01-31.
func isoDate(w string) (year, month, day int, ok bool) {
	if len(w) != 10 || w[4] != '-' || w[7] != '-' {
		return 0, 0, 0, false
	}
	year, month, day = wholeNumber(w[:4]), wholeNumber(w[5:7]), wholeNumber(w[8:])
	return year, month, day, year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= 31
}

// ordinal reports a number such as 19th.
func ordinal(w string) bool {
	digits := strings.TrimRight(w, "abcdefghijklmnopqrstuvwxyz")
	switch w[len(digits):] {
	case "st", "nd", "rd", "th":
		return wholeNumber(digits) > 0
	}
	return false
}

// decade reports 1970s and mid-1970s.
func decade(w string) bool {
	if i := strings.IndexByte(w, '-'); i > 0 && qualifiers[w[:i]] {
		w = w[i+1:]
	}
	return len(w) == 5 && w[4] == 's' && yearOf(w[:4]) != 0
}

// centuryJoined reports 19th-century.
func centuryJoined(w string) bool {
	before, found := strings.CutSuffix(w, "-century")
	return found && (ordinal(before) || ordinalWords[before])
}

// era reports what stands behind a year that is counted from an event.
func era(raw string) bool {
	switch raw {
	case "BC", "BCE", "B.C", "B.C.E", "AD", "CE", "A.D", "BP":
		return true
	}
	return false
}

// measured reports whether a measure stands behind what looks like a year: 1230 km.
func measured(behind, word, raw string) bool {
	if behind == "" || strings.HasPrefix(behind, "%") || strings.HasPrefix(behind, "°") {
		return behind != ""
	}
	return (behind[0] == ' ' || behind[0] == '-') && strings.HasPrefix(behind[1:], raw) && unitWords[word]
}
