package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"
)

// body is a hostile body.
type body struct {
	name, contentType, text string
	header                  map[string]string
}

// bodies are what no route expects.
func bodies() []body {
	deep := func(open, middle, end string, n int) string {
		return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
	}
	all := []body{
		{name: "100,000 lists in each other", text: deep("[", "", "]", 100_000)},
		{name: "100,000 objects in each other", text: deep(`{"a":`, "1", "}", 100_000)},
		{name: "an object within a member", text: `{"query":` + deep(`{"a":`, "1", "}", 50_000) + `}`},
		{name: "cut off", text: `{"query":"a`},
		{name: "two values", text: `{} {}`},
		{name: "a number", text: "1e999999"},
		{name: "a long number", text: `{"limit":` + strings.Repeat("9", 100_000) + `}`},
		{name: "NUL", text: "{\"query\":\"\\u0000\"}"},
		{name: "a raw NUL", text: "{\"query\":\"\x00\"}"},
		{name: "half a pair", text: `{"query":"\ud800"}`},
		{name: "no UTF-8", text: "{\"query\":\"\xff\xfe\"}"},
		{name: "the same member 10,000 times", text: "{" + strings.Repeat(`"query":"a",`, 10_000) + `"query":"b"}`},
		{name: "100,000 members", text: "{" + members(100_000) + "}"},
		{name: "20 MB", text: `{"query":"` + strings.Repeat("a", 20<<20) + `"}`},
		{name: "nothing", text: ""},
		{name: "null", text: "null"},
		{name: "a list", text: "[]"},
		{name: "a text", text: `"a"`},
		{name: "__proto__", text: `{"__proto__":{"a":1},"constructor":1}`},
		{name: "NaN", text: `{"limit":NaN}`},
		{name: "wrong types", text: `{"query":[],"limit":{},"ontology":7,"concept_id":false,"sql":{},"datasets":"x","job_type":[],"username":{},"password":[]}`},
		{name: "a long list", text: `{"concept_ids":[` + strings.Repeat(`"a",`, 200_000) + `"a"]}`},
		{name: "a form without an end", contentType: "multipart/form-data; boundary=x", text: "--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a\"\r\n\r\n"},
		{name: "a form of 100,000 parts", contentType: "multipart/form-data; boundary=x", text: strings.Repeat("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n", 100_000) + "--x--"},
		{name: "a form without a boundary", contentType: "multipart/form-data", text: "x"},
		{name: "100,000 fields", contentType: "application/x-www-form-urlencoded", text: strings.Repeat("a=1&", 100_000)},
		{name: "broken escapes", contentType: "application/x-www-form-urlencoded", text: "a=%zz&%"},
		{name: "XML", contentType: "application/xml", text: `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>`},
	}
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	for range 64 {
		_, _ = z.Write(bytes.Repeat([]byte(" "), 1<<20)) // into memory
	}
	_ = z.Close() // into memory
	for _, coding := range []string{"gzip", "deflate", "br", "zstd", "gzip, gzip", "identity, gzip"} {
		all = append(all, body{name: "64 MB packed as " + coding, text: packed.String(), header: map[string]string{"Content-Encoding": coding}})
	}
	return all
}

func members(n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"m%d":1`, i)
	}
	return b.String()
}

// attackBodies sends every hostile body to every route that takes one. It is refused, in
// time, and with less than a server error.
func attackBodies(ctx context.Context, t *target, out *tally) error {
	routes, err := t.routes(ctx)
	if err != nil {
		return err
	}
	all := bodies()
	for _, r := range routes {
		if r.method == "GET" || r.method == "DELETE" {
			continue
		}
		for _, b := range all {
			if len(b.text) > 1<<20 && !strings.HasPrefix(r.path, "/query") && !strings.HasPrefix(r.path, "/ingest") && !strings.HasPrefix(r.path, "/auth") {
				continue // the limit is the router's: a sample of the routes will do
			}
			t.sendBody(ctx, out, r, b)
		}
	}
	t.attackLines(ctx, out)
	return nil
}

func (t *target) sendBody(ctx context.Context, out *tally, r route, b body) {
	out.try()
	contentType := b.contentType
	if contentType == "" {
		contentType = "application/json"
	}
	began := time.Now()
	// A contributor, who may do no harm to the server's settings where a body is taken.
	a, err := t.send(ctx, request{method: r.method, path: r.sample(), token: t.accounts[1].token, contentType: contentType, body: b.text, header: b.header})
	switch {
	case err != nil && strings.Contains(err.Error(), "reset by peer"), err != nil && strings.Contains(err.Error(), "broken pipe"):
		// A body that is refused before all of it came.
	case err != nil:
		out.hole("%s %s with %s: %v", r.method, r.path, b.name, err)
	case a.status >= 500 && a.status != 501 && a.status != 503:
		out.hole("%s %s with %s: %d %s", r.method, r.path, b.name, a.status, a.body)
	case time.Since(began) > prompt:
		out.hole("%s %s with %s took %v", r.method, r.path, b.name, time.Since(began))
	}
}

// attackLines sends long and odd first lines and headers.
func (t *target) attackLines(ctx context.Context, out *tally) {
	for name, r := range map[string]request{
		"a long path":     {method: "GET", path: "/" + strings.Repeat("a", 100_000)},
		"a long query":    {method: "GET", path: "/jobs?status=" + strings.Repeat("a", 100_000)},
		"many parameters": {method: "GET", path: "/jobs?" + strings.Repeat("limit=1&", 20_000)},
		"dots":            {method: "GET", path: "/jobs/../../../etc/passwd"},
		"escaped dots":    {method: "GET", path: "/ontology/" + url.PathEscape("../../etc/passwd")},
		"NUL in a path":   {method: "GET", path: "/ontology/%00"},
		"no UTF-8":        {method: "GET", path: "/ontology/%ff%fe"},
		"a long header":   {method: "GET", path: "/jobs", header: map[string]string{"X-A": strings.Repeat("a", 1<<20)}},
		"another method":  {method: "PROPFIND", path: "/jobs"},
		"TRACE":           {method: "TRACE", path: "/jobs"},
		"an override":     {method: "POST", path: "/users/me", header: map[string]string{"X-HTTP-Method-Override": "GET"}},
	} {
		r.token = t.accounts[0].token
		out.try()
		a, err := t.send(ctx, r)
		if err != nil && (strings.Contains(err.Error(), "reset by peer") || strings.Contains(err.Error(), "broken pipe") || strings.Contains(err.Error(), "EOF")) {
			continue
		}
		if err != nil || a.status < 400 || a.status >= 500 || strings.Contains(a.body, "root:") {
			out.hole("%s: %d %v %s", name, a.status, err, a.body)
		}
	}
}
