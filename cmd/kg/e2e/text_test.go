package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/pgtest"
)

// oddTexts are what a field of text may hold that somebody does not expect.
func oddTexts() []string {
	return []string{
		"\x00", "a\x00b", `a\u0000b`, `\ud800`, `x\udc00`, "\xff\xfe", "a\xc3", "\ufffe\uffff", "\u202eabc", "\U0010ffff", "\x1b[31m", "\r\n\r\n", "'; --", "$1", "%s%00", `\`, `"`, "{}",
		" ", strings.Repeat("é", 5000), strings.Repeat("a", 70_000), "-1", "1e400", "NaN", "9223372036854775808", "null", "../../etc/passwd",
	}
}

// apiDocument is what the test reads of the OpenAPI document.
type apiDocument struct {
	Paths      map[string]map[string]json.RawMessage
	Components struct{ Schemas map[string]apiSchema }
}

type apiSchema struct {
	Ref        string `json:"$ref"`
	Type       any
	Properties map[string]apiSchema
}

type apiOperation struct {
	Parameters  []struct{ Name, In string }
	RequestBody struct {
		Content map[string]struct{ Schema apiSchema }
	}
	Responses map[string]json.RawMessage
}

// TestQ49_OddTextIsNoFailureOfTheServer puts odd text into each parameter and each
// member of a body of each route, against the wired server and its database. None
// is answered by a 5xx, but for the routes that are not built, and none is refused by the
// database, which cannot name the parameter.
func TestQ49_OddTextIsNoFailureOfTheServer(t *testing.T) { sendOddTexts(t, 128) }

// TestQ49_OddTextIsNoFailureOfTheServer_Slow sends more of them.
func TestQ49_OddTextIsNoFailureOfTheServer_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	sendOddTexts(t, 3)
}

// sendOddTexts sends each operation one of every so many texts, another share to each.
func sendOddTexts(t *testing.T, every int) {
	t.Helper()
	t.Parallel()
	s := startServer(t, map[string]string{"KG_LOG_LEVEL": "warn"})
	bearer := token(t, s)
	defer http.DefaultClient.CloseIdleConnections()
	resp, err := http.Get(s.url + "/openapi.json")
	check(t, err)
	defer resp.Body.Close()
	var doc apiDocument
	check(t, json.NewDecoder(resp.Body).Decode(&doc))
	operation, sent, refused := 0, 0, 0 // refused for their credentials, and so not read
	try := func(method, target, contentType string, body []byte) {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), method, s.url+target, bytes.NewReader(body))
		check(t, err)
		if contentType != "" {
			req.Header.Set("Content-Type", contentType)
		}
		if !strings.HasPrefix(target, "/auth/oauth/token") {
			req.Header.Set("Authorization", "Bearer "+bearer)
		}
		resp, err := http.DefaultClient.Do(req)
		check(t, err)
		defer resp.Body.Close()
		sent++
		if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusTooManyRequests {
			refused++
		}
		if resp.StatusCode < 400 || resp.StatusCode == http.StatusNotImplemented {
			return // a stream would go on
		}
		text, err := io.ReadAll(resp.Body)
		check(t, err)
		if strings.HasPrefix(target, "/datasets/") && resp.StatusCode == http.StatusServiceUnavailable {
			return // tests of the API run without the program kg-data
		}
		if resp.StatusCode >= 500 || bytes.Contains(text, []byte("cannot be stored; remove it")) {
			t.Errorf("%s %.200s with %.200q: %d %s", method, target, body, resp.StatusCode, text)
		}
	}
	for path, methods := range doc.Paths {
		for method, raw := range methods {
			var op apiOperation
			if json.Unmarshal(raw, &op) != nil || op.Responses == nil {
				continue
			}
			operation++
			for i, text := range oddTexts() {
				if (i+operation)%every != 0 {
					continue
				}
				oddParameters(op, strings.ToUpper(method), path, text, try)
				oddBodies(doc, op, strings.ToUpper(method), path, text, try)
			}
		}
	}
	t.Logf("%d requests to %d paths, %d of them refused", sent, len(doc.Paths), refused)
	if sent-refused < 5000/every {
		t.Errorf("only %d of %d requests were read", sent-refused, sent)
	}
}

type trying func(method, target, contentType string, body []byte)

// oddParameters puts a text into each parameter of the path, the query and the
// header of an operation.
func oddParameters(op apiOperation, method, path, text string, try trying) {
	for _, p := range op.Parameters {
		switch p.In {
		case "path":
			try(method, fill(path, text), "", nil)
		case "query":
			try(method, fill(path, "x")+"?"+url.QueryEscape(p.Name)+"="+url.QueryEscape(text), "", nil)
		}
	}
}

// fill puts a text in the place of each parameter of a path.
func fill(path, text string) string {
	var b strings.Builder
	for path != "" {
		before, rest, found := strings.Cut(path, "{")
		b.WriteString(before)
		if !found {
			break
		}
		_, path, _ = strings.Cut(rest, "}")
		b.WriteString(url.PathEscape(text))
	}
	return b.String()
}

// oddBodies puts a text into each member of the body of an operation, one at a
// time and all at once.
func oddBodies(doc apiDocument, op apiOperation, method, path, text string, try trying) {
	for contentType, content := range op.RequestBody.Content {
		schema := content.Schema
		if name, ok := strings.CutPrefix(schema.Ref, "#/components/schemas/"); ok {
			schema = doc.Components.Schemas[name]
		}
		all := map[string]string{}
		for name := range schema.Properties {
			all[name] = text
			sendBody(method, path, contentType, map[string]string{name: text}, try)
		}
		sendBody(method, path, contentType, all, try)
	}
}

// sendBody sends members as a body of the type. A text is also sent as it is
// within JSON, which may not be valid then.
func sendBody(method, path, contentType string, members map[string]string, try trying) {
	target := fill(path, "x")
	switch {
	case strings.Contains(contentType, "json"):
		encoded, _ := json.Marshal(members) // texts always can be
		try(method, target, contentType, encoded)
		parts := make([]string, 0, len(members))
		for name, text := range members {
			parts = append(parts, fmt.Sprintf(`%q:"%s"`, name, text))
		}
		try(method, target, contentType, []byte("{"+strings.Join(parts, ",")+"}"))
	case strings.Contains(contentType, "urlencoded"):
		form := url.Values{}
		for name, text := range members {
			form.Set(name, text)
		}
		try(method, target, contentType, []byte(form.Encode()))
	case strings.Contains(contentType, "multipart"):
		var form strings.Builder
		for name, text := range members {
			fmt.Fprintf(&form, "--b\r\nContent-Disposition: form-data; name=%q\r\n\r\n%s\r\n", name, text)
		}
		try(method, target, "multipart/form-data; boundary=b", []byte(form.String()+"--b--\r\n"))
	}
}
