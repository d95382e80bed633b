package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"
)

// write prints the summary.
func (f figures) write(out io.Writer, violations []violation) {
	faults := 0
	var kinds []string
	for _, kind := range slices.Sorted(maps.Keys(f.Faults)) {
		faults += f.Faults[kind]
		kinds = append(kinds, fmt.Sprintf("%s %d", kind, f.Faults[kind]))
	}
	fmt.Fprintf(out, "seed %d: %d jobs, %d faults in %s, of which %s after the last fault and %s for the checks\n",
		f.Seed, f.Jobs, faults, f.Took.Round(time.Second), f.Drained.Round(time.Second), f.Judged.Round(time.Second))
	if f.OnAll > 0 {
		fmt.Fprintf(out, "  rounds whose servers all ran the lanes: %d; most workers that claimed in a round: %d\n", f.OnAll, f.Workers)
	}
	fmt.Fprintf(out, "  faults: %s\n", strings.Join(kinds, ", "))
	fmt.Fprintf(out, "  points: %s\n", counted(f.Places))
	fmt.Fprintf(out, "  jobs: %d completed, %d cancelled, %d quarantined; %d submissions without an answer\n", f.Completed, f.Cancelled, f.Quarantined, f.Unsure)
	fmt.Fprintf(out, "  claims: %d, of which %d were repeated (bound %d, pairs of a fault and a job under it), %d of them released without counting, %d lost beside a suspect; %d claims of suspects\n",
		f.Claims, f.Repeated, f.Pairs, f.Released, f.Spared, f.Suspects)
	fmt.Fprintf(out, "  steps done again by an unfenced target's count: %d\n", f.StepsRepeated)
	fmt.Fprintf(out, "  rescues %d, leases lost %d, stale writes refused %d, listeners connected again %d, terms of leaders %d\n",
		f.Logs.Rescues, f.Logs.LeasesLost, f.Logs.Stale, f.Logs.Relistens, f.Logs.Leaders)
	fmt.Fprintf(out, "  rescue after the last heartbeat: %s\n  takeover after a killed leader: %s; after its session: %s; while no other fault lasted: %s\n",
		f.Reclaim, f.Killed, f.Terminated, f.Alone)
	fmt.Fprintf(out, "  cancel of a running job to its end: %s; next claim after a restart of PostgreSQL: %s; exit after SIGTERM: %s\n", f.Cancel, f.Resume, f.Exit)
	fmt.Fprintf(out, "  streams %d of %d clients; due instants of schedules %d, of which %d were skipped\n", f.Extents[overStreams], f.Extents[overFollowed], f.Extents[overInstants], f.Skips)
	fmt.Fprintf(out, "  rights: %s; shown to their principals %d, refused %d; last shown after the end: %s, worst %s\n",
		counted(f.Rights), f.Extents[overShown], f.Refused, f.Shown, f.Shown.at(1))
	fmt.Fprintf(out, "  samples of the lanes: %d, most slots in use %d\n", f.Samples, f.MostInUse)
	if f.Usage != nil {
		f.Usage.write(out)
	}
	for _, message := range slices.Sorted(maps.Keys(f.Logs.Errors)) {
		fmt.Fprintf(out, "  logged as an error %d times: %s\n", f.Logs.Errors[message], message)
	}
	fmt.Fprintf(out, "  lost %d, double %d, illegal %d, other violations %d\n", count(violations, "I01"),
		count(violations, "I02", "I04", "I05", "I06", "I07"), count(violations, "I03", "I20", "I21"),
		len(violations)-count(violations, "I01", "I02", "I03", "I04", "I05", "I06", "I07", "I20", "I21"))
	for _, v := range violations {
		fmt.Fprintf(out, "  VIOLATED %s %s\n", v.Invariant, v.Evidence)
	}
	for _, line := range f.Histories {
		fmt.Fprintf(out, "    %s\n", line)
	}
}

// counted lists how many there are of each name.
func counted[K ~string](n map[K]int) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(n)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, n[name]))
	}
	return strings.Join(parts, ", ")
}

// count returns how many violations are of the given invariants.
func count(violations []violation, ids ...string) int {
	n := 0
	for _, v := range violations {
		if slices.Contains(ids, v.Invariant) {
			n++
		}
	}
	return n
}
