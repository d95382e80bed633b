package postgres_test

import (
	"slices"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/work"
)

// TestLaneVersions changes a lane as it was read, before and after somebody else did.
func TestLaneVersions(t *testing.T) {
	t.Parallel()
	s, _ := newStore(t)
	lanes, err := s.Lanes().Lanes(t.Context())
	must(t, err)
	read := lanes[0]
	set := func(slots int, match string) (work.LaneChange, error) {
		return s.Lanes().UpdateLane(t.Context(), read.Name, work.LaneUpdate{MaxSlots: &slots, Match: match})
	}
	changed, err := set(7, read.ETag())
	if err != nil || changed.Lane.ETag() == read.ETag() {
		t.Fatalf("%+v, %v; want another version", changed.Lane, err)
	}
	if _, err := set(8, read.ETag()); kappa.ErrorCode(err) != kappa.CodePrecondition {
		t.Errorf("an old version: %v, want it refused", err)
	}
	for _, match := range []string{"", "*", `"x", ` + changed.Lane.ETag()} {
		if _, err := set(7, match); err != nil {
			t.Errorf("If-Match %s: %v", match, err)
		}
	}
	if lanes, err = s.Lanes().Lanes(t.Context()); err != nil || lanes[0].MaxSlots != 7 || lanes[0].ETag() != changed.Lane.ETag() {
		t.Errorf("%+v, %v", lanes[0], err)
	}
}

// TestLoginsAreRecorded logs in, rightly and wrongly.
func TestLoginsAreRecorded(t *testing.T) {
	t.Parallel()
	s, _ := newAccounts(t)
	user := access.User{ID: access.AdminUserID, Username: "admin"}
	must(t, s.Accounts().RecordLogin(t.Context(), user, access.LoginRecord{Address: "192.0.2.1", ClientID: "kg-cli-1"}))
	must(t, s.Accounts().RecordLogin(t.Context(), user, access.LoginRecord{Address: "192.0.2.2", Failed: true}))
	must(t, s.Accounts().RecordLogin(t.Context(), access.User{}, access.LoginRecord{Address: "192.0.2.3", Failed: true}))
	entries, err := s.Audit().Entries(t.Context(), access.AuditFilter{Action: "login", Limit: 10})
	must(t, err)
	var got []string
	for _, e := range entries {
		got = append(got, e.Action+" "+e.Username+" "+e.ClientID+" "+string(e.After))
	}
	want := []string{`login.fail   {"address": "192.0.2.3"}`, `login.fail admin  {"address": "192.0.2.2"}`, `login.succeed admin kg-cli-1 {"address": "192.0.2.1"}`}
	if !slices.Equal(got, want) {
		t.Errorf("recorded %q, want %q", got, want)
	}
}
