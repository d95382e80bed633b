package http

import (
	"errors"
	"math"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

// Number is a number in a query that may be left out.
type Number struct {
	value float64
	given bool
}

// Unless returns the number, or def when it was not given.
func (n Number) Unless(def float64) float64 {
	if n.given {
		return n.value
	}
	return def
}

// Given reports whether there is one.
func (n Number) Given() bool { return n.given }

// UnmarshalText reads a decimal number.
func (n *Number) UnmarshalText(text []byte) error {
	value, err := strconv.ParseFloat(string(text), 64)
	if err != nil || math.IsNaN(value) || math.IsInf(value, 0) {
		return errors.New("must be a number")
	}
	n.value, n.given = value, true
	return nil
}

// Schema documents a Number as the number that it is.
func (Number) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeNumber} }

// Whole is a whole number in a query that may be left out.
type Whole struct {
	value int
	given bool
}

// Unless returns the number, or def when it was not given.
func (w Whole) Unless(def int) int {
	if w.given {
		return w.value
	}
	return def
}

// Given reports whether there is one.
func (w Whole) Given() bool { return w.given }

// UnmarshalText reads a whole number.
func (w *Whole) UnmarshalText(text []byte) (err error) {
	if w.value, err = strconv.Atoi(string(text)); err != nil {
		return errors.New("must be a whole number")
	}
	w.given = true
	return nil
}

// Schema documents a Whole as the whole number that it is.
func (Whole) Schema(huma.Registry) *huma.Schema { return &huma.Schema{Type: huma.TypeInteger} }
