package dataclips

import (
	"context"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

var known = artifacts.NewDataclipID()

// fake takes what it is given, and keeps one clip, to which a job refers.
type fake struct {
	bodies []string
	quota  int64
	page   [2]int
}

func (f *fake) UploadDataclip(_ context.Context, _ int, body []byte, quota int64) (artifacts.Dataclip, error) {
	f.bodies, f.quota = append(f.bodies, string(body)), quota
	return artifacts.Dataclip{ID: known, Bytes: len(body)}, nil
}

func (f *fake) Dataclips(_ context.Context, _, limit, offset int) (artifacts.DataclipList, error) {
	f.page = [2]int{limit, offset}
	return artifacts.DataclipList{Total: 3, TotalBytes: 12}, nil
}

func (*fake) DeleteDataclip(_ context.Context, _ int, id string) error {
	if id == known {
		return kappa.NewError(kappa.CodeConflict, "belongs to a job")
	}
	return kappa.NewError(kappa.CodeNotFound, "Dataclip not found: "+id)
}

func TestDataclips(t *testing.T) {
	f := &fake{}
	s := apitest.Serve(t, New(Config{Clips: f, Quota: 1000}))
	for _, c := range []struct {
		name   string
		r      apitest.Request
		status int
		want   string
	}{
		{"an object", apitest.Request{Method: "POST", Path: "/dataclips", Body: `{"n":1}`}, 201, `"dataclip_id":"` + known + `","size_bytes":7`},
		{"a list", apitest.Request{Method: "POST", Path: "/dataclips", Body: `[1]`}, 422, "must be an object"},
		{"null", apitest.Request{Method: "POST", Path: "/dataclips", Body: `null`}, 422, "must be an object"},
		{"cut off", apitest.Request{Method: "POST", Path: "/dataclips", Body: `{"n":1`}, 422, "must be an object"},
		{"two", apitest.Request{Method: "POST", Path: "/dataclips", Body: `{} {}`}, 422, "must be an object"},
		{"the largest", apitest.Request{Method: "POST", Path: "/dataclips", Body: `{"n":"` + strings.Repeat("a", artifacts.MaxDataclip-8) + `"}`}, 201, `"size_bytes":10485760`},
		{"larger", apitest.Request{Method: "POST", Path: "/dataclips", Body: `{"n":"` + strings.Repeat("a", artifacts.MaxDataclip-7) + `"}`}, 413, "10.0 MB"},
		{"the list", apitest.Request{Method: "GET", Path: "/dataclips?limit=2&offset=1"}, 200, `"dataclips":[],"total":3,"total_bytes":12,"quota_bytes":1000`},
		{"too many", apitest.Request{Method: "GET", Path: "/dataclips?limit=1001"}, 422, "limit"},
		{"one of a job", apitest.Request{Method: "DELETE", Path: "/dataclips/" + known}, 409, "belongs to a job"},
		{"no id", apitest.Request{Method: "DELETE", Path: "/dataclips/clip_1"}, 404, "not found"},
	} {
		if resp, body := apitest.Call(t, s, c.r); resp.StatusCode != c.status || !strings.Contains(body, c.want) {
			t.Errorf("%s: %d %.300s, want %d with %s", c.name, resp.StatusCode, body, c.status, c.want)
		}
		c.r.Token = apitest.None
		if resp, _ := apitest.Call(t, s, c.r); resp.StatusCode != 401 {
			t.Errorf("%s: %d without a token", c.name, resp.StatusCode)
		}
	}
	if len(f.bodies) != 2 || f.bodies[0] != `{"n":1}` || f.quota != 1000 || f.page != [2]int{2, 1} {
		t.Errorf("%d clips, the quota %d, the page %v", len(f.bodies), f.quota, f.page)
	}
}
