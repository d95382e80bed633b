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
)

// maxTest is the most bytes of a frame here.
const maxTest = 1 << 20

// said is a body.
type said struct {
	Message string `json:"message"`
	SQL     string `json:"sql"`
}

func framed(body string) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...)
}

func TestRoundTrip(t *testing.T) {
	want := []Answer{
		{ID: 1, Begins: true},
		{ID: 2, Body: &said{Message: "<no> such column"}},
	}
	var pipe bytes.Buffer
	for _, a := range want {
		if err := Write(&pipe, a, maxTest); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range want {
		got := Answer{}
		if w.Body != nil {
			got.Body = &said{}
		}
		if err := Read(&pipe, &got, maxTest); err != nil || !reflect.DeepEqual(got, w) {
			t.Errorf("got %+v, %v", got, err)
		}
	}
	if err := Read(&pipe, &Answer{}, maxTest); err != io.EOF { //nolint:errorlint // the bare end is the contract
		t.Errorf("got %v at the end", err)
	}
}

func TestMalformed(t *testing.T) {
	for name, b := range map[string][]byte{
		"a length cut off":             {0, 0},
		"a body cut off":               framed(`{"id":1}`)[:8],
		"more than announced":          {0, 0, 0, 200, '{'},
		"too long":                     {0xff, 0xff, 0xff, 0xff},
		"empty":                        framed(""),
		"garbage":                      framed("garbage"),
		"an unknown member":            framed(`{"id":1,"run":"sh"}`),
		"two documents":                framed(`{"id":1}{"id":2}`),
		"a wrong type":                 framed(`{"id":"1"}`),
		"a negative id":                framed(`{"id":-1}`),
		"not UTF-8":                    framed("{\"body\":{\"message\":\"\xff\"}}"),
		"a member that the body lacks": framed(`{"id":1,"body":{"run":"sh"}}`),
		"deep nesting":                 framed(strings.Repeat("[", 100_000)),
	} {
		if err := Read(bytes.NewReader(b), &Answer{Body: &said{}}, maxTest); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if err := Read(bytes.NewReader(framed(`{"id":1}`)), &Answer{}, 7); !errors.Is(err, ErrMalformed) {
		t.Errorf("a frame of 8 bytes where 7 are the most: got %v", err)
	}
	if err := Write(io.Discard, Request{Body: strings.Repeat("x", maxTest)}, maxTest); err == nil {
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
	after := allocated(func() { _ = Read(&endless{}, &Answer{}, maxTest) })
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
	f.Add(framed(`{"id":1,"body":{"message":"a","sql":"SELECT 1"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		a := Answer{Body: &said{}}
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
	f.Add(framed(`{"id":1,"body":{"message":"a","sql":"SELECT 1"}}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r := Request{Body: &said{}}
		if Read(bytes.NewReader(b), &r, 1<<16) == nil {
			if err := Write(io.Discard, r, 1<<20); err != nil {
				t.Fatalf("what was read cannot be written: %v", err)
			}
		}
	})
}
