package main

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// report prints tables, and counts what did not come up to the demands.
type report struct {
	out    io.Writer
	missed int // demands
	absent int // rows that could not be measured
	notes  []string
}

// table prints one table, with the reasons for what is missing in it. Each row
// has as many cells as the heading.
func (r *report) table(title string, heading []string, rows [][]string) {
	fmt.Fprintf(r.out, "%s\n\n", title)
	w := tabwriter.NewWriter(r.out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{heading}, rows...) {
		fmt.Fprintf(w, "%s\n", strings.Join(row, "\t"))
	}
	_ = w.Flush() // there is nobody to report it to
	for _, note := range r.notes {
		fmt.Fprintln(r.out, note)
	}
	r.notes = nil
	fmt.Fprintln(r.out)
}

// verdict returns the word for a demand that was met or not.
func (r *report) verdict(met bool) string {
	if met {
		return "ok"
	}
	r.missed++
	return "MISSED"
}

// unavailable returns the row of something that this build or machine cannot do.
func (r *report) unavailable(name string, cells int, err error) []string {
	r.absent++
	row := make([]string, cells)
	row[0], row[1] = name, "not available"
	r.notes = append(r.notes, fmt.Sprintf("%s is not available: %s", name, firstLine(err.Error())))
	return row
}

// conclude says how it went. It returns an error for a strict run that was not
// perfect.
func (r *report) conclude(strict bool) error {
	if r.missed == 0 && r.absent == 0 {
		fmt.Fprintln(r.out, "every demand is met")
		return nil
	}
	text := fmt.Sprintf("%d demands missed, %d not available", r.missed, r.absent)
	fmt.Fprintln(r.out, text)
	if strict {
		return fmt.Errorf("%s", text)
	}
	return nil
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// ms is a duration in milliseconds.
func ms(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d.Microseconds())/1000)
}

// at returns the value below which that share of a list lies; 0.5 is the median.
func at[T int | int64 | float64 | time.Duration](list []T, share float64) T {
	if len(list) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(list))
	return sorted[int(share*float64(len(sorted)-1))]
}
