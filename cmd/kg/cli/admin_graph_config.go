package cli

import (
	"fmt"
	"maps"
	"slices"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
)

// newGraphConfigCommand returns kg admin graph config.
func newGraphConfigCommand(a *App) *cobra.Command {
	var values knowledge.GraphSettings
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show or change the settings of queries to the graph",
		Long: `Show the settings of queries to the graph, or change those that are given as flags.
They act within a second on every server, without a restart.`,
		Example: "  kg admin graph config\n  kg admin graph config --max-workers 4 --timeout-seconds 60",
		Args:    cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			update := graphSettingsGiven(cmd, &values)
			if update == (knowledge.GraphSettingsUpdate{}) {
				settings, err := c.GraphAdmin.Settings(cmd.Context())
				if err != nil {
					return fmt.Errorf("read the settings of the graph: %w", err)
				}
				return a.showAnswer("", func() { a.writeGraphSettings(settings) })
			}
			change, err := c.GraphAdmin.UpdateSettings(cmd.Context(), update)
			if err != nil {
				return fmt.Errorf("change the settings of the graph: %w", err)
			}
			return a.showAnswer("", func() { a.writeGraphChange(change) })
		}),
	}
	flags := cmd.Flags()
	flags.IntVar(&values.MaxWorkers, "max-workers", 0, "connections that all queries of a server use besides their own, 1 to 32")
	flags.IntVar(&values.TimeoutSeconds, "timeout-seconds", 0, "how long a query may take, 5 to 120")
	flags.IntVar(&values.ParallelFrom, "parallel-from", 0, "concepts of a level that is cut into chunks, 1 to 1000000")
	flags.IntVar(&values.ChunkSize, "chunk-size", 0, "concepts of a chunk, 1 to 100000")
	flags.IntVar(&values.ChunkTimeoutSeconds, "chunk-timeout-seconds", 0, "how long a chunk may take, 1 to 120")
	flags.IntVar(&values.MaxResultsPerChunk, "max-results-per-chunk", 0, "relationships that a chunk reads, 100 to 5000000")
	return cmd
}

// graphSettingsGiven returns the settings that were given as flags.
func graphSettingsGiven(cmd *cobra.Command, values *knowledge.GraphSettings) knowledge.GraphSettingsUpdate {
	given := func(flag string, value *int) *int {
		if cmd.Flags().Changed(flag) {
			return value
		}
		return nil
	}
	return knowledge.GraphSettingsUpdate{
		MaxWorkers: given("max-workers", &values.MaxWorkers), TimeoutSeconds: given("timeout-seconds", &values.TimeoutSeconds),
		ParallelFrom: given("parallel-from", &values.ParallelFrom), ChunkSize: given("chunk-size", &values.ChunkSize),
		ChunkTimeoutSeconds: given("chunk-timeout-seconds", &values.ChunkTimeoutSeconds),
		MaxResultsPerChunk:  given("max-results-per-chunk", &values.MaxResultsPerChunk),
	}
}

func (a *App) writeGraphSettings(s knowledge.GraphSettings) {
	for _, line := range []struct {
		name  string
		value int
	}{
		{"max_workers", s.MaxWorkers},
		{"timeout_seconds", s.TimeoutSeconds},
		{"parallel_from", s.ParallelFrom},
		{"chunk_size", s.ChunkSize},
		{"chunk_timeout_seconds", s.ChunkTimeoutSeconds},
		{"max_results_per_chunk", s.MaxResultsPerChunk},
	} {
		fmt.Fprintf(a.out, "%-22s %d\n", line.name, line.value)
	}
}

func (a *App) writeGraphChange(change knowledge.GraphSettingsChange) {
	if len(change.Changed) == 0 {
		fmt.Fprintln(a.out, "nothing differs")
	}
	for _, setting := range slices.Sorted(maps.Keys(change.Changed)) {
		d := change.Changed[setting]
		fmt.Fprintf(a.out, "%s %v → %v\n", show.OneLine(setting), d.Old, d.New)
	}
}
