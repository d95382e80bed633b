package backups

import (
	"context"
	"errors"
	"io"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a graph of one row, archives as plain text, files and jobs.
type fake struct {
	err       error // of reading the graph, before its first row
	pieces    map[int]string
	closed    int64
	dropped   int
	submitted []work.NewJob
}

func (f *fake) ReadBackup(_ context.Context, ontology string, begin func(storage.BackupHeader) (func(storage.BackupRow) error, error)) error {
	if f.err != nil {
		return f.err
	}
	add, err := begin(storage.BackupHeader{Ontology: &ontology})
	if err != nil {
		return err
	}
	return add(storage.BackupRow{Table: "concepts", Row: []byte(ontology)})
}

type plain struct{ w io.Writer }

func (p plain) Add(r storage.BackupRow) error {
	_, err := p.w.Write(append([]byte(r.Table+" "), r.Row...))
	return err
}
func (p plain) Close() error { _, err := p.w.Write([]byte(" end")); return err }
func (plain) Abandon()       {}

// verify takes what begins with "good".
func verify(r io.Reader) (storage.BackupSummary, error) {
	all, err := io.ReadAll(r)
	if err != nil {
		return storage.BackupSummary{}, err
	}
	if !strings.HasPrefix(string(all), "good") {
		return storage.BackupSummary{}, errNoArchive()
	}
	return storage.BackupSummary{Bytes: int64(len(all)), Rows: map[string]int64{"concepts": 1}}, nil
}

func (f *fake) BeginArtifactFile(context.Context, string) (int64, error) {
	f.pieces = map[int]string{}
	return 7, nil
}

func (f *fake) AddArtifactPiece(_ context.Context, file int64, n int, piece []byte) error {
	if file != 7 || len(piece) > artifacts.Piece {
		return errors.New("not such a piece")
	}
	f.pieces[n] = string(piece)
	return nil
}

func (f *fake) CloseArtifactFile(_ context.Context, _, bytes int64) error {
	f.closed = bytes
	return nil
}

func (f *fake) DropFile(context.Context, int64) (bool, error) {
	f.dropped++
	return true, nil
}

func (f *fake) WaitingFiles(context.Context, string) ([]artifacts.WaitingFile, error) {
	return nil, f.err
}

func (f *fake) SubmitJob(_ context.Context, j work.NewJob) (work.Job, error) {
	f.submitted = append(f.submitted, j)
	return work.Job{ID: "job_0123456789ab", Status: work.StatusApproved}, nil
}

func serve(t testing.TB, f *fake) *http.Server {
	t.Helper()
	return apitest.Serve(t, New(Config{
		Graph: f, Files: f, Jobs: f, Verify: verify, Write: Writer(func(w io.Writer, _ storage.BackupHeader) (plain, error) { return plain{w}, nil }),
	}))
}

// send posts a form with an archive.
func send(t *testing.T, f *fake, path string, fields map[string]string, archive string) (int, string) {
	t.Helper()
	body, contentType := apitest.MultipartForm(t, fields, &apitest.File{Part: "file", Name: "a.zst", Body: archive})
	resp, answer := apitest.Call(t, serve(t, f), apitest.Request{Method: "POST", Path: path, Body: body, ContentType: contentType})
	return resp.StatusCode, answer
}

func TestCreate(t *testing.T) {
	resp, body := apitest.Call(t, serve(t, &fake{}), apitest.Request{Method: "POST", Path: "/admin/backup?ontology=" + url.QueryEscape("a/b c")})
	if resp.StatusCode != 200 || body != "concepts a/b c end" || resp.Header.Get("Content-Type") != storage.BackupType || !strings.Contains(resp.Header.Get("Content-Disposition"), "kappa-") {
		t.Errorf("%d %q %v", resp.StatusCode, body, resp.Header)
	}
	resp, body = apitest.Call(t, serve(t, &fake{err: kappa.NewError(kappa.CodeNotFound, "no such ontology")}), apitest.Request{Method: "POST", Path: "/admin/backup"})
	apitest.WantProblem(t, resp, body, 404)
	resp, body = apitest.Call(t, serve(t, &fake{}), apitest.Request{Method: "GET", Path: "/admin/backups"})
	if resp.StatusCode != 200 || body != `{"backups":[],"count":0}`+"\n" {
		t.Errorf("%d %s", resp.StatusCode, body)
	}
}

func TestVerify(t *testing.T) {
	if status, body := send(t, &fake{}, "/admin/backup/verify", nil, "good one"); status != 200 || !strings.Contains(body, `"valid":true,"error":null,"archive":{`) {
		t.Errorf("%d %s", status, body)
	}
	if status, body := send(t, &fake{}, "/admin/backup/verify", nil, "bad one"); status != 200 || !strings.Contains(body, `"valid":false,"error":"file: must be an archive`) {
		t.Errorf("%d %s", status, body)
	}
}

func TestRestore(t *testing.T) {
	large := "good" + strings.Repeat("x", 2*artifacts.Piece)
	for name, c := range map[string]struct {
		path   string
		fields map[string]string
		mode   string
	}{
		"without a mode":   {"/admin/restore", nil, "merge"},
		"in the query":     {"/admin/restore?mode=replace", nil, "replace"},
		"in the form":      {"/admin/restore", map[string]string{"mode": "replace"}, "replace"},
		"an earlier word":  {"/admin/restore", map[string]string{"overwrite": "True"}, "replace"},
		"a dry run":        {"/admin/restore?dry_run=true", nil, `merge","dry_run":true`},
		"one of the form":  {"/admin/restore", map[string]string{"mode": "replace", "dry_run": "True"}, `replace","dry_run":true`},
		"the query counts": {"/admin/restore?mode=merge", map[string]string{"mode": "replace"}, "merge"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			status, body := send(t, f, c.path, c.fields, large)
			if status != 200 || !strings.Contains(body, `"job_id":"job_0123456789ab"`) || !strings.Contains(body, `"integrity_warnings":[]`) || len(f.submitted) != 1 {
				t.Fatalf("%d %s", status, body)
			}
			if j := f.submitted[0]; j.Type != "restore" || !j.AutoApprove || strings.TrimSpace(string(j.Data)) != strings.Replace(`{"file":7,"mode":"`+c.mode+`"}`, `true"`, `true`, 1) {
				t.Errorf("submitted %+v %s", j, j.Data)
			}
			if f.pieces[0]+f.pieces[1]+f.pieces[2] != large || f.closed != int64(len(large)) || f.dropped != 0 {
				t.Errorf("%d pieces, %d bytes, %d dropped", len(f.pieces), f.closed, f.dropped)
			}
		})
	}
	t.Run("sent again with its key it is one job, and one archive", func(t *testing.T) {
		f := &fake{}
		s := serve(t, f)
		post := func(archive, mode string) (int, string, string) {
			t.Helper()
			body, contentType := apitest.MultipartForm(t, map[string]string{"mode": mode}, &apitest.File{Part: "file", Name: "a.zst", Body: archive})
			resp, answer := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/admin/restore", Body: body, ContentType: contentType, Header: map[string]string{"Idempotency-Key": "one"}})
			return resp.StatusCode, answer, resp.Header.Get("Idempotent-Replayed")
		}
		_, first, _ := post("good one", "merge")
		if status, again, replayed := post("good one", "merge"); status != 200 || again != first || replayed != "true" || len(f.submitted) != 1 || f.dropped != 1 {
			t.Errorf("again: %d %s, replayed %q; %d jobs, %d archives dropped", status, again, replayed, len(f.submitted), f.dropped)
		}
		for _, other := range [][2]string{{"good two", "merge"}, {"good one", "replace"}} {
			if status, answer, _ := post(other[0], other[1]); status != 422 || len(f.submitted) != 1 {
				t.Errorf("%q: %d %s, %d jobs", other, status, answer, len(f.submitted))
			}
		}
	})
	t.Run("nothing is left of what is refused", func(t *testing.T) {
		for _, c := range []struct {
			path    string
			fields  map[string]string
			archive string
			drops   int
		}{
			{"/admin/restore", nil, "bad", 1},
			{"/admin/restore", map[string]string{"mode": "sideways"}, "good", 1},
			{"/admin/restore?mode=sideways", nil, "good", 0},
			{"/admin/restore?dry_run=perhaps", nil, "good", 1},
		} {
			f := &fake{}
			if status, body := send(t, f, c.path, c.fields, c.archive); status != 422 || len(f.submitted) > 0 || f.dropped != c.drops {
				t.Errorf("%s: %d %s, %d dropped", c.path, status, body, f.dropped)
			}
		}
		resp, body := apitest.Call(t, serve(t, &fake{}), apitest.Request{Method: "POST", Path: "/admin/restore", Body: "{}", ContentType: "application/json"})
		apitest.WantProblem(t, resp, body, 415)
		form, contentType := apitest.MultipartForm(t, map[string]string{"mode": "merge"}, nil)
		resp, body = apitest.Call(t, serve(t, &fake{}), apitest.Request{Method: "POST", Path: "/admin/restore", Body: form, ContentType: contentType})
		apitest.WantProblem(t, resp, body, 422)
	})
}
