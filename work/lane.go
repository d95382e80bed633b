package work

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The ranges of a lane's settings.
const (
	MinPollIntervalMS      = 500
	MaxPollIntervalMS      = 120_000
	MinStaleTimeoutMinutes = 5
	MaxStaleTimeoutMinutes = 1440
	DefaultMaxLaneSlots    = 16 // ceiling of max_slots unless MAX_LANE_SLOTS says otherwise
)

// Lane is a named group of job types with its own slots. It is a row that
// operators edit while Kappa runs.
type Lane struct {
	Name                string     `json:"name"`
	JobTypes            []string   `json:"job_types"`
	MaxSlots            int        `json:"max_slots"`
	PollIntervalMS      int        `json:"poll_interval_ms"`
	StaleTimeoutMinutes int        `json:"stale_timeout_minutes"`
	Enabled             bool       `json:"enabled"`
	UpdatedAt           kappa.Time `json:"updated_at"`
}

// Poll returns the poll interval: the longest that a claimable job waits when
// no notification arrives.
func (l Lane) Poll() time.Duration { return time.Duration(l.PollIntervalMS) * time.Millisecond }

// ETag names the version of a lane: it is another one after each change.
func (l Lane) ETag() string {
	return `"` + strconv.FormatInt(l.UpdatedAt.UnixMicro(), 36) + `"`
}

// Matches reports whether an If-Match fits the version of a lane; "" and * do always.
func (l Lane) Matches(match string) bool {
	if match == "" {
		return true
	}
	for tag := range strings.SplitSeq(match, ",") {
		if tag = strings.TrimSpace(tag); tag == "*" || tag == l.ETag() {
			return true
		}
	}
	return false
}

// Claims reports whether the lane claims jobs: it is enabled and has slots.
func (l Lane) Claims() bool { return l.Enabled && l.MaxSlots > 0 }

// Slots returns how many slots the lane may use; ceiling is the highest number, 0 is
// none.
func (l Lane) Slots(ceiling int) int {
	if ceiling == 0 {
		return l.MaxSlots
	}
	return min(l.MaxSlots, ceiling)
}

// LaneUsage is a lane and how busy it is.
type LaneUsage struct {
	Lane
	RunningJobs    int `json:"running_jobs"`
	QueuedJobs     int `json:"queued_jobs"`
	SlotsAvailable int `json:"slots_available"`
	// OldestWait is the longest wait of a job that may run now, in seconds; nil when no
	// job waits. Only the first 1,000 jobs of each type and priority count, in the order
	// in which they are claimed.
	OldestWait *float64 `json:"oldest_wait_seconds"`
	// Version is the lane's ETag, for If-Match.
	Version string `json:"etag"`
	// BuiltIn says that job types are put into the lane that are in none, and that it cannot
	// be deleted.
	BuiltIn bool `json:"built_in"`
}

// LaneUpdate changes a lane's settings; nil leaves one as it is.
type LaneUpdate struct {
	MaxSlots            *int  `json:"max_slots,omitempty"`
	PollIntervalMS      *int  `json:"poll_interval_ms,omitempty"`
	StaleTimeoutMinutes *int  `json:"stale_timeout_minutes,omitempty"`
	Enabled             *bool `json:"enabled,omitempty"`
	// Match, unless "", is the ETag that the lane must have, or several with commas
	// between; * is any.
	Match string `json:"-"`
}

// Validate reports every rule that u breaks; ceiling is the highest max_slots.
func (u LaneUpdate) Validate(ceiling int) error {
	if u == (LaneUpdate{Match: u.Match}) {
		return kappa.NewError(kappa.CodeInvalid, "No fields to update")
	}
	var r check.Rules
	u.rules(&r, ceiling)
	return r.Err()
}

// rules adds the rules that the settings break.
func (u LaneUpdate) rules(r *check.Rules, ceiling int) {
	check := func(name string, v *int, least, most int) {
		if v != nil {
			r.Add("body", name, check.Range(*v, least, most))
		}
	}
	check("max_slots", u.MaxSlots, 0, ceiling)
	check("poll_interval_ms", u.PollIntervalMS, MinPollIntervalMS, MaxPollIntervalMS)
	check("stale_timeout_minutes", u.StaleTimeoutMinutes, MinStaleTimeoutMinutes, MaxStaleTimeoutMinutes)
}

// LaneChange is what an update changed, by setting.
type LaneChange struct {
	Lane    Lane                         `json:"lane"`
	Changed map[string]kappa.SettingDiff `json:"changed"`
}

// Diff returns what differs between two versions of a lane.
func (l Lane) Diff(next Lane) map[string]kappa.SettingDiff {
	changed := map[string]kappa.SettingDiff{}
	compare := func(name string, was, is any) {
		if was != is {
			changed[name] = kappa.SettingDiff{Old: was, New: is}
		}
	}
	compare("max_slots", l.MaxSlots, next.MaxSlots)
	compare("poll_interval_ms", l.PollIntervalMS, next.PollIntervalMS)
	compare("stale_timeout_minutes", l.StaleTimeoutMinutes, next.StaleTimeoutMinutes)
	compare("enabled", l.Enabled, next.Enabled)
	return changed
}

// CheckCeiling returns one sentence for each lane whose row has more slots than
// ceiling, which is the highest number that a lane may use.
func CheckCeiling(ceiling int, lanes []Lane) []string {
	var warnings []string
	for _, l := range lanes {
		if l.Slots(ceiling) < l.MaxSlots {
			warnings = append(warnings, "lane "+strconv.Quote(l.Name)+" has max_slots "+strconv.Itoa(l.MaxSlots)+", of which it uses "+
				strconv.Itoa(ceiling)+": the ceiling is MAX_LANE_SLOTS")
		}
	}
	return warnings
}

// CheckCoverage compares the job types that a server works on with the lanes.
// It returns one sentence for each type that no lane claims or that is in two.
func CheckCoverage(types []string, lanes []Lane) []string {
	var warnings []string
	for _, t := range types {
		var in []string
		claimed := false
		for _, l := range lanes {
			if slices.Contains(l.JobTypes, t) {
				in = append(in, l.Name)
				claimed = claimed || l.Claims()
			}
		}
		switch {
		case len(in) == 0:
			warnings = append(warnings, "job type "+strconv.Quote(t)+" is in no lane: its jobs will wait for ever")
		case !claimed:
			warnings = append(warnings, "job type "+strconv.Quote(t)+" is only in a lane that is disabled or has no slots, "+strings.Join(in, ", ")+": its jobs wait until that changes")
		case len(in) > 1:
			warnings = append(warnings, "job type "+strconv.Quote(t)+" is in several lanes: "+strings.Join(in, ", "))
		}
	}
	return warnings
}
