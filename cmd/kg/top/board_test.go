package top

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/work"
)

var start = time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)

const first, second = "job_00000000000a", "job_00000000000b"

// TestBoard follows two jobs, a lane and a lost connection.
func TestBoard(t *testing.T) {
	b := newBoard()
	for _, n := range []client.News{
		{Begins: true}, job(first, "ingestion", work.StatusApproved, "ice.pdf"), job(second, "noop", work.StatusApproved, ""), lane("fast", 1, 2, 3),
		becomes(first, work.StatusProcessing), {Job: &client.Update{JobID: first, Kind: work.EventProgress, Progress: &work.Progress{Percent: 40}}},
		becomes(second, work.StatusProcessing), ends(second, work.EventFailed, "no route"), becomes("job_ffffffffffff", work.StatusCompleted), {Truncated: true},
	} {
		b.apply(n, start)
	}
	list := b.list("status", "")
	if len(list) != 2 || list[0].ID != first || list[0].percent() != 40 || list[1].Status != work.StatusFailed || list[1].reason != "no route" {
		t.Fatalf("listed %+v", list)
	}
	if got := b.started.last(start, 1)[0]; got != 2 {
		t.Errorf("%d started, want 2", got)
	}
	if ended, failed := b.ended.last(start, 1)[0], b.failed.last(start, 1)[0]; ended != 1 || failed != 1 || !b.truncated || len(b.lanes) != 1 {
		t.Errorf("%d ended, %d failed, truncated %t, %d lanes", ended, failed, b.truncated, len(b.lanes))
	}
	b.tidy(start.Add(keepEnded))
	if len(b.jobs) != 2 {
		t.Error("a job that has just ended is not shown")
	}
	b.tidy(start.Add(keepEnded + time.Second))
	if len(b.jobs) != 1 {
		t.Error("a job that ended a while ago is shown")
	}
	b.apply(client.News{NoLane: "fast"}, start)
	b.apply(client.News{Gone: first}, start)
	b.apply(client.News{Lost: errors.New("away")}, start)
	if len(b.jobs) != 0 || len(b.lanes) != 0 || b.lost == nil {
		t.Errorf("%d jobs, %d lanes, lost: %v", len(b.jobs), len(b.lanes), b.lost)
	}
	b.apply(job(first, "ingestion", work.StatusApproved, ""), start)
	if b.apply(client.News{Begins: true}, start); len(b.jobs) != 0 || b.lost != nil || b.truncated {
		t.Error("what begins anew knows something")
	}
}

// TestOrdersAndFilters sorts and filters.
func TestOrdersAndFilters(t *testing.T) {
	b := newBoard()
	for _, n := range []client.News{
		job("job_00000000000a", "noop", work.StatusApproved, "b"), job("job_00000000000b", "ingestion", work.StatusProcessing, "Ice of Norway.pdf"),
		job("job_00000000000c", "ingestion", work.StatusFailed, "snow.pdf"), job("job_00000000000d", "noop", work.StatusProcessing, "x"),
	} {
		b.apply(n, start)
	}
	b.jobs["job_00000000000d"].Progress = &work.Progress{Percent: 3}
	b.jobs["job_00000000000c"].CreatedAt.Time = start.Add(-time.Second)
	b.jobs["job_00000000000b"].Username = new("bob")
	for order, want := range map[string]string{"status": "bdac", "oldest": "cabd", "progress": "dcab", "type": "bcda", "owner": "dacb"} {
		got := ""
		for _, r := range b.list(order, "") {
			got += r.ID[len(r.ID)-1:]
		}
		if got != want {
			t.Errorf("by %s: %s, want %s", order, got, want)
		}
		if err := CheckOrder(order); err != nil {
			t.Error(err)
		}
	}
	for filter, want := range map[string]int{"": 4, "ICE": 1, "pdf ingestion": 2, "failed": 1, "job_00000000000d": 1, "ada noop": 2, "nothing": 0, " ": 4} {
		if got := len(b.list("status", filter)); got != want {
			t.Errorf("%q shows %d, want %d", filter, got, want)
		}
	}
	if err := CheckOrder("age"); err == nil || !strings.Contains(err.Error(), "status, oldest, progress, type, owner") {
		t.Errorf("an unknown order: %v", err)
	}
}

// TestRate counts as a list of instants does, whatever the pauses between them.
func TestRate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var r rate
		at := start
		var seen []int64
		for _, step := range rapid.SliceOf(rapid.IntRange(0, 2*rateSeconds*10)).Draw(t, "pauses") {
			at = at.Add(time.Duration(step) * 100 * time.Millisecond)
			r.add(at)
			seen = append(seen, at.Unix())
		}
		at = at.Add(time.Duration(rapid.IntRange(0, 1000).Draw(t, "later")) * 100 * time.Millisecond)
		n := rapid.IntRange(1, rateSeconds).Draw(t, "seconds")
		want := make([]int64, n)
		for _, s := range seen {
			if i := int64(n) - 1 - (at.Unix() - s); i >= 0 {
				want[i]++
			}
		}
		if got := r.last(at, n); !slices.Equal(got, want) {
			t.Fatalf("counted %v, want %v", got, want)
		}
	})
}
