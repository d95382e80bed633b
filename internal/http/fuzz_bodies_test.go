package http

import (
	"encoding/json"
	"mime"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// described is an operation that the OpenAPI document describes.
type described struct {
	method, path string
	operation
}

// describedWhere returns the operations for which fits holds, so that one that is
// added is fuzzed by itself. There must be at least so many.
func describedWhere(t testing.TB, least int, fits func(operation) bool) []described {
	t.Helper()
	doc, _ := readSpec(t)
	var found []described
	for path, methods := range doc.Paths {
		for method, op := range methods {
			if fits(op) {
				found = append(found, described{strings.ToUpper(method), path, op})
			}
		}
	}
	slices.SortFunc(found, func(a, b described) int { return strings.Compare(a.OperationID, b.OperationID) })
	if len(found) < least {
		t.Fatalf("only %d operations are described, want %d", len(found), least)
	}
	return found
}

// takes reports whether an operation has a parameter in the path, the query or the
// header; "" is one of any name.
func (op operation) takes(in, name string) bool {
	for _, p := range op.Parameters {
		if p.In == in && (name == "" || p.Name == name) {
			return true
		}
	}
	return false
}

func takesBody(op operation) bool { return op.RequestBody.Content != nil }

var pathParameter = regexp.MustCompile(`\{\w+\}`)

// pathWith puts a value into each parameter of the path.
func (d described) pathWith(value string) string {
	return pathParameter.ReplaceAllLiteralString(d.path, url.PathEscape(value))
}

// goodBodies are accepted by one route each, at least.
var goodBodies = []struct{ contentType, body string }{
	{"application/json", `{"job_type":"noop","queue":"default","priority":5,"data":{"a":[1,null]},"run_at":"2026-01-31T08:00:00Z","auto_approve":true,"max_retries":0}`},
	{"application/json; charset=utf-8", `{"max_slots":3,"poll_interval_ms":500,"stale_timeout_minutes":5,"enabled":true}`},
	{"application/json", `{"priority":-100}`},
	{"", `{"name":"n","job_type":"noop","cron":"*/5 * * * *","time_zone":"Europe/Berlin","condition":"queue_idle","data":{},"priority":1}`},
	{"application/json", `{"cron":"0 4 * * 1","enabled":false,"condition":""}`},
	{"application/json", `{"query":"what","limit":100,"offset":0,"min_similarity":0.5,"ontology":"o","include_evidence":true,"diversity_max_hops":2}`},
	{"text/x+json", `{"concept_id":"a_1","relationship_types":["A"],"max_depth":5,"include_epistemic_status":[]}`},
	{"application/json", `{"from_id":"a_1","to_id":"b_1","max_hops":10}`},
	{URLEncodedType, "ontology=o&text=Gr%C3%BC%C3%9Fe&filename=a.md&target_words=500&overlap_words=50&force=yes"},
	{MultipartType + "; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"ontology\"\r\n\r\no\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\ntext\r\n--b--\r\n"},
	{URLEncodedType, "username=admin&password=right&client_name=c&scope=read:*"},
	{URLEncodedType, "grant_type=client_credentials&client_id=c&client_secret=secret"},
	{URLEncodedType + "; charset=UTF-8", "token=t"},
}

// badBodies are refused by all routes, or ignored.
var badBodies = []struct{ contentType, body string }{
	{"", ""},
	{"application/json", "null"},
	{"application/json", `{"query":" ","limit":0,"offset":-1,"min_similarity":1.5,"ontology":""}`},
	{"application/json", `{"query":"a","limit":101}`},
	{"application/json", `{"concept_id":"a","relationship_types":[""],"max_depth":6}`},
	{"application/json", `{"from_id":"a","to_id":"b","max_hops":0}`},
	{"application/json", `{"job_type":"ingestion","queue":"a\nb","priority":101,"max_retries":-1}`},
	{"application/json", `{"job_type":"noop","priority":101}`},
	{"application/json", `"\ud800"`},
	{"application/json", "\xef\xbb\xbf{}"},
	{"application/json", `{"query":"\u0000","job_type":"noop\u202e","max_slots":1e999}`},
	{"application/json", `{"query":"a","QUERY":null,"limit":1,"Limit":null,"max_slots":3,"MAX_SLOTS":99}`},
	{"application/json", `{"max_slots":1}{"max_slots":2}`},
	{"application/json", `{"job_type":"noop","run_at":"0000-01-01T00:00:00+23:59","data":` + strings.Repeat("[", 500) + strings.Repeat("]", 500) + `}`},
	{"application/json;a=b+c", "{}"},
	{"application/json", strings.Repeat("[", 20_000)},
	{"\x00/", "{}"},
	{URLEncodedType, "ontology=o&text=x&target_words=99&max_words=1&overlap_words=-1"},
	{URLEncodedType, "text=%zz&ontology=%00&=&&;"},
	{MultipartType, "--b--"},
	{MultipartType + "; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n\xff\x00"},
}

// FuzzBodies sends any bytes to every route that takes a body: the server does not
// fail, and accepts nothing but JSON, or a form where that is taken (Q49).
func FuzzBodies(f *testing.F) {
	for _, seed := range slices.Concat(goodBodies, badBodies) {
		f.Add(knownJob, seed.contentType, seed.body)
	}
	f.Add("a/b\x00%\xff", "application/json", "{}")
	operations := describedWhere(f, 4, takesBody)
	s, b := newStrictServer(f)
	f.Fuzz(func(t *testing.T, id, contentType, body string) {
		for _, op := range operations {
			resp, _ := b.send(t, s, request{method: op.method, path: op.pathWith(id), contentType: contentType, body: body})
			if resp.StatusCode < 400 && !op.mayTake(contentType, body) {
				t.Errorf("%s %s took %q of type %q", op.method, op.path, body, contentType)
			}
		}
	})
}

// mayTake reports whether a body is of the kind that an operation describes. An
// empty form says nothing of its kind.
func (d described) mayTake(contentType, body string) bool {
	if d.RequestBody.Content["application/json"] != nil {
		return json.Valid([]byte(body))
	}
	media, _, err := mime.ParseMediaType(contentType)
	return body == "" || err == nil && (media == MultipartType || media == URLEncodedType)
}

// FuzzLaneUpdate sends any body as the settings of a lane: what is accepted is
// known and in range, and what is refused changes nothing.
func FuzzLaneUpdate(f *testing.F) {
	for _, body := range []string{
		`{"max_slots":0}`, `{"max_slots":16,"poll_interval_ms":120000,"stale_timeout_minutes":1440,"enabled":false}`, `{"Max_Slots":1}`,
		`{"max_slots":17}`, `{"max_slots":-1}`, `{"max_slots":1.0}`, `{"max_slots":1e1}`, `{"max_slots":true}`, `{"max_slots":"3"}`, `{"max_slots":null}`,
		`{"max_slots":9223372036854775808}`, `{"max_slots":3,"MAX_SLOTS":99}`, `{"max_slots":99,"max_slots":3}`, `{"max_ſlots":99}`,
		`{"poll_interval_ms":499}`, `{"poll_interval_ms":120001}`, `{"stale_timeout_minutes":4}`, `{"stale_timeout_minutes":1441}`,
		`{"max_slots":3,"job_types":[]}`, `{"max_slot":3}`, `{"LaneUpdate":{"max_slots":99}}`, `{"_":{},"enabled":true}`, `{}`, `null`, ``, `[]`, `{"enabled":`,
	} {
		f.Add(body)
	}
	s, b := newStrictServer(f)
	f.Fuzz(func(t *testing.T, body string) {
		resp, _ := b.send(t, s, request{method: "PATCH", path: "/admin/workers/lanes/interactive", body: body})
		if resp.StatusCode >= 400 {
			if len(b.updates) != 0 {
				t.Errorf("%q was refused, and changed %+v", body, b.updates)
			}
			return
		}
		if len(b.updates) != 1 {
			t.Fatalf("%q led to %d updates", body, len(b.updates))
		}
		u, set := b.updates[0], false
		for _, setting := range []struct {
			value       *int
			least, most int
		}{{u.MaxSlots, 0, 16}, {u.PollIntervalMS, 500, 120_000}, {u.StaleTimeoutMinutes, 5, 1440}} {
			set = set || setting.value != nil
			if setting.value != nil && !within(*setting.value, setting.least, setting.most) {
				t.Errorf("%q sets %d, want %d to %d", body, *setting.value, setting.least, setting.most)
			}
		}
		if !set && u.Enabled == nil {
			t.Errorf("%q was accepted, and sets nothing", body)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &members); err != nil {
			t.Errorf("%q was accepted: %v", body, err)
		}
		for name := range members {
			known := func(setting string) bool { return strings.EqualFold(setting, name) }
			if !slices.ContainsFunc([]string{"max_slots", "poll_interval_ms", "stale_timeout_minutes", "enabled"}, known) {
				t.Errorf("%q was accepted, with the unknown %q", body, name)
			}
		}
	})
}
