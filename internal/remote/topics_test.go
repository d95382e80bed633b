package remote

import (
	"strconv"
	"testing"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

// TestTopics says which channel of a job is the present one, and how many there may be.
func TestTopics(t *testing.T) {
	t.Parallel()
	topics, first, second := newTopics(), &channel{joinRef: "1"}, &channel{joinRef: "2"}
	if topics.join("j", first) != nil || topics.join("j", second) != first || topics.find("j") != second {
		t.Error("a second join does not follow the first")
	}
	if c, stale := topics.leave("j", "1"); c != nil || !stale || topics.find("j") != second {
		t.Error("a leave of the first join ends the second")
	}
	if c, stale := topics.leave("j", "2"); c != second || stale || topics.find("j") != nil {
		t.Error("a leave does not end its join")
	}
	if c, stale := topics.leave("j", "2"); c != nil || stale {
		t.Error("a second leave is not taken for one of nothing")
	}
	for i := range wire.MaxTopics {
		topics.join(strconv.Itoa(i), first)
	}
	if !topics.full("j") || topics.full("0") {
		t.Error("it is not full, or refuses a job that it has")
	}
	if topics.drop("0"); topics.full("j") {
		t.Error("it is full after one was dropped")
	}
}
