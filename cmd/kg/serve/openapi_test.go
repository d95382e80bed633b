package serve

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

// apiDocument is the OpenAPI document of this program, in the form of docs/openapi.json.
func apiDocument(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	check(t, json.Indent(&b, newWholeAPI(t).OpenAPI(), "", "  "))
	b.WriteByte('\n')
	return bytes.Replace(b.Bytes(), []byte(`"version": "test"`), []byte(`"version": "devel"`), 1)
}

// TestOpenAPIDocument holds docs/openapi.json to the code, so that every change of the API
// shows in a change.
func TestOpenAPIDocument(t *testing.T) {
	golden(t, "docs/openapi.json", string(apiDocument(t)))
}

// golden compares a text with a file of the repository, or writes it with -update.
func golden(t *testing.T, name, want string) {
	t.Helper()
	path := filepath.Join("..", "..", "..", filepath.FromSlash(name))
	if *update {
		check(t, os.WriteFile(path, []byte(want), 0o644))
		return
	}
	current, err := os.ReadFile(path)
	check(t, err)
	if string(current) == want {
		return
	}
	got, now := strings.Split(string(current), "\n"), strings.Split(want, "\n")
	for i := range min(len(got), len(now)) {
		if got[i] != now[i] {
			t.Fatalf("%s is not current, from line %d on:\n- %s\n+ %s\nrun go test ./cmd/kg/serve -run TestOpenAPIDocument -update", name, i+1, got[i], now[i])
		}
	}
	t.Fatalf("%s has %d lines, want %d", name, len(got), len(now))
}

// TestTheReferenceIsAPage: it shows every operation and every schema, and loads nothing.
func TestTheReferenceIsAPage(t *testing.T) {
	api := newWholeAPI(t)
	doc, _ := apitest.ReadSpec(t, api)
	resp, body := apitest.Call(t, api, apitest.Request{Method: "GET", Path: "/docs", Token: apitest.None})
	if resp.StatusCode != 200 || resp.Header.Get("Content-Type") != "text/html; charset=utf-8" || !strings.HasPrefix(resp.Header.Get("Content-Security-Policy"), "default-src 'none'") {
		t.Errorf("%d, header %v", resp.StatusCode, resp.Header)
	}
	for _, methods := range doc.Paths {
		for _, op := range methods {
			if !strings.Contains(body, `<details id="`+op.OperationID+`">`) {
				t.Errorf("the page lacks %s", op.OperationID)
			}
		}
	}
	for name := range doc.Components.Schemas {
		if !strings.Contains(body, `id="schema-`+name+`"`) {
			t.Errorf("the page lacks %s", name)
		}
	}
	for _, loads := range []string{"<script", "<link", "<img", "src=", `href="http`, "@import", "url("} {
		if strings.Contains(body, loads) {
			t.Errorf("the page has %s", loads)
		}
	}
}
