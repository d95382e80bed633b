package datasets

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

// part is a part of a form: a file, unless its file name is empty.
type part struct{ name, file, content string }

func form(t *testing.T, path string, parts ...part) apitest.Request {
	t.Helper()
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	for _, p := range parts {
		create := func() (io.Writer, error) { return w.CreateFormField(p.name) }
		if p.file != "" {
			create = func() (io.Writer, error) { return w.CreateFormFile(p.name, p.file) }
		}
		to, err := create()
		if err == nil {
			_, err = to.Write([]byte(p.content))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return apitest.Request{Method: "POST", Path: path, Body: b.String(), ContentType: w.FormDataContentType()}
}

const uploadQuery = "/datasets/upload/query"

var askBoth = part{"query", "", `{"sql":"SELECT 1 FROM a, b","datasets":[{"url":"http://x/b","table_name":"b"}],"limit":5}`}

func TestUploads(t *testing.T) {
	f := &fake{}
	s, _ := serve(t, f, Limits{})
	t.Run("a query about a file that is sent and one behind a URL", func(t *testing.T) {
		resp, body := apitest.Call(t, s, form(t, uploadQuery, askBoth, part{"a", "a.parquet", "PAR1"}))
		if resp.StatusCode != 200 || !strings.Contains(body, `"total_rows":7`) {
			t.Fatalf("%d %s", resp.StatusCode, body)
		}
		q := f.asked[0]
		if q.Limit != 5 || fmt.Sprint(q.Datasets) != "[{http://x/b b} {upload:PAR1 a}]" || f.released != 1 {
			t.Errorf("asked %+v, released %d", q, f.released)
		}
	})
	t.Run("validate and schema", func(t *testing.T) {
		for _, path := range []string{"/datasets/upload/validate", "/datasets/upload/schema"} {
			if resp, body := apitest.Call(t, s, form(t, path, part{"file", "a.parquet", path})); resp.StatusCode != 200 || f.urls[len(f.urls)-1] != "upload:"+path {
				t.Errorf("%d %s, asked for %s", resp.StatusCode, body, f.urls)
			}
		}
		if f.released != 3 {
			t.Errorf("%d files were released, want 3", f.released)
		}
	})
}

func TestUploadsThatAreRefused(t *testing.T) {
	file := part{"a", "a.parquet", "PAR1"}
	many := []part{askBoth}
	for i := range 40 {
		many = append(many, part{fmt.Sprintf("t%d", i), "x.parquet", "PAR1"})
	}
	f := &fake{}
	s, _ := serve(t, f, Limits{UploadBytes: 1 << 20})
	apitest.Refuses(t, s, map[string]apitest.Refusal{
		"no form":              apitest.Refused(apitest.Request{Method: "POST", Path: uploadQuery, Body: "x", ContentType: "text/plain"}, 415, "must be a form", ""),
		"no boundary":          apitest.Refused(apitest.Request{Method: "POST", Path: uploadQuery, Body: "x", ContentType: "multipart/form-data"}, 415, "with a boundary", ""),
		"a form that ends":     apitest.Refused(apitest.Request{Method: "POST", Path: uploadQuery, Body: "--b\r\nContent-Disposition: form-data; name=\"query\"\r\n\r\n{", ContentType: "multipart/form-data; boundary=b"}, 400, "", ""),
		"no query":             apitest.Refused(form(t, uploadQuery, file), 422, "must be JSON such as", "form.query"),
		"a query that is none": apitest.Refused(form(t, uploadQuery, file, part{"query", "", "SELECT 1"}), 422, "must be JSON such as", "form.query"),
		"a long query":         apitest.Refused(form(t, uploadQuery, part{"query", "", strings.Repeat("x", 1<<20+1)}), 413, "larger than 1 MiB", ""),
		"no file":              apitest.Refused(form(t, "/datasets/upload/schema"), 422, "must be one Parquet file", "form.file"),
		"two files":            apitest.Refused(form(t, "/datasets/upload/validate", file, file), 422, "must be one Parquet file", "form.file"),
		"too many parts":       apitest.Refused(form(t, uploadQuery, many...), 400, "too many parts", ""),
		"too many bytes":       apitest.Refused(form(t, uploadQuery, askBoth, part{"a", "a.parquet", strings.Repeat("x", 3<<20)}), 413, "", ""),
	}, f.calls)
	if f.released != len(f.uploads) {
		t.Errorf("%d of %d files were released", f.released, len(f.uploads))
	}
	t.Run("a file that is no Parquet file", func(t *testing.T) {
		f := &fake{uploadErr: &datasets.Error{Type: datasets.ErrValidation, Message: "it does not begin with PAR1"}}
		s, _ := serve(t, f, Limits{})
		resp, body := apitest.Call(t, s, form(t, uploadQuery, file, askBoth)) // a query behind it is read still
		if apitest.WantProblem(t, resp, body, 422); !strings.Contains(body, `"error_type":"validation"`) {
			t.Errorf("got %s", body)
		}
		resp, body = apitest.Call(t, s, form(t, "/datasets/upload/validate", part{"file", "a.parquet", "x"}))
		if resp.StatusCode != 200 || !strings.Contains(body, `"valid":false,"error":{"error_type":"validation"`) {
			t.Errorf("%d %s", resp.StatusCode, body)
		}
	})
}

func TestTooManyUploads(t *testing.T) {
	f := &fake{hold: make(chan struct{})}
	s, _ := serve(t, f, Limits{uploads: 1})
	var first sync.WaitGroup
	first.Go(func() {
		if resp, body := apitest.Call(t, s, form(t, uploadQuery, askBoth, part{"a", "a.parquet", "PAR1"})); resp.StatusCode != 200 {
			t.Errorf("the first: %d %s", resp.StatusCode, body)
		}
	})
	f.hold <- struct{}{} // it has its place, and waits for the second
	probe := form(t, "/datasets/upload/schema")
	resp, body := apitest.Call(t, s, probe)
	if apitest.WantProblem(t, resp, body, 503); resp.Header.Get("Retry-After") == "" {
		t.Error("it does not say when to try again")
	}
	f.hold <- struct{}{}
	first.Wait()
	resp, body = apitest.Call(t, s, probe)
	apitest.WantProblem(t, resp, body, 422) // it has a place now
}
