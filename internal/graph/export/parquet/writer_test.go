package parquet

import (
	"fmt"
	"io"
	"time"
)

var sample = []Column{
	{Name: "id", Kind: Text}, {Name: "kind", Kind: Text}, {Name: "note", Kind: Text, Optional: true}, {Name: "names", Kind: Texts},
	{Name: "n", Kind: Integer}, {Name: "x", Kind: Number, Optional: true}, {Name: "at", Kind: Instant, Optional: true},
}

// write writes n rows of the sample.
func write(to io.Writer, n int) error {
	w, err := NewWriter(to, sample, Property{"kappa.epoch", "7"})
	if err != nil {
		return err
	}
	for i := range n {
		w.Text(fmt.Sprintf("id-%d", i))
		w.Text([]string{"CAUSES", "PREVENTS", "ÄÖ €"}[i%3])
		w.TextOrNull([]string{"", "a note"}[i%2])
		w.Texts([][]string{nil, {"one"}, {"one", "two", ""}}[i%3])
		w.Integer(i - 5)
		if x := float64(i) / 4; i%5 == 0 {
			w.NumberOrNull(nil)
		} else {
			w.NumberOrNull(&x)
		}
		if i%7 == 0 {
			w.InstantOrNull(time.Time{})
		} else {
			w.InstantOrNull(time.Date(2026, 1, 31, 12, 30, 0, 1234000, time.UTC).Add(time.Duration(i) * time.Hour))
		}
		if err := w.EndRow(); err != nil {
			return err
		}
	}
	return w.Close()
}
