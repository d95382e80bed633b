package work_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func TestNewSchedule(t *testing.T) {
	t.Parallel()
	s := work.NewSchedule{Name: " nightly ", JobType: "noop", Cron: "0 2 * * *"}.Schedule()
	if s.Name != "nightly" || s.TimeZone != "UTC" || !s.Enabled || s.Condition != nil {
		t.Errorf("the defaults give %+v", s)
	}
	if err := s.Validate(); err != nil {
		t.Error(err)
	}
	s.Name, s.Priority, s.Data = "", 101, []byte("{")
	var e *kappa.Error
	if err := s.Validate(); !errors.As(err, &e) || e.Code != kappa.CodeInvalid {
		t.Fatalf("got %v", err)
	}
	var names []string
	for _, f := range e.Fields {
		names = append(names, f.Name)
	}
	if want := []string{"name", "priority", "data"}; !slices.Equal(names, want) {
		t.Errorf("the rules of %v are broken, want those of %v", names, want)
	}
}

func TestScheduleUpdateApply(t *testing.T) {
	t.Parallel()
	condition, none, off := "queue_idle", "", false
	was := work.Schedule{Name: "s", Cron: "* * * * *", TimeZone: "UTC", Enabled: true, Condition: &condition, Priority: 4}
	is, err := work.ScheduleUpdate{Enabled: &off, Condition: &none}.Apply(was)
	if err != nil || is.Enabled || is.Condition != nil || is.Priority != 4 || is.Cron != was.Cron {
		t.Errorf("became %+v, %v", is, err)
	}
	if !was.Enabled || was.Condition == nil {
		t.Error("the old one has changed")
	}
	if _, err := (work.ScheduleUpdate{}).Apply(was); kappa.ErrorCode(err) != kappa.CodeInvalid {
		t.Errorf("an empty update: %v", err)
	}
}

func TestParseAge(t *testing.T) {
	t.Parallel()
	for word, want := range map[string]time.Duration{"": 0, "1h": time.Hour, "24h": 24 * time.Hour, "7d": 168 * time.Hour, "30d": 720 * time.Hour} {
		if age, err := work.ParseAge(word); err != nil || age != want {
			t.Errorf("%q is %v, %v", word, age, err)
		}
	}
	for _, word := range []string{"2h", "1 h", "7D", "-1h", "0"} {
		if _, err := work.ParseAge(word); kappa.ErrorCode(err) != kappa.CodeInvalid {
			t.Errorf("%q was accepted: %v", word, err)
		}
	}
}
