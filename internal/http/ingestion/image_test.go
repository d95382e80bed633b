package ingestion

import (
	"strings"
	"testing"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/http/apitest"
)

func TestIngestImage(t *testing.T) {
	f := newFake()
	s := newServer(t, f)
	post := func(fields map[string]string) (int, string) {
		fields["ontology"] = "o"
		body, contentType := apitest.MultipartForm(t, fields, &apitest.File{Part: "file", Name: "map.png", Body: "\x89PNG"})
		resp, answer := apitest.Call(t, s, apitest.Request{Method: "POST", Path: "/ingest/image", Body: body, ContentType: contentType})
		return resp.StatusCode, answer
	}
	if status, body := post(map[string]string{"vision_provider": "openai", "vision_model": "m", "source_type": "file"}); status != 200 {
		t.Fatalf("%d %s", status, body)
	}
	if got := f.submitted[0]; !got.OnlyImage || got.VisionModel != "m" || got.Filename != "map.png" || string(got.Body) != "\x89PNG" {
		t.Errorf("submitted %+v", got)
	}
	if status, body := post(map[string]string{"vision_provider": "martian"}); status != 422 || !strings.Contains(body, "vision_provider") {
		t.Errorf("%d %s", status, body)
	}
	ask := func() (int, string) {
		resp, answer := apitest.Call(t, s, apitest.Request{Method: "GET", Path: "/ingest/image/health"})
		return resp.StatusCode, answer
	}
	if status, body := ask(); status != 503 || !strings.Contains(body, "KG_VISION") {
		t.Errorf("without a model: %d %s", status, body)
	}
	f.vision = models.Model{Name: "openai/sees", Provider: "openai"}
	if status, body := ask(); status != 200 || !strings.Contains(body, `"provider":"openai","model":"openai/sees"`) {
		t.Errorf("with a model: %d %s", status, body)
	}
}
