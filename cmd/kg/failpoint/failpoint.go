//go:build failpoints

package failpoint

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// ExitCode is that of a process that a failpoint has ended.
const ExitCode = 70

// barrierPoll is the time between two checks for the file of a barrier.
const barrierPoll = 10 * time.Millisecond

// errInjected is what fails at a failpoint. It is taken for the end of a
// connection: whether the statement was done is not known.
var errInjected = fmt.Errorf("failpoint: %w", io.ErrUnexpectedEOF)

// Set is failpoints, which break the server at chosen places.
type Set struct {
	text   string // as it was given
	points map[string]*failpoint
}

// failpoint is what happens at one place.
type failpoint struct {
	point  string // "before JobFinish"
	action string // error, exit, panic, sleep or barrier
	pause  time.Duration
	path   string  // of the file that opens a barrier
	share  float64 // how probable it is each time, above 0 up to 1
	most   int     // times; 0 = no limit

	mu    sync.Mutex // guards what follows
	rand  *rand.Rand
	fired int
}

// Read reads the value of KG_FAILPOINTS; see parse. The seed
// decides when those fire that are not certain.
func Read(text string, seed int) (*Set, error) {
	if text == "" {
		return nil, nil //nolint:nilnil // none are armed
	}
	points, err := parse(text)
	if err != nil {
		return nil, fmt.Errorf("KG_FAILPOINTS: %w", err)
	}
	for name, p := range points {
		stream := fnv.New64a()
		stream.Write([]byte(name)) // never fails
		p.rand = rand.New(rand.NewPCG(uint64(seed), stream.Sum64()))
	}
	return &Set{text: text, points: points}, nil
}

// Hook returns what is to be called at each point, nil when nothing is armed.
func (f *Set) Hook(log *slog.Logger) func(context.Context, string) error {
	if f == nil {
		return nil
	}
	log.Warn("failpoints are armed", "failpoints", f.text)
	return func(ctx context.Context, point string) error {
		p := f.points[point]
		if p == nil || !p.fires() {
			return nil
		}
		log.WarnContext(ctx, "failpoint reached", "point", p.point, "action", p.action)
		return p.act()
	}
}

// fires decides whether it is to happen this time.
func (p *failpoint) fires() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.most > 0 && p.fired == p.most || p.rand.Float64() >= p.share {
		return false
	}
	p.fired++
	return true
}

// act does it. It ignores the context, as a process does that hangs.
func (p *failpoint) act() error {
	switch p.action {
	case actionExit:
		os.Exit(ExitCode) //nolint:revive // as a crash would end it
	case actionPanic:
		panic("failpoint " + p.point)
	case actionError:
		return fmt.Errorf("%s: %w", p.point, errInjected)
	case actionSleep:
		<-time.After(p.pause)
	case actionBarrier:
		for !exists(p.path) {
			<-time.After(barrierPoll)
		}
	}
	return nil
}

// exists reports whether there is a file.
func exists(path string) bool {
	_, err := os.Stat(path)
	return !errors.Is(err, os.ErrNotExist)
}
