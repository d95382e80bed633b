package main

import (
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"
)

// writeSummary writes the sum of a campaign as a page for readers: what was
// done, what was promised and held, and how long things took.
func writeSummary(out io.Writer, f figures, violations []violation, cfg config) error {
	var b strings.Builder
	faults := 0
	for _, n := range f.Faults {
		faults += n
	}
	fmt.Fprintf(&b, "# Campaign\n\n")
	fmt.Fprintf(&b, "%s jobs ran on %d servers and one PostgreSQL while %s faults were injected; rounds, each with a database of its own: %d, "+
		"from seed %d on. In %d of them all servers ran the lanes (`KG_LANES=all`). The rounds, up to %d at a time, took %s in sum on %d processors (%s/%s, %s), of which %s after the last faults, until every job had ended, and %s for the checks. %s\n\n",
		thousands(f.Jobs), cfg.Servers, thousands(faults), f.Rounds, f.Seed, f.OnAll, max(1, cfg.Together), f.Took.Round(time.Second), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH,
		runtime.Version(), f.Drained.Round(time.Second), f.Judged.Round(time.Second), verdict(violations))
	fmt.Fprintf(&b, "To repeat it: `go run ./test/campaign -seed %d -jobs %d -faults %d -servers %d -every %s -lease %s -round %d -together %d`. "+
		"The seed decides the jobs and the faults; what they meet differs.\n", f.Seed, cfg.Jobs, cfg.Faults, cfg.Servers, cfg.Every, cfg.Lease, (cfg.Faults+max(f.Rounds, 1)-1)/max(f.Rounds, 1), max(1, cfg.Together))
	summarizeFaults(&b, f)
	summarizeJobs(&b, f)
	summarizeRights(&b, f)
	summarizeTimes(&b, f.durations, cfg)
	summarizeLaws(&b, f, violations)
	_, err := io.WriteString(out, b.String())
	return err
}

func verdict(violations []violation) string {
	if len(violations) == 0 {
		return "Every invariant held."
	}
	return fmt.Sprintf("**Violations found: %d.**", len(violations))
}

// effects says what each kind of fault does.
func effects() map[faultKind]string {
	return map[faultKind]string{
		faultKill: "SIGKILL, then a new start", faultPause: "SIGSTOP beyond the lease, then SIGCONT: a zombie", faultStall: "SIGSTOP within the lease",
		faultStop: "SIGTERM, then a new start", faultTerminate: "PostgreSQL ends the sessions of a role, of every server", faultRestart: "PostgreSQL ends at once and starts again",
		faultCut: "connections of a role are cut", faultRefuse: "connections are cut, and new ones too", faultHole: "nothing arrives, and no end of a connection",
		faultLose: "what is sent arrives, the answer is lost", faultSlow: "data waits", faultSlots: "the slots of a lane change", faultDisable: "a lane is disabled for a while",
		faultPoint: "a server breaks at a place of its code",
		faultBlind: "a server cannot ask who may read, for longer than the grace",
	}
}

func summarizeFaults(b *strings.Builder, f figures) {
	fmt.Fprintf(b, "\n## Faults\n\n| fault | what it does | times |\n|---|---|---|\n")
	for _, kind := range slices.Sorted(maps.Keys(f.Faults)) {
		fmt.Fprintf(b, "| %s | %s | %s |\n", kind, effects()[kind], thousands(f.Faults[kind]))
	}
	fmt.Fprintf(b, "\nThe places at which servers broke, each within a process that was started for it:\n\n| place | times |\n|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(f.Places)) {
		fmt.Fprintf(b, "| %s | %s |\n", name, thousands(f.Places[name]))
	}
	fmt.Fprintf(b, "\nThe faults were felt: %s jobs were taken back from lost workers, %s leases were lost, %s stale writes were refused, "+
		"%s listeners connected again, servers began to lead %s times.\n",
		thousands(f.Logs.Rescues), thousands(f.Logs.LeasesLost), thousands(f.Logs.Stale), thousands(f.Logs.Relistens), thousands(f.Logs.Leaders))
}

func summarizeJobs(b *strings.Builder, f figures) {
	fmt.Fprintf(b, "\n## Jobs\n\n| what | number |\n|---|---|\n")
	for _, row := range []struct {
		what string
		n    int
	}{
		{"completed", f.Completed},
		{"cancelled", f.Cancelled},
		{"quarantined after three crashes", f.Quarantined},
		{"submissions whose answer was lost", f.Unsure},
		{"claims", f.Claims},
		{"claims that went back to approved", f.Repeated},
		{"… of which were released without counting", f.Released},
		{"… of which were lost beside a suspect, and not counted", f.Spared},
		{"claims of suspects, which run one at a time", f.Suspects},
		{"pairs of a fault and a job under it, the bound of the repetitions", f.Pairs},
		{"steps done again, as a target outside the database counts", f.StepsRepeated},
		{"due instants of schedules", f.Extents[overInstants]},
		{"… of which were skipped with a reason", f.Skips},
		{"clients that followed a job", f.Extents[overFollowed]},
		{"streams that they read", f.Extents[overStreams]},
		{"samples of the lanes", f.Samples},
		{"most slots in use", f.MostInUse},
	} {
		fmt.Fprintf(b, "| %s | %s |\n", row.what, thousands(row.n))
	}
}

// summarizeRights shows how rights ended, and what their principals were shown.
func summarizeRights(b *strings.Builder, f figures) {
	fmt.Fprintf(b, "\n## Rights\n\nPrincipals with jobs of their own followed those, and asked for others', over all servers, and lost their right meanwhile. "+
		"They were shown %s events and answers, and refused %s times.\n\n| right | times |\n|---|---|\n", thousands(f.Extents[overShown]), thousands(f.Refused))
	for _, kind := range slices.Sorted(maps.Keys(f.Rights)) {
		fmt.Fprintf(b, "| %s | %s |\n", kind, thousands(f.Rights[kind]))
	}
}

func summarizeTimes(b *strings.Builder, d durations, cfg config) {
	fmt.Fprintf(b, "\n## Times\n\nThe servers had a lease of %s. Other faults lasted at most of these times, unless it says calm.\n\n", cfg.Lease)
	fmt.Fprintf(b, "| figure | from … to | p50 | p99 | worst | number |\n|---|---|---|---|---|---|\n")
	for _, row := range []struct {
		id, what string
		p        percentiles
	}{
		{"G03", "last heartbeat of a dead worker → its job is approved again", d.Reclaim},
		{"G04", "leader's process killed → next term", d.Killed},
		{"G04", "leader's session terminated → next term", d.Terminated},
		{"G04", "either of them in calm: no other fault lasted", d.Alone},
		{"G08", "cancel of a running job requested → its end is stored, in calm", d.Cancel},
		{"G10", "PostgreSQL ready after a restart → next claim", d.Resume},
		{"G11", fmt.Sprintf("SIGTERM → process gone, with a grace of %d s", drainSeconds), d.Exit},
		{"I24", "end of a right is committed → the last that was shown of it", d.Shown},
	} {
		fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", row.id, row.what, row.p.at(0.5), row.p.at(0.99), row.p.at(1), thousands(len(row.p)))
	}
}

func summarizeLaws(b *strings.Builder, f figures, violations []violation) {
	fmt.Fprintf(b, "\n## Invariants\n\n| | invariant | held against | violations |\n|---|---|---|---|\n")
	laws := append(invariants(), sampledLaws()...)
	slices.SortStableFunc(laws, func(a, b invariant) int { return strings.Compare(a.id, b.id) })
	for _, law := range laws {
		fmt.Fprintf(b, "| %s | %s | %s %s | %d |\n", law.id, law.law, thousands(f.Extents[law.over]), law.over, broken(law, violations))
	}
	if len(violations) > 0 {
		fmt.Fprintf(b, "\n```\n")
		for _, v := range violations {
			fmt.Fprintf(b, "%s %s\n", v.Invariant, v.Evidence)
		}
		fmt.Fprintf(b, "```\n")
	}
}

// broken counts the violations of a law. Those of the sampler do not name it.
func broken(law invariant, violations []violation) int {
	n := 0
	for _, v := range violations {
		if v.Invariant == law.id && (law.find == nil || strings.HasPrefix(v.Evidence, law.law)) {
			n++
		}
	}
	return n
}

// thousands writes a number with commas.
func thousands(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
