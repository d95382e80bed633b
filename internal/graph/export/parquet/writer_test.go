package parquet

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"testing"
	"time"
)

var sample = []Column{
	{Name: "id", Kind: Text},
	{Name: "kind", Kind: Text},
	{Name: "note", Kind: Text, Optional: true},
	{Name: "names", Kind: Texts},
	{Name: "n", Kind: Integer},
	{Name: "x", Kind: Number, Optional: true},
	{Name: "at", Kind: Instant, Optional: true},
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

// TestSameBytes: the same rows give the same file, whichever way it is taken.
func TestSameBytes(t *testing.T) {
	var first, second bytes.Buffer
	if err := errors.Join(write(&first, 5000), write(oneByOne{&second}, 5000)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the files differ")
	}
}

// oneByOne takes what it is given in pieces.
type oneByOne struct{ to io.Writer }

func (w oneByOne) Write(p []byte) (int, error) {
	for i := range p {
		if _, err := w.to.Write(p[i : i+1]); err != nil {
			return i, err
		}
	}
	return len(p), nil
}

// TestFrame: a file begins and ends as the format wants it, also one without rows. DuckDB reads
// such files in the tests of kg-data.
func TestFrame(t *testing.T) {
	for _, n := range []int{0, 1, groupRows + 1} {
		var file bytes.Buffer
		if err := write(&file, n); err != nil {
			t.Fatal(err)
		}
		b := file.Bytes()
		footer := int(binary.LittleEndian.Uint32(b[len(b)-8:]))
		if string(b[:4]) != magic || string(b[len(b)-4:]) != magic || footer > len(b)-12 {
			t.Errorf("%d rows: %q … %q with a footer of %d bytes of %d", n, b[:4], b[len(b)-4:], footer, len(b))
		}
	}
}

// full takes so many bytes and then no more.
type full struct{ room int }

var errFull = errors.New("no room")

func (f *full) Write(p []byte) (int, error) {
	if f.room -= len(p); f.room < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestWriteErrors: an error of what is below stays, wherever it comes.
func TestWriteErrors(t *testing.T) {
	var whole bytes.Buffer
	if err := write(&whole, 300); err != nil {
		t.Fatal(err)
	}
	for room := 0; room < whole.Len(); room += 97 {
		if err := write(&full{room}, 300); !errors.Is(err, errFull) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
	}
}

// TestRowsAreWhole: a row with too few values, or one of another kind, is a mistake of the
// program, and not a file that cannot be read.
func TestRowsAreWhole(t *testing.T) {
	for name, row := range map[string]func(w *Writer){
		"too few":      func(w *Writer) { w.Text("a"); _ = w.EndRow() },
		"another kind": func(w *Writer) { w.Text("a"); w.Number(1) },
	} {
		t.Run(name, func(t *testing.T) {
			w, err := NewWriter(io.Discard, sample)
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if recover() == nil {
					t.Error("it was taken")
				}
			}()
			row(w)
		})
	}
}
