package passages_test

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/kappagraph/kappa/corpus"
	"github.com/kappagraph/kappa/internal/passages"
)

// cpuTime is the processor time of this process so far: the clock of a busy machine says little.
func cpuTime(t *testing.T) time.Duration {
	t.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		t.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// TestLinear cuts eight times the text in not much more than eight times the processor time, at
// the best of three tries.
func TestLinear(t *testing.T) {
	for name, part := range map[string]string{
		"prose": "A sentence of six words is this. ", "one word": "x", "Chinese": "北京大学创建于1898年。", "rows": "| a | b |\n", "items": "- one\n", "fences": "```\n", "headings": "# A\n",
		"labels": "Label\n\n", "brackets": "[", "pictures": "![](", "tags": "<a ", "links": "](", "entities": "&", "blank": "\n", "pages": "a\f", "old line ends": "a\r", "colons": "a:\n\n", "marks": "*", "years": "[1] 2001 ",
	} {
		took := func(times int) time.Duration {
			d := corpus.DocumentText{Text: strings.Repeat(part, times), Markup: corpus.ContentMarkdown}
			began := cpuTime(t)
			for range (passages.Cutter{}).Cut(d) {
				continue
			}
			return cpuTime(t) - began
		}
		n := 60_000 / len(part)
		short, long := took(n), took(8*n)
		isLinear := func() bool { return long <= 20*short+20*time.Millisecond }
		for try := 1; try < 3 && !isLinear(); try++ {
			short, long = min(short, took(n)), min(long, took(8*n))
		}
		if !isLinear() {
			t.Errorf("%s: %v, and %v for eight times the text", name, short, long)
		}
	}
}
