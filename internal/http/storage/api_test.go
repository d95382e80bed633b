package storage

import (
	"context"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/http"
	"github.com/kappagraph/kappa/internal/http/apitest"
	"github.com/kappagraph/kappa/storage"
	"github.com/kappagraph/kappa/work"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake has one stored document.
type fake struct {
	err error
	job work.NewJob
}

func (f *fake) StorageUse(context.Context) (storage.Use, error) {
	return storage.NewUse("kappa", 9, []storage.Table{{Name: "contents", Rows: 7, TableBytes: 5}, {Name: "documents", Rows: 8, IndexBytes: 1}}), f.err
}

func (f *fake) StorageReadable(context.Context) (string, error) { return "kappa", f.err }

func (f *fake) StoredAbout(context.Context) (int, error) { return 7, f.err }

func (f *fake) StoredObjects(_ context.Context, p storage.StoredObjectPage) ([]storage.StoredObject, error) {
	return make([]storage.StoredObject, min(p.Limit, max(0, 7-p.Offset))), f.err
}

func (f *fake) StoredObject(_ context.Context, key string) (storage.StoredObjectDetails, error) {
	return storage.StoredObjectDetails{StoredObject: storage.StoredObject{Key: key}, Metadata: map[string]string{}}, f.err
}

func (f *fake) StorageReferences(_ context.Context, ontology string) (storage.References, error) {
	return storage.References{Ontology: &ontology, Consistent: true}, f.err
}

func (f *fake) CleanupPreview(_ context.Context, keep storage.RetentionSettings) (map[string]int64, error) {
	return map[string]int64{"failed_jobs": int64(keep.Jobs.Failed / time.Hour)}, f.err
}

func (f *fake) SubmitJob(_ context.Context, n work.NewJob) (work.Job, error) {
	f.job = n
	return work.Job{ID: "job_1", Status: work.StatusApproved}, f.err
}

func (f *fake) Status(context.Context) (work.SchedulerStatus, error) {
	return work.SchedulerStatus{}, f.err
}

func TestStorage(t *testing.T) {
	for name, c := range map[string]struct {
		method, path, body string
		err                error
		status             int
		says               string
	}{
		"what there is":         {method: "GET", path: "/admin/storage/stats", status: 200, says: `"documents":{"count":7,"size_bytes":6}`},
		"healthy":               {method: "GET", path: "/admin/storage/health", status: 200, says: `{"healthy":true,"bucket":"kappa","endpoint":"postgresql"}`},
		"not healthy":           {method: "GET", path: "/admin/storage/health", err: kappa.NewError(kappa.CodeUnavailable, "the database is away"), status: 200, says: `{"healthy":false,"bucket":null,"endpoint":null,"error":"the database is away"}`},
		"the first page":        {method: "GET", path: "/admin/storage/objects?limit=3", status: 200, says: `"total":7`},
		"the last page":         {method: "GET", path: "/admin/storage/objects?limit=3&offset=6", status: 200, says: `"total":7`},
		"no page":               {method: "GET", path: "/admin/storage/objects?limit=501", status: 422, says: "limit"},
		"an object":             {method: "GET", path: "/admin/storage/objects/metadata?key=sources/x", status: 200, says: `"key":"sources/x"`},
		"another category":      {method: "GET", path: "/admin/storage/integrity?category=logs", status: 422, says: "must be sources or images"},
		"of an ontology":        {method: "GET", path: "/admin/storage/integrity?ontology=a", status: 200, says: `"is_consistent":true`},
		"what is kept":          {method: "GET", path: "/admin/storage/retention", status: 200, says: `"failed_jobs":{"keep":"2h0m0s","setting":"KG_RETENTION_FAILED_HOURS","due_now":2}`},
		"a check":               {method: "POST", path: "/admin/storage/check", status: 202, says: `"job_id":"job_1"`},
		"a check of parts":      {method: "POST", path: "/admin/storage/check", body: `{"parts":["quotes"]}`, status: 202, says: `"status":"approved"`},
		"a check of what is no": {method: "POST", path: "/admin/storage/check", body: `{"parts":["dust"]}`, status: 422, says: "must be one of documents"},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{err: c.err}
			keep := storage.RetentionSettings{Jobs: work.Retention{Completed: time.Hour, Failed: 2 * time.Hour}}
			s := apitest.ServeWith(t, http.Config{Auth: apitest.NewAccounts()}, New(Config{Stored: f, Jobs: f, Scheduler: f, Keep: keep}))
			resp, body := apitest.Call(t, s, apitest.Request{Method: c.method, Path: c.path, Body: c.body})
			if resp.StatusCode != c.status || !strings.Contains(body, c.says) {
				t.Errorf("%d %s; want %d %s", resp.StatusCode, body, c.status, c.says)
			}
			if c.status == 202 && (f.job.Type != storage.TypeCheck || !f.job.AutoApprove) {
				t.Errorf("submitted %+v", f.job)
			}
		})
	}
}
