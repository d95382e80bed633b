package postgres_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// referring is data that refers to a clip.
func referring(id string) []byte {
	return fmt.Appendf(nil, `{"plan":{},"dataclips":{"in1":%q}}`, id)
}

// TestDataclips follows uploaded clips through the life of the jobs that refer to them.
func TestDataclips(t *testing.T) {
	t.Parallel()
	s, dsn := newStore(t)
	conn := connect(t, dsn)
	clips, me, other := s.Dataclips(), access.SystemUserID, access.AdminUserID
	upload := func(user int) string {
		clip, err := clips.UploadDataclip(t.Context(), user, []byte(`{"n":1}`), 1<<20)
		must(t, err)
		return clip.ID
	}
	submit := func(id string) (work.Job, error) {
		return s.Jobs().SubmitJob(t.Context(), work.NewJob{Type: work.TypeOpenFnRun, Queue: work.DefaultQueue, UserID: me, Remote: true, MaxRetries: 1, Data: referring(id)})
	}
	there := func() string {
		return strings.Join(lines(t, conn, "SELECT jobs || ' ' || used FROM kg_api.dataclips ORDER BY 1"), ", ")
	}

	mine, unused := upload(me), upload(me)
	if _, err := submit(upload(other)); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("the clip of another account: %v", err)
	}
	if n := lines(t, conn, "SELECT count(*) FROM kg_api.jobs")[0]; n != "0" {
		t.Errorf("a refused submission left %s jobs", n)
	}
	first, err := submit(mine)
	must(t, err)
	body, err := s.Remote().UploadedDataclip(t.Context(), first.ID, mine)
	if err != nil || string(body) != `{"n":1}` {
		t.Errorf("the job is given %q, %v", body, err)
	}
	if _, err := s.Remote().UploadedDataclip(t.Context(), first.ID, unused); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("a clip of no job: %v", err)
	}
	if err := clips.DeleteDataclip(t.Context(), me, mine); kappa.ErrorCode(err) != kappa.CodeConflict {
		t.Errorf("delete one of a job: %v", err)
	}
	if err := clips.DeleteDataclip(t.Context(), other, unused); kappa.ErrorCode(err) != kappa.CodeNotFound {
		t.Errorf("delete another's: %v", err)
	}
	must(t, clips.DeleteDataclip(t.Context(), me, unused))

	if _, err = s.Jobs().Cancel(t.Context(), first.ID); err != nil {
		t.Fatal(err)
	}
	again, err := s.Jobs().RetryJob(t.Context(), work.Retry{JobID: first.ID, UserID: me})
	must(t, err)
	if got := there(); got != "0 false, 2 true" {
		t.Errorf("after the retry there are %s", got)
	}
	must(t, s.Jobs().Purge(t.Context(), first.ID, false))
	if body, err := s.Remote().UploadedDataclip(t.Context(), again.ID, mine); err != nil || string(body) != `{"n":1}` {
		t.Errorf("the job that was submitted again is given %q, %v", body, err)
	}
	must(t, s.Jobs().Purge(t.Context(), again.ID, true))
	must(t, clips.PurgeDataclips(t.Context()))
	if got := there(); got != "0 false" { // the other account's, which is new
		t.Errorf("after the last job there are %s", got)
	}
	_, err = conn.Exec(t.Context(), "UPDATE kg_api.dataclips SET created_at = created_at - interval '25 hours'")
	must(t, err)
	must(t, clips.PurgeDataclips(t.Context()))
	if got := there(); got != "" {
		t.Errorf("after a day there are %s", got)
	}
}

// TestDataclipQuota uploads eight clips at once where five have room.
func TestDataclipQuota(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	body := []byte(`{"n":"` + strings.Repeat("a", 100) + `"}`)
	quota := int64(5*len(body) + 1)
	var uploads sync.WaitGroup
	failed := make(chan error, 8)
	for range 8 {
		uploads.Go(func() {
			_, err := s.Dataclips().UploadDataclip(t.Context(), access.SystemUserID, body, quota)
			failed <- err
		})
	}
	uploads.Wait()
	close(failed)
	refused := 0
	for err := range failed {
		if kappa.ErrorCode(err) == kappa.CodeTooLarge {
			refused++
		} else {
			must(t, err)
		}
	}
	list, err := s.Dataclips().Dataclips(t.Context(), access.SystemUserID, 3, 1)
	must(t, err)
	if refused != 3 || list.Total != 5 || list.TotalBytes != int64(5*len(body)) || len(list.Dataclips) != 3 {
		t.Errorf("%d are refused, and there are %+v", refused, list)
	}
}
