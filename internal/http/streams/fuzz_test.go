package streams

import (
	"bytes"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// parsed is an event as an EventSource dispatches it.
type parsed struct{ event, data, lastID string }

// parseEventStream reads a whole stream by the letter of the HTML standard,
// section 9.2.6, and owes nothing to how Kappa writes one.
func parseEventStream(text []byte) (events []parsed, retry []string) {
	text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf"))
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	text = bytes.ReplaceAll(text, []byte("\r"), []byte("\n"))
	lines := strings.Split(strings.ToValidUTF8(string(text), "\uFFFD"), "\n")
	var event, data, lastID string
	for _, line := range lines[:len(lines)-1] { // what follows the last line end is incomplete
		if line == "" {
			if data != "" {
				events = append(events, parsed{event, strings.TrimSuffix(data, "\n"), lastID})
			}
			event, data = "", ""
			continue
		}
		before, after, ok := strings.Cut(line, ":")
		field, value := line, ""
		if ok {
			field, value = before, strings.TrimPrefix(after, " ")
		}
		switch field {
		case "event":
			event = value
		case "data":
			data += value + "\n"
		case "id":
			if !strings.Contains(value, "\x00") {
				lastID = value
			}
		case "retry":
			retry = append(retry, value)
		}
	}
	return events, retry
}

// FuzzFraming sends any text as events and reads them as a browser does: no text forges an
// event (S16).
func FuzzFraming(f *testing.F) {
	f.Add(int64(1), "status", []byte(`{"a":1}`), int64(2), "progress", []byte(`{}`))
	f.Add(int64(0), "error\ndata: x\n\nevent: completed", []byte("a\n\nevent: completed\ndata: {}\n\n"), int64(-5), "\x00", []byte("\ufeff"))
	f.Add(int64(-1), "", []byte("\r\r: \x00\nid: 7\nretry: 1"), int64(9), "id", []byte("\xff\xc0\r"))
	f.Fuzz(func(t *testing.T, id1 int64, event1 string, data1 []byte, id2 int64, event2 string, data2 []byte) {
		w := &frameWriter{count: func(string) {}}
		w.retry(firstRetry)
		w.add(frame{id1, event1, data1})
		w.keepalive(time.Now())
		w.add(frame{id2, event2, data2})
		w.add(frame{event: "after", data: []byte("{}")})
		events, retry := parseEventStream(w.pending)
		if len(events) != 4 || events[1].event != "keepalive" || events[3].event != "after" || events[3].data != "{}" || !slices.Equal(retry, []string{"2000"}) {
			t.Fatalf("%q was read as %q with retry %q", w.pending, events, retry)
		}
		lastID := ""
		for i, sent := range []frame{{id1, event1, data1}, {}, {id2, event2, data2}, {}} {
			if sent.id > 0 {
				lastID = strconv.FormatInt(sent.id, 10)
			}
			if events[i].lastID != lastID {
				t.Errorf("event %d has id %q, want %q", i, events[i].lastID, lastID)
			}
			if i%2 == 1 {
				continue
			}
			want := strings.NewReplacer("\r", " ", "\n", " ").Replace(strings.TrimRight(string(sent.data), "\r\n"))
			if utf8.ValidString(want) && strings.TrimPrefix(events[i].data, " ") != strings.TrimPrefix(want, " ") {
				t.Errorf("data %q, want %q", events[i].data, want)
			}
			if strings.Trim(events[i].event, "abcdefghijklmnopqrstuvwxyz") != "" {
				t.Errorf("event %q", events[i].event)
			}
		}
	})
}

// FuzzLastEventID asks to go on after anything: the answer is never a 5xx (S06).
func FuzzLastEventID(f *testing.F) {
	for _, id := range []string{"", "0", "2", "3", "-1", "1e3", "9223372036854775807", "9223372036854775808", "٣", "\x00", strings.Repeat("9", 1<<20)} {
		f.Add(id, "")
		f.Add("", id)
	}
	b := withHistory(3, work.StatusCompleted)
	s := newTestServer(f, testConfig(b))
	f.Fuzz(func(t *testing.T, header, query string) {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/jobs/"+knownJob+"/stream?last_event_id="+url.QueryEscape(query), nil)
		r.Header.Set("Authorization", "Bearer good")
		r.Header["Last-Event-Id"] = []string{header}
		w := httptest.NewRecorder()
		s.web.Handler().ServeHTTP(w, r)
		events, _ := parseEventStream(w.Body.Bytes())
		switch {
		case w.Code == 204 && len(events) == 0:
		case w.Code != 200 || len(events) == 0 || events[len(events)-1].event != "completed" && events[len(events)-1].lastID != "3":
			t.Errorf("Last-Event-ID %q, %q: status %d with %q", header, query, w.Code, events)
		}
	})
}

func FuzzSelection(f *testing.F) {
	for _, query := range []string{
		"", "jobs=*", "jobs=job_000000000001,job_000000000002&lanes=fast", "ontology=a&ontology=b%20c", "jobs=&x=y", "%zz", ";", "lanes=*&ticket=t", "ontology=%00",
	} {
		f.Add(query)
	}
	f.Fuzz(func(t *testing.T, query string) {
		sel, err := readSelection(query)
		if err != nil {
			if kappa.ErrorCode(err) != kappa.CodeInvalid || kappa.ErrorMessage(err) == "" {
				t.Fatalf("%q: error %v", query, err)
			}
			return
		}
		for _, id := range sel.jobs {
			if !kappa.IsJobID(id) {
				t.Errorf("%q: job %q", query, id)
			}
		}
		for _, name := range slices.Concat(sel.lanes, sel.ontologies) {
			if name == "" || !utf8.ValidString(name) || strings.Contains(name, "\x00") {
				t.Errorf("%q: name %q", query, name)
			}
		}
		if len(sel.jobs) > maxNamedJobs || len(sel.lanes) > maxNamedLanes || len(sel.ontologies) > maxOntologies {
			t.Errorf("%q: too much is selected", query)
		}
		if !sel.wantsChanges() && !sel.wantsLanes() && len(sel.jobs) == 0 {
			t.Errorf("%q: nothing is selected", query)
		}
	})
}
