package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/work"
)

func newStatsCommand(a *App) *cobra.Command {
	f := work.StatsFilter{}
	cmd := &cobra.Command{
		Use:   "stats",
		Short: "Show how long jobs waited and ran, by lane and type",
		Long: `Show how long jobs waited for a slot since they could have been claimed, and how long their
attempts ran, by lane and type: the median, and what 95 and 99 in a hundred did not exceed,
each within 10 %; and how many attempts ended in each thirtieth of the time. Each server tells
once a minute, so the last minute may be missing. What remote workers run is in no lane.`,
		Example: "  kg admin workers stats --since 5m\n  kg admin workers stats --type ingestion --since 24h",
		Args:    cobra.NoArgs,
		RunE: a.withChecked(func(cmd *cobra.Command, _ []string) error {
			return inFlagsOf(cmd, f.Validate(), map[string]string{"job_type": "type"})
		}, func(cmd *cobra.Command, c *client.Client, _ []string) error {
			stats, err := c.Workers.Stats(cmd.Context(), f)
			if err != nil {
				return fmt.Errorf("ask how long jobs took: %w", err)
			}
			return a.showAnswer("stats", func() { a.writeAttemptStats(f.Since, stats) })
		}),
	}
	cmd.Flags().DurationVar(&f.Since, "since", time.Hour, "of attempts that have ended since then, 1m to 24h")
	cmd.Flags().StringVar(&f.Lane, "lane", "", "only those of this lane")
	cmd.Flags().StringVar(&f.JobType, "type", "", "only those at jobs of this type")
	return cmd
}

func (a *App) writeAttemptStats(since time.Duration, stats work.AttemptStats) {
	if len(stats.Stats) == 0 {
		a.note("No attempt has ended since %s.", show.When(&stats.From))
		return
	}
	right := func(name string) show.Column { return show.Column{Name: name, Right: true} }
	g := show.NewGrid(show.Column{Name: "lane"}, show.Column{Name: "type"}, right("ended"), right("failed"), right("retried"),
		right("wait p50"), right("p95"), right("p99"), right("run p50"), right("p95"), right("p99"), show.Column{Name: "last " + strings.TrimSuffix(strings.TrimSuffix(since.String(), "0s"), "0m")})
	for _, s := range stats.Stats {
		ended := int64(0)
		for _, n := range s.Ended {
			ended += n
		}
		g.Add(show.OneLine(s.Lane), show.OneLine(s.JobType), show.Number(int(ended)), show.Number(int(s.Ended[work.AttemptFailed])), show.Number(int(s.Ended[work.AttemptRetried])),
			shortSpan(s.Wait.P50), shortSpan(s.Wait.P95), shortSpan(s.Wait.P99), shortSpan(s.Run.P50), shortSpan(s.Run.P95), shortSpan(s.Run.P99), show.Sparkline(s.Series))
	}
	a.writeGrid(g, nil)
}

func shortSpan(seconds float64) string {
	return show.Span(time.Duration(seconds * float64(time.Second)))
}
