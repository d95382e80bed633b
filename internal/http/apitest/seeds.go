package apitest

import (
	"strings"

	"github.com/kappagraph/kappa/internal/http"
)

// queries are seeds for fuzzing what follows the question mark.
func queries() []string {
	return []string{
		"status=running&ontology=a%20b&job_type=noop&client_id=admin&limit=500&offset=1000000", "limit=0", "limit=501", "limit=", "limit=1&limit=2",
		"limit=9223372036854775808", "limit=%D9%A3", "offset=-1", "offset=1000001", "status=done", "ontology=%00", "ontology=+", "job_type=%ff", "client_id=" + strings.Repeat("a", 101),
		"sort=evidence&limit=100", "sort=age", "include_grounding=maybe&diversity_max_hops=2", "purge=true&force=on", "purge=maybe", "priority=100", "priority=-101", "priority=1e1",
		"confirm=true", "confirm=true&dry_run=yes&status=queued&system=false&older_than=30d&job_type=noop", "confirm=1&older_than=2d", "confirm=true&older_than=", "confirm=true&status=failed&status=failed",
		"confirm=true&type=noop", "confirm=true&Status=failed", "confirm=true&status=failed;older_than=30d", "confirm=true&job_type=%zz", "confirm=false", "%zz", "a;b", "&&=&", "?", "#",
	}
}

// names are seeds for fuzzing a name in a path, or a key.
func names() []string {
	return []string{
		KnownJob, "job_ffffffffffff", "job_0123456789AB", "job_0123456789ab\n", "interactive", "a/b+c%25", "..", ".", "*", "\x00", "\xff", "\ufffd", "\u202e",
		"job_0123456789ab/stream", "kg-cli-admin-00000000", strings.Repeat("a", 255), strings.Repeat("a", 256), "a b", "ä", "~!",
	}
}

// body is a body and its kind.
type body struct{ contentType, text string }

// bodies are seeds for fuzzing bodies: good ones for some route, and bad ones for all.
func bodies() []body {
	return []body{
		{"application/json", `{"job_type":"noop","queue":"default","priority":5,"data":{"a":[1,null]},"run_at":"2026-01-31T08:00:00Z","auto_approve":true,"max_retries":0}`},
		{"application/json; charset=utf-8", `{"max_slots":3,"poll_interval_ms":500,"stale_timeout_minutes":5,"enabled":true}`},
		{"application/json", `{"priority":-100}`},
		{"", `{"name":"n","job_type":"noop","cron":"*/5 * * * *","time_zone":"Europe/Berlin","condition":"queue_idle","data":{},"priority":1}`},
		{"application/json", `{"cron":"0 4 * * 1","enabled":false,"condition":""}`},
		{"application/json", `{"query":"what","limit":100,"offset":0,"min_similarity":0.5,"ontology":"o","include_evidence":true,"diversity_max_hops":2}`},
		{"text/x+json", `{"concept_id":"a_1","relationship_types":["A"],"max_depth":5,"include_epistemic_status":[]}`},
		{"application/json", `{"from_id":"a_1","to_id":"b_1","max_hops":10}`},
		{http.URLEncodedType, "ontology=o&text=Gr%C3%BC%C3%9Fe&filename=a.md&target_words=500&overlap_words=50&force=yes"},
		{http.MultipartType + "; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"ontology\"\r\n\r\no\r\n--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\ntext\r\n--b--\r\n"},
		{http.URLEncodedType, "username=admin&password=right&client_name=c&scope=read:*"},
		{http.URLEncodedType, "grant_type=client_credentials&client_id=c&client_secret=secret"},
		{http.URLEncodedType + "; charset=UTF-8", "token=t"},

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
		{http.URLEncodedType, "ontology=o&text=x&target_words=99&max_words=1&overlap_words=-1"},
		{http.URLEncodedType, "text=%zz&ontology=%00&=&&;"},
		{http.MultipartType, "--b--"},
		{http.MultipartType + "; boundary=b", "--b\r\nContent-Disposition: form-data; name=\"text\"\r\n\r\n\xff\x00"},
	}
}
