package main

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// usDate is a date as LibreOffice writes it where the sheet leaves the form to it.
var usDate = regexp.MustCompile(`\b(\d{1,2})/(\d{1,2})/(\d{4}|\d\d)\b`)

// isoDates writes dates as we do, from the year on: it is the same date in other words.
func isoDates(text string) string {
	return usDate.ReplaceAllStringFunc(text, func(date string) string {
		m := usDate.FindStringSubmatch(date)
		month, _ := strconv.Atoi(m[1])
		day, _ := strconv.Atoi(m[2])
		year, _ := strconv.Atoi(m[3])
		const century, turn = 100, 30
		switch {
		case year < turn:
			year += 2000
		case year < century:
			year += 1900
		}
		return fmt.Sprintf("%04d-%02d-%02d", year, month, day)
	})
}

var truth = strings.NewReplacer("TRUE", "1", "FALSE", "0")

// halfDay is a time as LibreOffice writes it where the sheet leaves the form to it.
var halfDay = regexp.MustCompile(`\b(\d{1,2}):(\d\d)(:\d\d)? ([AP])M\b`)

// fullDay writes times as we do, of 24 hours and with seconds.
func fullDay(text string) string {
	return halfDay.ReplaceAllStringFunc(text, func(clock string) string {
		m := halfDay.FindStringSubmatch(clock)
		hour, _ := strconv.Atoi(m[1])
		const half = 12
		if hour %= half; m[4] == "P" {
			hour += half
		}
		return fmt.Sprintf("%02d:%s%s", hour, m[2], cmp.Or(m[3], ":00"))
	})
}

// sheetNumber is a number of a sheet, perhaps with commas or spaces between its thousands.
var sheetNumber = regexp.MustCompile(`\b\d{1,3}(?:[, \x{A0}]\d{3})+(?:\.\d+)?\b|\b\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\b`)

// decimalComma is a number as languages write it that have a comma before its fraction.
var decimalComma = regexp.MustCompile(`\b(\d{1,3}(?:[. \x{A0}\x{202F}]\d{3})+|\d+),(\d\d?|\d{4,})(?:[eE][-+]?\d+)?\b`)

// decimalPoints writes numbers with a point before their fractions: LibreOffice shows in English what
// the sheet shows in its own language.
func decimalPoints(text string) string {
	return decimalComma.ReplaceAllStringFunc(text, func(number string) string {
		whole, fraction, _ := strings.Cut(number, ",")
		return strings.NewReplacer(".", "", " ", "", "\u00A0", "", "\u202F", "").Replace(whole) + "." + fraction
	})
}

// sheetWords returns the words of a sheet. A number is one of them, and is the same with or without
// signs between its thousands and however many of its digits are shown: programs round at other
// places, and one shows 7.4E-09 as 0.0000000074.
//
// What is true is 1 to one and TRUE to the other.
func sheetWords(text string) []string {
	text = decimalPoints(truth.Replace(text))
	var words []string
	last := 0
	for _, at := range sheetNumber.FindAllStringIndex(text, -1) {
		words = append(words, wordsOf(text[last:at[0]])...)
		last = at[1]
		n, err := strconv.ParseFloat(strings.NewReplacer(",", "", " ", "", "\u00A0", "").Replace(text[at[0]:at[1]]), 64)
		if err != nil {
			words = append(words, wordsOf(text[at[0]:at[1]])...)
			continue
		}
		const digits = 5
		words = append(words, strconv.FormatFloat(n, 'e', digits-1, 64))
	}
	return append(words, wordsOf(text[last:])...)
}
