package formats

import (
	"math"
	"strconv"
	"strings"

	"github.com/xuri/excelize/v2"
)

// numberDates says what numbers are dates of.
type numberDates struct {
	from1904 bool
}

// builtinFormats are those formats of numbers that have no text in the workbook.
var builtinFormats = map[int]string{
	1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "#,##0", 6: "#,##0", 7: "#,##0.00", 8: "#,##0.00", 9: "0%", 10: "0.00%",
	14: "yyyy-mm-dd", 15: "yyyy-mm-dd", 16: "yyyy-mm-dd", 17: "yyyy-mm", 18: "h:mm", 19: "h:mm", 20: "h:mm", 21: "h:mm:ss", 22: "yyyy-mm-dd h:mm",
	37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 41: "#,##0", 42: "#,##0", 43: "#,##0.00", 44: "#,##0.00", 45: "mm:ss", 46: "h:mm:ss", 47: "mm:ss",
}

// shown returns a number as its format shows it: dates as 2026-01-31, and others with their
// decimals.
func (d numberDates) shown(n float64, number int, format string) string {
	if format == "" {
		format = builtinFormats[number]
	}
	prefix, code, suffix := splitFormat(format)
	const latest = 2_958_466 // the day after the year 9999
	if day, clock := dateParts(code); (day || clock) && n >= 0 && n < latest {
		return d.date(n, day, clock)
	}
	if code == "" || strings.ContainsAny(code, "E?/@") || !strings.ContainsAny(code, "0#") {
		return general(n)
	}
	if strings.Contains(code, "%") {
		n *= 100
		suffix = "%" + suffix
	}
	_, after, _ := strings.Cut(code, ".")
	text := strconv.FormatFloat(n, 'f', strings.Count(after, "0"), 64)
	if strings.Contains(after, "#") {
		text = general(n)
	}
	if strings.Contains(code, "#,##") || strings.Contains(code, "0,0") {
		text = thousands(text)
	}
	return strings.TrimSpace(prefix + text + suffix)
}

// general returns a number with the digits that are exact.
func general(n float64) string {
	const digits, least, most = 15, 1e-9, 1e21
	if a := math.Abs(n); a != 0 && (a < least || a >= most) || math.IsNaN(n) || math.IsInf(n, 0) {
		return strconv.FormatFloat(n, 'G', digits, 64)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(n, 'G', digits, 64), 64)
	if err != nil {
		rounded = n
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// thousands puts commas into a number.
func thousands(text string) string {
	whole, decimals, found := strings.Cut(text, ".")
	sign := ""
	if strings.HasPrefix(whole, "-") {
		sign, whole = "-", whole[1:]
	}
	const group = 3
	for i := len(whole) - group; i > 0; i -= group {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		whole += "." + decimals
	}
	return sign + whole
}

// date returns a day, a time of the day or both.
func (d numberDates) date(n float64, day, clock bool) string {
	at, err := excelize.ExcelDateToTime(n, d.from1904)
	if err != nil {
		return general(n)
	}
	switch {
	case day && clock:
		return at.Format("2006-01-02 15:04:05")
	case day:
		return at.Format("2006-01-02")
	}
	return at.Format("15:04:05")
}

// splitFormat returns the first part of a format without what is in quotes and brackets, and
// the texts before and after it that are shown.
func splitFormat(format string) (prefix, code, suffix string) {
	var b strings.Builder
	text := func(s string) {
		if b.Len() == 0 {
			prefix += s
		} else {
			suffix += s
		}
	}
	for i := 0; i < len(format) && format[i] != ';'; i++ {
		switch c := format[i]; c {
		case '"', '[':
			end := strings.IndexByte(format[i+1:], map[byte]byte{'"': '"', '[': ']'}[c])
			if end < 0 {
				end = len(format) - i - 1
			}
			part := format[i+1 : i+1+end]
			if currency, _, _ := strings.Cut(strings.TrimPrefix(part, "$"), "-"); c == '"' {
				text(part)
			} else if strings.HasPrefix(part, "$") {
				text(currency)
			}
			i += end + 1
		case '\\':
			if i++; i < len(format) {
				text(format[i : i+1])
			}
		case '_', '*':
			i++
		case '$':
			text("$")
		case ' ', '(', ')', '-', '+':
		default:
			b.WriteByte(c)
		}
	}
	return prefix, b.String(), suffix
}

// dateParts reports whether a format shows a day, and whether it shows a time.
func dateParts(code string) (day, clock bool) {
	code = strings.ToLower(code)
	if strings.Contains(code, "general") || strings.ContainsAny(code, "0#?") && !strings.Contains(code, "s.0") {
		return false, false
	}
	clock = strings.ContainsAny(code, "hs")
	day = strings.ContainsAny(code, "yd") || strings.Contains(code, "m") && !clock
	return day, clock
}
