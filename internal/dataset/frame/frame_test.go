package frame

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"runtime"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
)

func framed(body string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func TestRoundTrip(t *testing.T) {
	want := []Answer{
		{ID: 1, Begins: true},
		{ID: 2, Error: &kappa.DatasetError{Type: kappa.DatasetSQL, Message: "<no> such column"}},
	}
	var pipe bytes.Buffer
	for _, a := range want {
		if err := Write(&pipe, a, MaxAnswer); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range want {
		var got Answer
		if err := Read(&pipe, &got, MaxAnswer); err != nil || !reflect.DeepEqual(got, w) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	if err := Read(&pipe, &Answer{}, MaxAnswer); err != io.EOF { //nolint:errorlint // the bare end is the contract
		t.Errorf("got %v at the end", err)
	}
}

func TestMalformed(t *testing.T) {
	for name, b := range map[string][]byte{
		"a length cut off":    {0, 0},
		"a body cut off":      framed(`{"id":1}`)[:8],
		"more than announced": {0, 0, 0, 200, '{'},
		"too long":            {0xff, 0xff, 0xff, 0xff},
		"empty":               framed(""),
		"garbage":             framed("garbage"),
		"an unknown member":   framed(`{"id":1,"run":"sh"}`),
		"two documents":       framed(`{"id":1}{"id":2}`),
		"a wrong type":        framed(`{"id":"1"}`),
		"a negative id":       framed(`{"id":-1}`),
		"not UTF-8":           framed("{\"error\":{\"message\":\"\xff\"}}"),
		"deep nesting":        framed(strings.Repeat("[", 100_000)),
	} {
		if err := Read(bytes.NewReader(b), &Answer{}, MaxAnswer); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := Read(bytes.NewReader(framed(`{"id":1}`)), &Answer{}, 7); !errors.Is(err, ErrMalformed) {
		t.Errorf("a frame of 8 bytes where 7 are the most: got %v", err)
	}
	if err := Write(io.Discard, Request{SQL: strings.Repeat("x", MaxRequest)}, MaxRequest); err == nil {
		t.Error("a frame above the limit was written")
	}
}

// endless announces much and brings little.
type endless struct{ read int }

func (e *endless) Read(b []byte) (int, error) {
	if e.read >= 1<<10 {
		return 0, io.ErrUnexpectedEOF
	}
	n := copy(b, []byte{3, 0, 0, 0, 'x'})
	e.read += n
	return n, nil
}

func TestAnnouncedBytesAreNotReserved(t *testing.T) {
	before := allocated(func() {})
	after := allocated(func() { _ = Read(&endless{}, &Answer{}, MaxAnswer) })
	if after > before+1<<20 {
		t.Errorf("%d bytes were reserved for a frame of which 1 kB came", after-before)
	}
}

func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func FuzzRead(f *testing.F) {
	f.Add(framed(`{"id":1,"done":0.5}`))
	f.Add(framed(`{"id":1,"rows":{"columns":[{"name":"a","type":"INTEGER","nullable":true}],"rows":[{"a":1}],"total_rows":1,"truncated":false,"duration_ms":1}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var a Answer
		if Read(bytes.NewReader(b), &a, 1<<16) != nil {
			return
		}
		var again bytes.Buffer
		if err := Write(&again, a, 1<<20); err != nil {
			t.Fatalf("what was read cannot be written: %v", err)
		}
	})
}

func FuzzReadRequest(f *testing.F) {
	f.Add(framed(`{"id":1,"op":"query","tables":[{"name":"t","path":"/x"}],"sql":"SELECT 1","limit":10}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		var r Request
		if Read(bytes.NewReader(b), &r, 1<<16) == nil {
			if err := Write(io.Discard, r, MaxRequest); err != nil {
				t.Fatalf("what was read cannot be written: %v", err)
			}
		}
	})
}
