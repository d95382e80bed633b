package streams

import (
	"bufio"
	"bytes"
	"io"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
)

// readFrame reads the next event as a browser does. Only an event with data is
// one; other lines, such as retry, are skipped.
func readFrame(r *bufio.Reader) (frame, error) {
	var f frame
	var hasData bool
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return f, err
		}
		line = strings.TrimRight(line, "\n")
		if strings.Contains(line, "\r") {
			return f, io.ErrUnexpectedEOF // a carriage return ends a line too: it must not occur
		}
		field, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch field {
		case "":
			if hasData {
				return f, nil
			}
			f = frame{}
		case "id":
			if f.id, err = strconv.ParseInt(value, 10, 64); err != nil {
				return f, err
			}
		case "event":
			f.event = value
		case "data":
			if hasData {
				f.data = append(f.data, '\n')
			}
			hasData = true
			f.data = append(f.data, value...)
		}
	}
}

func FuzzFrame(f *testing.F) {
	f.Add(int64(1), "status", []byte(`{"a":1}`))
	f.Add(int64(0), "error\ndata: x\n\nevent: completed", []byte("a\n\nevent: completed\ndata: {}\n\n"))
	f.Add(int64(-1), "", []byte("\r\r: \x00\nid: 7"))
	f.Fuzz(func(t *testing.T, id int64, event string, data []byte) {
		text := frame{id: id, event: event, data: data}.appendTo(nil)
		r := bufio.NewReader(bytes.NewReader(append(text, "event: after\ndata: x\n\n"...)))
		got, err := readFrame(r)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		want := bytes.Map(func(r rune) rune {
			if r == '\r' || r == '\n' {
				return ' '
			}
			return r
		}, bytes.TrimRight(bytes.ToValidUTF8(data, nil), "\r\n"))
		if got.id != max(id, 0) || strings.Trim(got.event, "abcdefghijklmnopqrstuvwxyz") != "" || len(got.event) > len(event) ||
			!bytes.Equal(bytes.ToValidUTF8(got.data, nil), want) && bytes.Equal(data, bytes.ToValidUTF8(data, nil)) {
			t.Errorf("%q was read as %+v", text, got)
		}
		if next, err := readFrame(r); err != nil || next.event != "after" {
			t.Errorf("%q: the next event was read as %+v, %v", text, next, err)
		}
	})
}

// TestLastEventID reads what clients claim to have seen (S06).
func TestLastEventID(t *testing.T) {
	for _, tt := range []struct {
		header, query string
		id            int64
		ok            bool
	}{
		{"", "", 0, false},
		{"7", "", 7, true},
		{"0", "", 0, true},
		{"", "8", 8, true},
		{"7", "8", 7, true},
		{"-1", "", 0, false},
		{"+1", "", 0, false},
		{" 1", "", 0, false},
		{"1e3", "", 0, false},
		{"٣", "", 0, false},
		{"9223372036854775807", "", 9223372036854775807, true},
		{"9223372036854775808", "", 0, false},
		{"x", "8", 0, false},
	} {
		r := httptest.NewRequest("GET", "/?last_event_id="+tt.query, nil)
		r.Header.Set("Last-Event-ID", tt.header)
		id, ok := lastEventID(r)
		if ok != tt.ok || ok && id != tt.id {
			t.Errorf("%+v: got %d, %v", tt, id, ok)
		}
	}
}
