package cli

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/knowledge"
)

func newGraphMemoryCommand(a *App) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Show the graph that the server keeps in memory, and how fresh it is",
		Long: `Show what the server keeps in memory of the graph and for searches, how large it is
and how fresh.`,
		Args: cobra.NoArgs,
		RunE: a.withClient(func(cmd *cobra.Command, c *client.Client, _ []string) error {
			status, err := c.GraphAdmin.Status(cmd.Context())
			if err != nil {
				return fmt.Errorf("read the status of the graph in memory: %w", err)
			}
			return a.showAnswer("", func() { a.writeGraphStatus(status) })
		}),
	}
	cmd.AddCommand(newGraphConfigCommand(a))
	return cmd
}

// writeGraphStatus shows the status of the graph in memory.
func (a *App) writeGraphStatus(s knowledge.GraphStatus) {
	p := a.paint(a.out)
	line := func(name, value string) { fmt.Fprintf(a.out, "%s %s\n", p.Bold(show.Pad(name, 14)), value) }
	line("In memory", graphInMemory(s))
	line("Memory", megabytes(s.Bytes)+" of "+megabytes(s.Limit))
	if s.Passages != nil {
		defer a.writePassageStatus(*s.Passages, line)
	}
	if s.Search != nil {
		defer a.writeSearchStatus(*s.Search, line)
	}
	if s.Lag == nil {
		return
	}
	line("Holds", fmt.Sprintf("%s, %s", show.Counted(s.Concepts, "concept"), show.Counted(s.Edges, "relationship")))
	line("Epoch", show.Number(int(s.Epoch)))
	lag := "read " + show.Span(time.Duration(*s.Lag*float64(time.Second))) + " ago"
	if s.Behind != nil {
		lag += ", " + show.Counted(*s.Behind, "transaction") + " behind"
	}
	line("Freshness", lag)
	line("Loaded", fmt.Sprintf("%s, the last one took %s", show.Counted(int(s.Loads), "time"), show.Span(time.Duration(s.LoadSeconds*float64(time.Second)))))
	line("Followed", fmt.Sprintf("%s of %s", show.Counted(int(s.Changes), "change"), show.Counted(int(s.Transactions), "transaction")))
}

// writeSearchStatus shows what is kept in memory for searches.
func (a *App) writeSearchStatus(s knowledge.SearchIndexStatus, line func(name, value string)) {
	fmt.Fprintln(a.out)
	line("Searches", searchInMemory(s))
	line("Memory", megabytes(s.Bytes)+" of "+megabytes(s.Limit))
	if s.Lag == nil {
		return
	}
	line("Holds", show.Counted(s.Concepts, "concept"))
	line("Freshness", "read "+show.Span(time.Duration(*s.Lag*float64(time.Second)))+" ago")
}

// writePassageStatus shows the index that questions are answered from.
func (a *App) writePassageStatus(s knowledge.PassageIndexStatus, line func(name, value string)) {
	fmt.Fprintln(a.out)
	line("Questions", passagesIndexed(s))
	line("Memory", megabytes(s.Heap)+", and files of "+megabytes(s.Mapped))
	if s.Lag == nil {
		return
	}
	line("Holds", fmt.Sprintf("%s in %s", show.Counted(s.Passages, "passage"), show.Counted(s.Segments, "segment")))
	line("Freshness", "read "+show.Span(time.Duration(*s.Lag*float64(time.Second)))+" ago")
	if s.Vectors != nil {
		line("By meaning", passagesEmbedded(*s.Vectors))
	}
}

// passagesEmbedded says whether questions find passages by their meaning, and if not, why.
func passagesEmbedded(s knowledge.PassageVectorStatus) string {
	if !s.Ready {
		return fmt.Sprintf("by words alone (%s); the model is %s", show.OneLine(s.Reason), show.OneLine(s.Model))
	}
	return fmt.Sprintf("%s embedded by %s, %s of memory of %s", show.Counted(s.Passages, "passage"), show.OneLine(s.Model), megabytes(s.Bytes), megabytes(s.Limit))
}

// passagesIndexed says whether questions are answered from all passages, and if not, why.
func passagesIndexed(s knowledge.PassageIndexStatus) string {
	if s.Ready {
		return "answered from all passages"
	}
	return fmt.Sprintf("answered from %s of %s (%s)", show.Number(s.Passages), show.Counted(s.Of, "passage"), show.OneLine(s.Reason))
}

// checkPassages checks the index that questions are answered from.
func checkPassages(s knowledge.PassageIndexStatus) finding {
	f := finding{Check: "questions", Level: levelOK, Found: passagesIndexed(s)}
	if s.Ready {
		f.Found = fmt.Sprintf("%s, %s of memory and files of %s", show.Counted(s.Passages, "passage"), megabytes(s.Heap), megabytes(s.Mapped))
	}
	if s.Vectors != nil {
		f.Found += "; " + passagesEmbedded(*s.Vectors)
	}
	return f
}

// searchInMemory says whether searches are answered from memory, and if not, why.
func searchInMemory(s knowledge.SearchIndexStatus) string {
	switch {
	case !s.Ready:
		return "read the tables (" + show.OneLine(s.Reason) + ")"
	case !s.Embeddings:
		return "in memory, without embeddings: there is no room for them"
	}
	return "in memory"
}

// graphInMemory says whether it is used, and if not, why.
func graphInMemory(s knowledge.GraphStatus) string {
	words := map[knowledge.GraphState]string{
		knowledge.GraphReady: "used for queries", knowledge.GraphOff: "no, queries read the tables", knowledge.GraphLoading: "not yet, queries read the tables",
		knowledge.GraphBehind: "not used, queries read the tables", knowledge.GraphTooLarge: "no, it is too large: queries read the tables",
	}
	text := words[s.State]
	if text == "" {
		text = string(s.State)
	}
	if s.Reason != "" {
		text += " (" + show.OneLine(s.Reason) + ")"
	}
	return text
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/(1<<20)) }

// checkGraph checks the graph in memory. Servers before it say nothing of it.
func checkGraph(ctx context.Context, c *client.Client) []finding {
	status, err := c.GraphAdmin.Status(ctx)
	if err != nil {
		return nil // a login without the right, or a server of a version before: neither is a fault
	}
	f := finding{Check: "graph in memory", Level: levelOK, Found: graphInMemory(status)}
	switch status.State {
	case knowledge.GraphReady:
		f.Found = fmt.Sprintf("%s in %s", show.Counted(status.Edges, "relationship"), megabytes(status.Bytes))
	case knowledge.GraphTooLarge:
		f.Level, f.Remedy = levelWarn, "raise KG_GRAPH_MEMORY, or set it to 0 when queries may read the tables for good"
	case knowledge.GraphBehind:
		f.Level, f.Remedy = levelWarn, "see whether the database is busy; the server goes on by itself"
	}
	findings := []finding{f}
	if status.Search != nil {
		findings = append(findings, checkSearch(*status.Search))
	}
	if status.Passages != nil {
		findings = append(findings, checkPassages(*status.Passages))
	}
	return append(findings, checkWorkers(status)...)
}

// checkWorkers checks that the connections for the graph are enough for the workers that the
// settings allow. Servers of a version before do not say.
func checkWorkers(s knowledge.GraphStatus) []finding {
	if s.WorkersAllowed == 0 {
		return nil
	}
	f := finding{Check: "graph workers", Level: levelOK, Found: fmt.Sprintf("max_workers is %d, the connections of a server leave %d", s.WorkersAllowed, s.WorkersMost)}
	if s.WorkersAllowed > s.WorkersMost {
		f.Level, f.Remedy = levelWarn, fmt.Sprintf("raise KG_POOL_GRAPH, or: kg admin graph config --max-workers %d", max(1, s.WorkersMost))
	}
	return []finding{f}
}

// checkSearch checks what is kept in memory for searches.
func checkSearch(s knowledge.SearchIndexStatus) finding {
	f := finding{Check: "searches", Level: levelOK, Found: searchInMemory(s)}
	if s.Ready {
		f.Found += fmt.Sprintf(", %s in %s", show.Counted(s.Concepts, "concept"), megabytes(s.Bytes))
	}
	if s.Limit > 0 && (s.Reason == knowledge.SearchIndexTooLarge || s.Ready && !s.Embeddings) {
		f.Level, f.Remedy = levelWarn, "raise KG_SEARCH_MEMORY, or set it to 0 when searches may read the tables for good"
	}
	return f
}
