package kappa

import (
	"math"
	"strconv"
	"strings"
)

// moneyDigits is how many significant digits an amount keeps that is less than a dollar.
const moneyDigits = 2

// RoundMoney rounds US dollars to cents, and what is less to two significant digits: of
// what costs something it never says that it costs nothing.
func RoundMoney(usd float64) float64 {
	if usd == 0 || math.IsNaN(usd) || math.IsInf(usd, 0) {
		return usd
	}
	text := strconv.FormatFloat(usd, 'f', moneyPlaces(usd), 64)
	rounded, _ := strconv.ParseFloat(text, 64) // which it was written as
	return rounded
}

// Dollars writes US dollars for people, rounded as RoundMoney does: $12.30, $0.0028.
func Dollars(usd float64) string {
	text := strconv.FormatFloat(usd, 'f', moneyPlaces(usd), 64)
	for point := strings.IndexByte(text, '.'); strings.HasSuffix(text, "0") && len(text)-point > moneyDigits+1; {
		text = text[:len(text)-1]
	}
	return "$" + text
}

// moneyPlaces is how many digits after the point an amount keeps.
func moneyPlaces(usd float64) int {
	if usd == 0 || math.IsNaN(usd) || math.IsInf(usd, 0) {
		return moneyDigits
	}
	return max(moneyDigits, moneyDigits-1-int(math.Floor(math.Log10(math.Abs(usd)))))
}
