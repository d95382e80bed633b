package jobs

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/corpus/datasets"
	"github.com/kappagraph/kappa/work"
)

// shelf runs queries and keeps their files.
type shelf struct {
	memory
	content io.Reader
	err     error // of the query
	refuse  error // of the store
	asked   []datasets.Job
	closed  int
	pieces  [][]byte
	kept    []artifacts.NewArtifact
	file    artifacts.File
}

func (s *shelf) run(_ context.Context, job datasets.Job, progress func(work.Progress) error) (DatasetResult, error) {
	s.asked = append(s.asked, job)
	if err := progress(work.Progress{Stage: "querying", Percent: 25}); err != nil {
		return DatasetResult{}, err
	}
	if s.err != nil {
		return DatasetResult{}, s.err
	}
	return DatasetResult{Columns: []datasets.Column{{Name: "n", Type: "BIGINT"}}, Rows: 3, Content: s.content, Close: func() { s.closed++ }}, nil
}

func (s *shelf) BeginArtifactFile(_ context.Context, contentType string) (int64, error) {
	s.file.ContentType = contentType
	return 11, s.refuse
}

func (s *shelf) AddArtifactPiece(_ context.Context, file int64, n int, piece []byte) error {
	if file != 11 || n != len(s.pieces) {
		return errors.New("a piece out of its order")
	}
	s.pieces = append(s.pieces, bytes.Clone(piece))
	return nil
}

func (s *shelf) SaveArtifactFile(_ context.Context, _ work.Claim, a artifacts.NewArtifact, file artifacts.File) (int, error) {
	s.kept, s.file = append(s.kept, a), file
	return 42, nil
}

func (s *shelf) work(ctx context.Context, data string) (string, error) {
	t := NewDatasetQuery(s.run, s, s, once)
	raw, err := t.Handler(ctx, work.Claim{JobID: "job_000000000001", Data: json.RawMessage(data)})
	return string(raw), err
}

const datasetData = `{"sql":"SELECT 1","datasets":[],"format":"csv"}`

func TestDatasetQuery(t *testing.T) {
	t.Run("the whole answer is kept, in pieces", func(t *testing.T) {
		content := bytes.Repeat([]byte("0123456789"), artifacts.Piece/10+100)
		s := &shelf{content: iotest.HalfReader(bytes.NewReader(content))}
		got, err := s.work(t.Context(), datasetData)
		want := `{"columns":[{"name":"n","type":"BIGINT","nullable":false}],"total_rows":3,"format":"csv","bytes":` + jsonNumber(len(content)) + `,"artifact_id":42}`
		if err != nil || got != want || s.closed != 1 {
			t.Errorf("got %s, %v, closed %d times, want %s", got, err, s.closed, want)
		}
		if len(s.pieces) != 2 || len(s.pieces[0]) != artifacts.Piece || !bytes.Equal(bytes.Join(s.pieces, nil), content) {
			t.Errorf("%d pieces", len(s.pieces))
		}
		a := s.kept[0]
		if a.Type != artifacts.QueryResult || *a.Name != "Answer of job_000000000001" || s.file.ID != 11 || s.file.Bytes != int64(len(content)) || s.file.ContentType != "text/csv; charset=utf-8" ||
			!strings.Contains(string(a.Parameters), `"sql":"SELECT 1"`) || strings.Contains(string(a.Payload), "artifact_id") {
			t.Errorf("kept %+v, %s", a, a.Payload)
		}
		if len(s.stored) != 2 {
			t.Errorf("%d checkpoints, want those of the query and of the file", len(s.stored))
		}
	})
	t.Run("an empty answer, as Parquet", func(t *testing.T) {
		s := &shelf{content: strings.NewReader("")}
		if got, err := s.work(t.Context(), `{"sql":"SELECT 1"}`); err != nil || !strings.Contains(got, `"format":"parquet","bytes":0`) || s.file.ContentType != "application/vnd.apache.parquet" {
			t.Errorf("got %s, %v", got, err)
		}
	})
	t.Run("what the same question meets again is not tried again", func(t *testing.T) {
		for class, permanent := range map[datasets.ErrorType]bool{
			datasets.ErrValidation: true, datasets.ErrSQL: true, datasets.ErrTimeout: true, datasets.ErrMemory: true, datasets.ErrNetwork: false, datasets.ErrInternal: false,
		} {
			s := &shelf{err: &datasets.Error{Type: class, Message: "no"}}
			if _, err := s.work(t.Context(), datasetData); err == nil || kappa.Retryable(err) == permanent {
				t.Errorf("%s: %v, permanent: %t", class, err, !kappa.Retryable(err))
			}
		}
	})
	t.Run("cancelled", func(t *testing.T) {
		why := errors.New("asked for")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		s := &shelf{err: &datasets.Error{Type: datasets.ErrTimeout, Message: "killed"}}
		if _, err := s.work(ctx, datasetData); !errors.Is(err, why) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a file that cannot be read or kept", func(t *testing.T) {
		broken := errors.New("broken")
		for _, s := range []*shelf{{content: iotest.ErrReader(broken)}, {content: strings.NewReader("x"), refuse: broken}} {
			if _, err := s.work(t.Context(), datasetData); !errors.Is(err, broken) || s.closed != 1 || len(s.kept) != 0 {
				t.Errorf("got %v, closed %d times, kept %d", err, s.closed, len(s.kept))
			}
		}
	})
}

func TestDatasetQueryChecks(t *testing.T) {
	check := NewDatasetQuery(nil, nil, nil, nil).Check
	for data, rule := range map[string]string{
		datasetData: "", `{"sql":"SELECT 1"}`: "", `[]`: "must be an object such as", `{"sql":""}`: "data.sql: must not be empty", `{"sql":"SELECT 1","format":"xml"}`: "data.format: must be one of",
		`{"sql":"SELECT 1","datasets":[{"url":"http://x/t","table_name":"1"}]}`: "data.datasets[0].table_name: must be a letter",
	} {
		err := check(json.RawMessage(data))
		if (err == nil) != (rule == "") || err != nil && !strings.Contains(err.Error(), rule) {
			t.Errorf("%s: got %v, want %q", data, err, rule)
		}
	}
}

func jsonNumber(n int) string {
	text, _ := json.Marshal(n)
	return string(text)
}
