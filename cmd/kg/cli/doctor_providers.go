package cli

import (
	"context"
	"fmt"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/corpus/models"
)

// checkProviders checks that no job waits for a provider of models for long. Whoever may
// not see them gets no finding, and neither does a server that uses none.
func checkProviders(ctx context.Context, c *client.Client) (findings []finding) {
	list, err := c.Models.Providers(ctx)
	if err != nil {
		switch kappa.ErrorCode(err) {
		case kappa.CodeForbidden, kappa.CodeNotFound: // the second of an older server
			return nil
		}
		return []finding{{Check: "providers", Level: levelFail, Found: err.Error()}}
	}
	for _, p := range list {
		findings = append(findings, providerFinding(p))
	}
	return findings
}

// providerFinding says how a provider is, and which jobs wait for it.
func providerFinding(p models.ProviderStatus) finding {
	f := finding{Check: "provider " + p.Name, Level: levelOK, Found: fmt.Sprintf("%s in flight, %s waiting", show.Counted(p.InFlight, "call"), show.Number(p.Waiting))}
	if p.LastError != "" {
		f.Level, f.Found = levelWarn, p.LastError
		f.Remedy = "kg admin providers check makes a real call"
	}
	if p.JobsWaiting == 0 || p.WaitingSince == nil {
		return f
	}
	f.Found += fmt.Sprintf("; %s for it, the first since %s", waiting(p.JobsWaiting), show.When(p.WaitingSince))
	if p.JobsOverdue > 0 {
		f.Level = levelWarn
		f.Found += fmt.Sprintf(", %s for longer than KG_PROVIDER_PATIENCE", show.Number(p.JobsOverdue))
		f.Remedy = "see to what it says, then: kg admin providers check; the jobs go on by themselves"
	}
	return f
}

// waiting says how many jobs wait.
func waiting(jobs int) string {
	if jobs == 1 {
		return "1 job waits"
	}
	return show.Number(jobs) + " jobs wait"
}
