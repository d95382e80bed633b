package client

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/work"
)

func TestSubmit(t *testing.T) {
	words := 500
	for _, tt := range []struct {
		name     string
		document Document
		want     map[string]string
		filename string
	}{
		{
			name:     "only what is set is sent",
			document: Document{Body: []byte("# hi\r\n"), Ontology: "demo"},
			want:     map[string]string{"ontology": "demo"}, filename: "uploaded_document",
		},
		{
			name: "everything",
			document: Document{
				Body: bytes.Repeat([]byte("word "), 300_000), Ontology: "a b/ü", Filename: `we"ird\näme.md`, Force: true, Replace: true, AutoApprove: true,
				ProcessingMode: "parallel", Chunking: corpus.ChunkRequest{TargetWords: &words, OverlapWords: new(int)},
				SourceType: "file", SourcePath: "/tmp/x.md", SourceHostname: "host",
			},
			want: map[string]string{
				"ontology": "a b/ü", "filename": `we"ird\näme.md`, "force": "true", "replace": "true", "auto_approve": "true", "processing_mode": "parallel",
				"target_words": "500", "overlap_words": "0", "source_type": "file", "source_path": "/tmp/x.md", "source_hostname": "host",
			},
			filename: `we"ird\näme.md`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newFakeServer(t)
			s.refuse("token-1") // so that the body is sent twice
			s.HandleFunc("POST /ingest", s.authorized(func(w http.ResponseWriter, r *http.Request) {
				if err := r.ParseMultipartForm(1 << 20); err != nil {
					t.Errorf("read the form: %v", err)
					return
				}
				got := map[string]string{}
				for name, values := range r.MultipartForm.Value {
					got[name] = values[0]
				}
				if !maps.Equal(got, tt.want) {
					t.Errorf("fields %v, want %v", got, tt.want)
				}
				file, header, err := r.FormFile("file")
				if err != nil {
					t.Errorf("read the file: %v", err)
					return
				}
				if body, _ := io.ReadAll(file); !bytes.Equal(body, tt.document.Body) || header.Filename != tt.filename {
					t.Errorf("file %q of %d bytes", header.Filename, len(body))
				}
				writeJSON(w, map[string]any{"job_id": "job_1", "status": "pending", "content_hash": "sha256:00", "position": 2, "message": "Job queued."})
			}))
			got, err := s.client(t).Documents.Submit(t.Context(), tt.document)
			if err != nil || got.JobID != "job_1" || got.Duplicate || *got.Position != 2 || got.Message != "Job queued." || got.ContentHash != "sha256:00" {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

func TestSubmitADuplicate(t *testing.T) {
	s := newFakeServer(t)
	s.HandleFunc("POST /ingest", s.authorized(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		writeJSON(w, map[string]any{
			"duplicate": true, "existing_job_id": "job_9", "status": "completed", "created_at": "2026-01-31T08:00:00.123Z",
			"completed_at": nil, "result": map[string]any{"status": "completed"}, "message": "already ingested",
		})
	}))
	got, err := s.client(t).Documents.Submit(t.Context(), Document{Body: []byte("x"), Ontology: "demo"})
	if err != nil || !got.Duplicate || got.JobID != "job_9" || got.Status != work.StatusCompleted || string(got.Result) != `{"status":"completed"}` {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestLargeDocumentIsRefusedBeforeItIsSent(t *testing.T) {
	s := newFakeServer(t)
	s.HandleFunc("POST /ingest", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Expect") != "100-continue" {
			t.Error("the client does not ask first")
		}
		w.Header().Set("Connection", "close")
		writeProblem(w, http.StatusRequestEntityTooLarge, "The body has 200000000 bytes, at most 64 MiB are allowed")
	})
	_, err := s.client(t).Documents.Submit(t.Context(), Document{Body: make([]byte, 200_000_000), Ontology: "demo"})
	if kappa.ErrorCode(err) != kappa.CodeTooLarge {
		t.Errorf("got %v", err)
	}
}
