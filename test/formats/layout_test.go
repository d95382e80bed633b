package main

import (
	"slices"
	"testing"
)

// TestLayoutRows has rows of a table, a line that stands alone and one of a table of contents.
func TestLayoutRows(t *testing.T) {
	got := layoutRows("Ice moves   to the   sea.\n\nIt melts.\n  Name   2021  2022\n\n  Aletsch  81.7  80.2\n  Gorner   53.1  52.8\nIt melts.\n" +
		"1  Ice . . . . . .   1\n2  Snow . . . . . .   2\n3  Water . . . . . .   3\n")
	if want := []string{"name 2021 2022", "aletsch 81 7 80 2", "gorner 53 1 52 8"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
