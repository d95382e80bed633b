package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/internal/pgtest"
	"github.com/kappagraph/kappa/work"
)

// exchange is a request as a client of the contract sends it, and what that client reads
// of the answer. {name} in a path, a value or a body stands for what an earlier answer had;
// in a path it is percent-encoded, as clients do.
type exchange struct {
	method, path string
	send         any // nil, form, sentFile, or what is sent as JSON
	status       int
	shape        string            // of the answer; "" is not checked
	keep         map[string]string // names, and where their values are in the answer
	token        string            // name of another token; "-" is none
	waitFor      string            // name of a job that has to end first
	analysed     string            // name of a job that has to be analysed first
}

// form is sent urlencoded.
type form map[string]string

// sentFile is sent as multipart/form-data.
type sentFile struct {
	fields   map[string]string
	filename string
	body     string
}

// replay is a client that sends exchanges one after the other.
type replay struct {
	t      *testing.T
	server *testServer
	kept   map[string]string
	valid  *apitest.Validator
}

// TestContract replays the requests of the contract in the order of its sections against
// one server with a small graph, and checks each member that clients read. Every answer
// must also be what the OpenAPI document says.
func TestContract(t *testing.T) {
	t.Parallel()
	r := newReplay(t)
	r.sections(t, contractSections())
	t.Run("one bad request to each operation", func(t *testing.T) { r.sendBadRequests(t, 1) })
}

// TestContractOfProjections_Slow is the part of TestContract whose job takes seconds.
func TestContractOfProjections_Slow(t *testing.T) {
	pgtest.SlowTier(t)
	t.Parallel()
	newReplay(t).sections(t, []contractSection{
		{"logging in", loginExchanges()}, {"ingestion", ingestExchanges()}, {"projection", projectionExchanges()}, {"its result", projectedExchanges()},
	})
}

func (r *replay) sections(t *testing.T, sections []contractSection) {
	t.Helper()
	for _, section := range sections {
		t.Run(section.name, func(t *testing.T) {
			r.t = t
			for _, e := range section.exchanges {
				r.exchange(e)
			}
		})
	}
}

func newReplay(t *testing.T) *replay {
	t.Helper()
	return newReplayWith(t, nil)
}

// newReplayWith is newReplay at a server with settings.
func newReplayWith(t *testing.T, settings map[string]string) *replay {
	t.Helper()
	r := &replay{t: t, server: startServer(t, settings), kept: map[string]string{"password": testPassword}}
	_, document, _ := r.ask("GET", "/openapi.json", nil, "-")
	r.valid = apitest.ValidatorOf(t, document)
	return r
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

// fill puts what was kept in place of names; escaped says that it becomes a part of a
// path.
func (r *replay) fill(text string, escaped bool) string {
	return placeholder.ReplaceAllStringFunc(text, func(name string) string {
		value, ok := r.kept[strings.Trim(name, "{}")]
		switch {
		case !ok && escaped:
			r.t.Errorf("%s: %s was not kept", text, name)
		case !ok:
			return name
		case escaped:
			return strings.ReplaceAll(url.PathEscape(value), ":", "%3A")
		}
		return value
	})
}

// exchange sends a request and checks the answer.
func (r *replay) exchange(e exchange) {
	r.t.Helper()
	if e.waitFor != "" {
		await(r.t, r.server.client, r.kept[e.waitFor], work.StatusCompleted)
	}
	if e.analysed != "" {
		await(r.t, r.server.client, r.kept[e.analysed], work.StatusAwaitingApproval)
	}
	name := e.method + " " + e.path
	path := r.fill(e.path, true)
	resp, body, err := r.ask(e.method, path, e.send, e.token)
	if err != nil {
		r.t.Fatalf("%s: %v", name, err)
	}
	if want := max(e.status, 200); resp.StatusCode != want {
		r.t.Errorf("%s: status %d, want %d: %.500s", name, resp.StatusCode, want, body)
		return
	}
	if e.shape != "" {
		problems := shapeProblems(e.shape, body)
		slices.Sort(problems)
		for _, p := range problems {
			r.t.Errorf("%s: %s", name, p)
		}
		if problems != nil {
			r.t.Logf("%s answered %.1500s", name, body)
		}
	}
	escaped, _, _ := strings.Cut(path, "?")
	if err := r.valid.Check(e.method, escaped, resp, body); err != nil {
		r.t.Error(err)
	}
	for as, place := range e.keep {
		if value, ok := find(body, place); ok {
			r.kept[as] = value
		} else {
			r.t.Errorf("%s: there is no %s in %.500s", name, place, body)
		}
	}
}

// ask sends a request.
func (r *replay) ask(method, path string, send any, token string) (*http.Response, []byte, error) {
	header := http.Header{}
	if token == "" {
		token = "token"
	}
	if token != "-" {
		header.Set("Authorization", "Bearer "+r.kept[token])
	}
	return r.askWith(method, path, send, header)
}

// askWith sends a request with a header.
func (r *replay) askWith(method, path string, send any, header http.Header) (*http.Response, []byte, error) {
	body, contentType := r.encode(send)
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.server.url+path, body)
	check(r.t, err)
	req.Header = header
	req.Header.Set("Accept", "application/json, text/plain, */*")
	if contentType != "" {
		req.Header.Set("Content-Type", contentType)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp, answer, err
}

// encode returns a body and its type. A POST without one arrives as an empty form.
func (r *replay) encode(send any) (io.Reader, string) {
	switch send := send.(type) {
	case nil:
		return nil, "application/x-www-form-urlencoded"
	case form:
		values := url.Values{}
		for name, value := range send {
			values.Set(name, r.fill(value, false))
		}
		return strings.NewReader(values.Encode()), "application/x-www-form-urlencoded"
	case sentFile:
		var b bytes.Buffer
		w := multipart.NewWriter(&b)
		for name, value := range send.fields {
			check(r.t, w.WriteField(name, value))
		}
		part, err := w.CreateFormFile("file", send.filename)
		check(r.t, err)
		_, err = io.WriteString(part, send.body)
		check(r.t, err)
		check(r.t, w.Close())
		return &b, w.FormDataContentType()
	case string: // JSON
		return strings.NewReader(r.fill(send, false)), "application/json"
	}
	r.t.Fatalf("cannot send a %T", send)
	return nil, ""
}

// find returns the value at a place such as "concepts.0.concept_id" as text.
func find(body []byte, place string) (string, bool) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var v any
	if decoder.Decode(&v) != nil {
		return "", false
	}
	for part := range strings.SplitSeq(place, ".") {
		switch node := v.(type) {
		case map[string]any:
			v = node[part]
		case []any:
			i := 0
			if _, err := fmt.Sscan(part, &i); err != nil || i >= len(node) {
				return "", false
			}
			v = node[i]
		default:
			return "", false
		}
	}
	return fmt.Sprint(v), v != nil
}
