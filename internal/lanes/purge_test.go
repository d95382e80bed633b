package lanes

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// fakePurge counts its purges; the one of the accounts fails at first.
type fakePurge struct{ accounts, submissions, artifacts, dataclips, webhooks int }

func (f *fakePurge) Purge(context.Context) error {
	f.accounts++
	if f.accounts == 1 {
		return errors.New("away")
	}
	return nil
}

func (f *fakePurge) PurgeSubmissions(context.Context) error {
	f.submissions++
	return nil
}

func (f *fakePurge) PurgeArtifacts(context.Context) error {
	f.artifacts++
	return nil
}

func (f *fakePurge) PurgeDataclips(context.Context) error {
	f.dataclips++
	return nil
}

func (f *fakePurge) PurgeWebhooks(context.Context) error {
	f.webhooks++
	return nil
}

func TestPurge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakePurge{}
		ctx, cancel := context.WithTimeout(t.Context(), 2*purgeEvery+time.Minute)
		defer cancel()
		if err := NewPurge(PurgeConfig{Accounts: f, Jobs: f, Artifacts: f, Dataclips: f, Webhooks: f, Log: quiet}).Run(ctx); err != nil {
			t.Error(err)
		}
		if f.accounts != 3 || f.submissions != 3 || f.artifacts != 3 || f.dataclips != 3 || f.webhooks != 3 {
			t.Errorf("%d, %d, %d, %d and %d purges in two hours, want one an hour and one soon after the first failed", f.accounts, f.submissions, f.artifacts, f.dataclips, f.webhooks)
		}
	})
}
