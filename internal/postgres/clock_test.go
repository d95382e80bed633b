package postgres

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// TestReadClock has answers come late: a process that was halted between the
// question and the answer knows nothing of the time but that it lies between.
func TestReadClock(t *testing.T) {
	away := errors.New("away")
	type answer struct {
		after time.Duration // it was halted after the database had answered
		err   error
	}
	for name, c := range map[string]struct {
		answers []answer
		off     time.Duration // of the reading
		asked   int
		err     error
	}{
		"at once":               {[]answer{{}}, 0, 1, nil},
		"late, then at once":    {[]answer{{after: time.Hour}, {}}, 0, 2, nil},
		"always late":           {[]answer{{after: 8 * time.Second}, {after: 4 * time.Second}, {after: 6 * time.Second}}, 2 * time.Second, 3, nil},
		"late, then none":       {[]answer{{after: 4 * time.Second}, {err: away}}, 2 * time.Second, 2, nil},
		"none":                  {[]answer{{err: away}}, 0, 1, away},
		"late by what is usual": {[]answer{{after: 20 * time.Millisecond}}, 10 * time.Millisecond, 1, nil},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const ahead = time.Minute
				asked := 0
				r, err := readClock(func() (time.Time, error) {
					a := c.answers[asked]
					asked++
					there := time.Now().Add(ahead)
					time.Sleep(a.after)
					return there, a.err
				})
				if asked != c.asked || !errors.Is(err, c.err) {
					t.Fatalf("it asked %d times and returned the error %v, want %d and %v", asked, err, c.asked, c.err)
				}
				if err == nil && (ahead-r.ahead).Abs() != c.off {
					t.Errorf("the database's clock is said to be %v ahead, want %v, give or take %v", r.ahead, ahead, c.off)
				}
			})
		})
	}
}
