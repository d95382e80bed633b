package cli

import (
	"strings"
	"testing"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/work"
)

func TestCertificateFindings(t *testing.T) {
	now := time.Date(2026, 11, 29, 12, 0, 0, 0, time.UTC)
	until := func(after time.Duration) *kappa.Time {
		at := kappa.At(now.Add(after))
		return &at
	}
	const day = 24 * time.Hour
	for name, tt := range map[string]struct {
		one    work.Certificate
		level  string
		found  string
		remedy string
	}{
		"good":                  {work.Certificate{Names: []string{"a.example", "b.example"}, From: "file", Until: until(60 * day)}, levelOK, "for a.example, b.example, until 2027-01-28, 60 days from now", ""},
		"soon over":             {work.Certificate{Names: []string{"a.example"}, From: "file", Until: until(10 * day)}, levelWarn, "10 days from now", "KG_TLS_CERT"},
		"over":                  {work.Certificate{Names: []string{"a.example"}, From: "file", Until: until(-day)}, levelFail, "ended on 2026-11-28", "KG_TLS_CERT"},
		"over, and none newer":  {work.Certificate{Names: []string{"a.example"}, From: "acme", Until: until(-day), Failed: "no answer"}, levelFail, "no answer", "port 443"},
		"good, and none newer":  {work.Certificate{Names: []string{"a.example"}, From: "file", Until: until(60 * day), Failed: "no key"}, levelWarn, "could not be had: no key", "KG_TLS_CERT"},
		"none":                  {work.Certificate{Names: []string{"a.example"}, From: "acme", Failed: "no answer"}, levelFail, "none yet for a.example", "port 443"},
		"a name with a control": {work.Certificate{Names: []string{"a\x1b[2J"}, From: "file", Until: until(60 * day)}, levelOK, "until", ""},
	} {
		t.Run(name, func(t *testing.T) {
			list := certificateFindings([]work.Certificate{tt.one}, now)
			if len(list) != 1 || list[0].Level != tt.level || !strings.Contains(list[0].Found, tt.found) || !strings.Contains(list[0].Remedy, tt.remedy) || (tt.remedy == "") != (list[0].Remedy == "") || strings.Contains(list[0].Found, "\x1b") {
				t.Errorf("%+v", list)
			}
		})
	}
}
