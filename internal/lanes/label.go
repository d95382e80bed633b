package lanes

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
)

const labelKey = "kappa_handler"

// label names a goroutine that calls handlers, so that its stack can be found among
// those of the process. No two of them have the same name at a time.
type label struct {
	name string
	set  context.Context //nolint:containedctx // what the runtime reads the label from
}

// labels hands out labels. They are used again, since they cost more than a short
// job does.
type labels struct {
	last atomic.Int64
	free sync.Pool
}

// take gives the calling goroutine a label, until put.
func (l *labels) take(ctx context.Context) *label {
	taken, ok := l.free.Get().(*label)
	if !ok {
		name := strconv.FormatInt(l.last.Add(1), 10)
		taken = &label{name, pprof.WithLabels(context.WithoutCancel(ctx), pprof.Labels(labelKey, name))}
	}
	pprof.SetGoroutineLabels(taken.set)
	return taken
}

// put takes the label back from a goroutine that calls no more handlers.
func (l *labels) put(taken *label) { l.free.Put(taken) }

// stack returns where a goroutine with a label is: its functions, the innermost
// first, a line each. It is "" when the goroutine is gone. All goroutines are stopped
// for a moment.
func (l *label) stack() string {
	var all bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&all, 1); err != nil {
		return ""
	}
	wanted := fmt.Sprintf("# labels: {%q:%q}", labelKey, l.name)
	for group := range strings.SplitSeq(all.String(), "\n\n") {
		if strings.Contains(group, wanted) && strings.Contains(group, ".(*Runner).handle") {
			return frames(group)
		}
	}
	return ""
}

// frames returns the functions of a group of a goroutine profile, which has a line
// with an address, a function and a place for each.
func frames(group string) string {
	var lines []string
	for line := range strings.Lines(group) {
		fields := strings.Fields(line)
		if len(fields) < 4 || fields[0] != "#" || !strings.HasPrefix(fields[1], "0x") {
			continue
		}
		function, _, _ := strings.Cut(fields[2], "+0x")
		lines = append(lines, function+" "+path.Base(fields[3]))
		if strings.HasSuffix(function, ".(*Runner).handle") {
			break // what is outside of it is the same for all handlers
		}
	}
	return strings.Join(lines, "\n")
}
