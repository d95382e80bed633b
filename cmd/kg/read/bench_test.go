//go:build linux

package read

import (
	"context"
	"log/slog"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/formats"
	"github.com/kappagraph/kappa/internal/reading"
)

// BenchmarkHTML compares what reading a small document costs here and in a process of its
// own, with the start of that process every 50 documents.
func BenchmarkHTML(b *testing.B) {
	body := []byte("<html><h1>Ice</h1>" + strings.Repeat("<p>A glacier is a river of <b>ice</b>, which calves.</p>", 40) + "</html>")
	here := formats.NewReader()
	r := reading.New(reading.Config{Bin: "../../../bin/kg", Args: []string{Command}, Children: 1, Local: here, Log: slog.New(slog.DiscardHandler)})
	go func() { _ = r.Run(b.Context()) }()
	for name, read := range map[string]interface {
		Text(ctx context.Context, body []byte, format corpus.ContentType) (corpus.DocumentText, error)
	}{"here": here, "process": r} {
		b.Run(name, func(b *testing.B) {
			before := cpu()
			for b.Loop() {
				if _, err := read.Text(b.Context(), body, corpus.ContentHTML); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64((cpu()-before).Microseconds())/float64(b.N), "cpu-µs/op")
		})
	}
	b.Logf("%+v", r.Stats())
}

// cpu returns the processor time of this process and of those that it has started and that
// have ended.
func cpu() (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		_ = syscall.Getrusage(who, &u)
		sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return sum
}
