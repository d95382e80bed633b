package kappa_test

import (
	"encoding/base64"
	"strings"
	"testing"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

// TestCursor writes cursors and reads them again, and what clients may make up.
func TestCursor(t *testing.T) {
	place := kappa.Cursor{List: kappa.ListJobs, Keys: []int64{1700000000000001}, ID: "job_0123456789ab"}
	got, ok := kappa.ParseCursor(kappa.ListJobs, place.String(), 1)
	if !ok || got.String() != place.String() || got.Key(0, 7) != 1700000000000001 {
		t.Errorf("%+v, %t", got, ok)
	}
	if begin, ok := kappa.ParseCursor(kappa.ListJobs, "", 1); !ok || !begin.IsZero() || begin.Key(0, 7) != 7 || begin.String() != "" {
		t.Errorf("the begin is %+v, %t", begin, ok)
	}
	made := func(text string) string { return base64.RawURLEncoding.EncodeToString([]byte(text)) }
	for name, text := range map[string]string{
		"no cursor":          "next",
		"of another list":    kappa.Cursor{List: kappa.ListAudit, Keys: []int64{1}}.String(),
		"too few keys":       made(`{"l":"jobs","k":[]}`),
		"a negative key":     made(`{"l":"jobs","k":[-1]}`),
		"a key out of range": made(`{"l":"jobs","k":[9223372036854775807]}`),
		"an id that is none": made(`{"l":"jobs","k":[1],"i":"' OR 1=1"}`),
		"cut":                place.String()[:9],
		"endless":            strings.Repeat("A", 100_000),
	} {
		if c, ok := kappa.ParseCursor(kappa.ListJobs, text, 1); ok {
			t.Errorf("%s: taken as %+v", name, c)
		}
	}
	f := work.JobFilter{Limit: 1, Cursor: place.String(), Offset: 1}
	if err := f.Validate(); err == nil || !strings.Contains(err.Error(), "cursor: must not come with offset") {
		t.Errorf("with an offset: %v", err)
	}
}
