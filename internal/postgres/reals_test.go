package postgres

import (
	"math"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/pgtest"
)

// TestReals reads arrays of real numbers as the library's codec does, whatever the numbers and
// the bytes.
func TestReals(t *testing.T) {
	m := pgtype.NewMap()
	rapid.Check(t, func(r *rapid.T) {
		list := rapid.SliceOf(rapid.Custom(func(r *rapid.T) float32 { return math.Float32frombits(rapid.Uint32().Draw(r, "bits")) })).Draw(r, "numbers")
		src, err := m.Encode(pgtype.Float4ArrayOID, pgtype.BinaryFormatCode, list, nil)
		if err != nil {
			r.Fatal(err)
		}
		var want []float32
		if err := m.Scan(pgtype.Float4ArrayOID, pgtype.BinaryFormatCode, src, &want); err != nil {
			r.Fatal(err)
		}
		got, err := readReals(src)
		if err != nil || len(got) != len(want) || (got == nil) != (want == nil) {
			r.Fatalf("%v, %v, want %v", got, err, want)
		}
		for i := range want {
			if math.Float32bits(got[i]) != math.Float32bits(want[i]) {
				r.Fatalf("number %d is %v, want %v", i, got[i], want[i])
			}
		}
		if src == nil {
			return
		}
		cut := rapid.IntRange(0, len(src)).Draw(r, "cut")
		if got, err := readReals(src[:cut]); err == nil && len(got) > len(want) {
			r.Fatalf("of %d bytes %v", cut, got)
		}
		broken := slices.Clone(src)
		broken[rapid.IntRange(0, len(src)-1).Draw(r, "byte")] ^= 1 << rapid.IntRange(0, 7).Draw(r, "bit")
		if got, err := readReals(broken); err == nil && len(got) > len(src)/arrayNumber {
			r.Fatalf("of %d bytes %d numbers", len(src), len(got))
		}
	})
}

// TestRealsOfAConnection reads them as the statements of the stores do, into both types, with
// NULL, none and several dimensions.
func TestRealsOfAConnection(t *testing.T) {
	t.Parallel()
	conn, err := pgx.Connect(t.Context(), pgtest.NewDSN(t))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := useRealArrays(t.Context(), conn); err != nil {
		t.Fatal(err)
	}
	var a []float32
	var b, none models.Embedding
	var empty, flat []float32
	var text string
	if err := conn.QueryRow(t.Context(), "SELECT '{1.5,-0.1}'::real[], '{NaN,Infinity}'::real[], NULL::real[], '{}'::real[], '{{1,2},{3,4}}'::real[], '{7}'::real[]::text").Scan(&a, &b, &none, &empty, &flat, &text); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(a, []float32{1.5, -0.1}) || len(b) != 2 || b[0] == b[0] || !math.IsInf(float64(b[1]), 1) || none != nil || empty == nil || len(empty) != 0 || !slices.Equal(flat, []float32{1, 2, 3, 4}) || text != "{7}" {
		t.Errorf("%v %v %v %v %v %q", a, b, none, empty, flat, text)
	}
	if err := conn.QueryRow(t.Context(), "SELECT '{1,NULL}'::real[]").Scan(&a); err == nil {
		t.Errorf("a NULL became %v", a)
	}
	if err := conn.QueryRow(t.Context(), "SELECT $1::real[]", a[:1]).Scan(&flat); err != nil || !slices.Equal(flat, a[:1]) {
		t.Errorf("there and back: %v, %v", flat, err)
	}
	var doubles []float64
	if err := conn.QueryRow(t.Context(), "SELECT '{1.5}'::real[]").Scan(&doubles); err != nil || !slices.Equal(doubles, []float64{1.5}) {
		t.Errorf("%v, %v", doubles, err)
	}
}

// BenchmarkReals reads an embedding of 768 numbers, by the library's codec and by ours.
func BenchmarkReals(b *testing.B) {
	m := pgtype.NewMap()
	src, err := m.Encode(pgtype.Float4ArrayOID, pgtype.BinaryFormatCode, make([]float32, 768), nil)
	if err != nil {
		b.Fatal(err)
	}
	for name, scan := range map[string]func(to *[]float32) error{
		"library": func(to *[]float32) error { return m.Scan(pgtype.Float4ArrayOID, pgtype.BinaryFormatCode, src, to) },
		"ours":    func(to *[]float32) error { return scanReals{}.Scan(src, to) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				var to []float32
				if err := scan(&to); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
