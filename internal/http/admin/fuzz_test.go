package admin

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/kappagraph/kappa/internal/http/apitest"
)

// FuzzBodies sends any bytes as settings (Q49).
func FuzzBodies(f *testing.F) { newStrict(f).Bodies(f, 4) }

// FuzzQueries sends any query to the lists.
func FuzzQueries(f *testing.F) { newStrict(f).Queries(f, 1, "") }

// FuzzNames asks for any lane and any schedule.
func FuzzNames(f *testing.F) { newStrict(f).Names(f, 5) }

// FuzzLaneUpdate sends any body as the settings of a lane: what is accepted is
// known and in range, and what is refused changes nothing.
func FuzzLaneUpdate(f *testing.F) {
	for _, body := range []string{
		`{"max_slots":0}`, `{"max_slots":16,"poll_interval_ms":120000,"stale_timeout_minutes":1440,"enabled":false}`, `{"Max_Slots":1}`,
		`{"max_slots":17}`, `{"max_slots":-1}`, `{"max_slots":1.0}`, `{"max_slots":1e1}`, `{"max_slots":true}`, `{"max_slots":"3"}`, `{"max_slots":null}`,
		`{"max_slots":9223372036854775808}`, `{"max_slots":3,"MAX_SLOTS":99}`, `{"max_slots":99,"max_slots":3}`, `{"max_ſlots":99}`,
		`{"poll_interval_ms":499}`, `{"poll_interval_ms":120001}`, `{"stale_timeout_minutes":4}`, `{"stale_timeout_minutes":1441}`,
		`{"max_slots":3,"job_types":[]}`, `{"max_slot":3}`, `{"LaneUpdate":{"max_slots":99}}`, `{"_":{},"enabled":true}`, `{}`, `null`, ``, `[]`, `{"enabled":`,
	} {
		f.Add(body)
	}
	s := newStrict(f)
	f.Fuzz(func(t *testing.T, body string) {
		s.updates = nil
		resp, _ := s.Send(t, apitest.Request{Method: "PATCH", Path: "/admin/workers/lanes/interactive", Body: body})
		if resp.StatusCode >= 400 {
			if len(s.updates) != 0 {
				t.Errorf("%q was refused, and changed %+v", body, s.updates)
			}
			return
		}
		if len(s.updates) != 1 {
			t.Fatalf("%q led to %d updates", body, len(s.updates))
		}
		u, set := s.updates[0], false
		for _, setting := range []struct {
			value       *int
			least, most int
		}{{u.MaxSlots, 0, 16}, {u.PollIntervalMS, 500, 120_000}, {u.StaleTimeoutMinutes, 5, 1440}} {
			set = set || setting.value != nil
			if setting.value != nil && !apitest.Within(*setting.value, setting.least, setting.most) {
				t.Errorf("%q sets %d, want %d to %d", body, *setting.value, setting.least, setting.most)
			}
		}
		if !set && u.Enabled == nil {
			t.Errorf("%q was accepted, and sets nothing", body)
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal([]byte(body), &members); err != nil {
			t.Errorf("%q was accepted: %v", body, err)
		}
		for name := range members {
			known := func(setting string) bool { return strings.EqualFold(setting, name) }
			if !slices.ContainsFunc([]string{"max_slots", "poll_interval_ms", "stale_timeout_minutes", "enabled"}, known) {
				t.Errorf("%q was accepted, with the unknown %q", body, name)
			}
		}
	})
}
