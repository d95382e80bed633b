package formats

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/kappagraph/kappa/corpus"
)

// separators are what stands between the cells of a table that is text, the likeliest
// first.
const separators = ",;\t|"

// separatorOf returns what separates the cells of a table, or 0 for a text that is none.
// A text that is named as a table may have two rows; another one must have more, whose
// cells do not read as prose.
func separatorOf(text []byte, named bool) rune {
	const head = 64 << 10
	whole := len(text) <= head
	text = text[:min(len(text), head)]
	for _, separator := range separators {
		if bytes.ContainsRune(text, separator) && isTable(text, separator, whole, named) {
			return separator
		}
	}
	return 0
}

func isTable(text []byte, separator rune, whole, named bool) bool {
	rows := records(text, separator)
	counts, spaced, cells := map[int]int{}, 0, 0
	width, n := 0, 0
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return false
		}
		n++
		if n == 1 {
			width = len(row)
		}
		counts[len(row)]++
		for i, cell := range row {
			cells++
			if i > 0 && strings.HasPrefix(cell, " ") {
				spaced++
			}
		}
	}
	if !whole && n > 1 { // the last row may be cut
		n--
	}
	if named {
		return n >= 2 && width >= 2 && 10*counts[width] >= 9*n
	}
	const least, narrow = 4, 3 // rows, and columns with a separator that prose has too
	return n >= least && width >= 2 && counts[width] >= n && 10*spaced < cells && (width >= narrow || separator == '\t') && separator != '|'
}

func records(text []byte, separator rune) *csv.Reader {
	r := csv.NewReader(bytes.NewReader(text))
	r.Comma, r.LazyQuotes, r.FieldsPerRecord, r.ReuseRecord = separator, true, -1, true
	return r
}

// readCSV reads a table.
func readCSV(ctx context.Context, text []byte) (corpus.DocumentText, error) {
	separator := separatorOf(text, true)
	if separator == 0 {
		separator = ','
	}
	rows, t := records(text, separator), table{text: &strings.Builder{}}
	for {
		if ctx.Err() != nil {
			return corpus.DocumentText{}, context.Cause(ctx)
		}
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return corpus.DocumentText{}, malformed("The table cannot be read: %v.", err)
		}
		if err := t.row(row, nil); err != nil {
			return corpus.DocumentText{}, err
		}
	}
	if err := t.end(); err != nil {
		return corpus.DocumentText{}, err
	}
	return corpus.DocumentText{
		Text: strings.TrimSpace(t.text.String()), Markup: corpus.ContentPlain,
		Warnings: []string{"It is a table (CSV): each row is read as its cells, after the names of their columns"},
	}, nil
}
