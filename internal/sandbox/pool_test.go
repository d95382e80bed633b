//go:build linux

package sandbox

import (
	"context"
	"errors"
	"flag"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	program "github.com/kappagraph/kappa/internal/sandbox/child"
	"github.com/kappagraph/kappa/internal/sandbox/frame"
	"github.com/kappagraph/kappa/internal/sandbox/walls"
)

// asked and said are what the parent and the child of these tests say to each other.
type asked struct{ Verb string }

type said struct {
	Text string
	PID  int
}

// TestMain is also the child of these tests: one that does what a task says.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "obey" {
		set := flag.NewFlagSet("obey", flag.ExitOnError)
		w := walls.Config{Name: "kg-test", Calls: walls.CallsOfGo}
		w.Flags(set)
		_ = set.Parse(os.Args[2:])
		w.Memory = 64 << 30 // the detector of races wants that
		if w.Files == asDuckDB {
			w.Calls = walls.CallsOfDuckDB
		}
		doors := openDoors(w.Parent)
		outerPID() // while it can be read
		os.Exit(program.Program[asked, said]{
			Walls: w, MaxRequest: 1 << 20, MaxAnswer: 1 << 20,
			Open: func() (string, error) { return "test", nil }, Answer: doors.obey, TooLong: func() said { return said{Text: "too long"} },
		}.Run())
	}
	goleak.VerifyTestMain(m)
}

// outerPID is the process id that the server knows this child by.
var outerPID = sync.OnceValue(func() int {
	name, _ := os.Readlink("/proc/self") // which was mounted outside
	pid, _ := strconv.Atoi(name)
	return pid
})

// hang waits for the end of this process.
func hang() { time.Sleep(time.Hour) }

func (d doors) obey(a asked) said {
	verb, rest, _ := strings.Cut(a.Verb, " ")
	switch verb {
	case "read":
		content, err := io.ReadAll(io.NewSectionReader(os.NewFile(InputDescriptor, "input"), 0, 1<<20))
		if err != nil {
			rest = err.Error()
		} else {
			rest = string(content)
		}
	case "door":
		rest = d.try(rest)
	case "long":
		rest = strings.Repeat("x", 2<<20)
	case "some":
		rest = strings.Repeat("x", 10_000)
	case "hang":
		hang()
	case "exit":
		os.Exit(7) //nolint:revive // a child that ends
	}
	return said{rest, outerPID()}
}

// start runs a pool of real children.
func start(t *testing.T, change func(c *Config)) *Pool {
	t.Helper()
	cfg := Config{Name: "kg-test", Bin: os.Args[0], Args: []string{"obey"}, Children: 1, Start: time.Minute, Input: true, OwnProcesses: !cgoEnabled}
	if change != nil {
		change(&cfg)
	}
	p := New(cfg)
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if s := p.Stats(); s.Alive != 0 || s.Busy != 0 {
			t.Errorf("left behind: %+v", s)
		}
	})
	return p
}

func TestInput(t *testing.T) {
	p := start(t, nil)
	for _, want := range []string{"a longer text", "short", ""} {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var a said
		err := p.Do(ctx, Task{Request: asked{"read"}, Answer: &a, Input: func(w io.Writer) error {
			_, err := io.WriteString(w, want)
			return err
		}})
		if err != nil || a.Text != want {
			t.Errorf("the child read %q, want %q: %v", a.Text, want, err)
		}
	}
	t.Run("one that cannot be written is its writer's failure, and the next task has a child", func(t *testing.T) {
		broken := errors.New("no more of the file")
		if err := p.Do(t.Context(), Task{Request: asked{"read"}, Answer: &said{}, Input: func(io.Writer) error { return broken }}); !errors.Is(err, broken) {
			t.Errorf("got %v", err)
		}
		var a said
		if err := p.Do(t.Context(), Task{Request: asked{"read"}, Answer: &a}); err != nil || a.Text != "" {
			t.Errorf("then %q, %v", a.Text, err)
		}
	})
}

// TestBoundOfATask: an answer that is longer than its task allows is not believed, although
// another task may have one as long.
func TestBoundOfATask(t *testing.T) {
	p := start(t, nil)
	var a said
	if err := p.Do(t.Context(), Task{Request: asked{"some"}, Answer: &a, MostAnswer: 5000}); !errors.Is(err, frame.ErrMalformed) {
		t.Errorf("10,000 bytes where 5,000 are the most: %d came, %v", len(a.Text), err)
	}
	for _, most := range []int{0, 20_000, 1 << 40} {
		a = said{}
		if err := p.Do(t.Context(), Task{Request: asked{"some"}, Answer: &a, MostAnswer: most}); err != nil || len(a.Text) != 10_000 {
			t.Errorf("where %d are the most, %d came: %v", most, len(a.Text), err)
		}
	}
}

func TestFailures(t *testing.T) {
	p := start(t, nil)
	for verb, want := range map[string]error{"hang": ErrLate, "exit": ErrEnded} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		err := p.Do(ctx, Task{Request: asked{verb}, Answer: &said{}})
		cancel()
		if !errors.Is(err, want) {
			t.Errorf("%s: got %v, want %v", verb, err, want)
		}
		var a said
		if err := p.Do(t.Context(), Task{Request: asked{"long"}, Answer: &a}); err != nil || a.Text != "too long" {
			t.Errorf("after %s: got %q, %v", verb, a.Text, err)
		}
	}
	t.Run("a child that was harmed has no other task", func(t *testing.T) {
		var first, second said
		if err := p.Do(t.Context(), Task{Request: asked{"say x"}, Answer: &first, Harmed: func() bool { return first.Text == "x" }}); err != nil {
			t.Fatal(err)
		}
		if err := p.Do(t.Context(), Task{Request: asked{"say y"}, Answer: &second}); err != nil || second.PID == first.PID {
			t.Errorf("the child %d goes on: %+v, %v", first.PID, second, err)
		}
	})
}
