//go:build failpoints

package failpoint

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa/internal/notify"
	"github.com/kappagraph/kappa/internal/postgres"
	"github.com/kappagraph/kappa/internal/postgres/db"
)

// What may happen at a failpoint.
const (
	actionError   = "error"
	actionExit    = "exit"
	actionPanic   = "panic"
	actionSleep   = "sleep"
	actionBarrier = "barrier"
)

// parse reads failpoints with semicolons between, and reports
// everything that is wrong with them. Each is
//
//	point=action[@probability][#times]
//
// as in "after JobClaim=exit@0.01;before WorkerHeartbeat=sleep(3s)#2". Without a
// probability it happens each time, without a number of times for ever.
func parse(text string) (map[string]*failpoint, error) {
	points, known := map[string]*failpoint{}, knownPoints()
	var broken []error
	for entry := range strings.SplitSeq(text, ";") {
		p, err := parsePoint(strings.TrimSpace(entry))
		switch {
		case err != nil:
		case !slices.Contains(known, p.point):
			err = fmt.Errorf("there is no point %q; points are before and after a statement by its name or COMMIT, and %q, %q, %q",
				p.point, notify.PointBeforeListen, notify.PointAfterListen, notify.PointAfterReceive)
		case points[p.point] != nil:
			err = fmt.Errorf("%q has two failpoints", p.point)
		default:
			points[p.point] = p
		}
		if err != nil {
			broken = append(broken, err)
		}
	}
	return points, errors.Join(broken...)
}

// knownPoints returns every point at which a hook is called.
func knownPoints() []string {
	points := []string{
		notify.PointBeforeListen, notify.PointAfterListen, notify.PointAfterReceive, "before COMMIT", "after COMMIT",
		"before " + postgres.ClaimStatement, "after " + postgres.ClaimStatement,
	}
	statements := reflect.TypeFor[*db.Queries]() // has a method for each
	for method := range statements.Methods() {
		if method.Name != "WithTx" {
			points = append(points, "before "+method.Name, "after "+method.Name)
		}
	}
	return points
}

// parsePoint reads one failpoint.
func parsePoint(text string) (*failpoint, error) {
	p := &failpoint{share: 1}
	point, rest, ok := strings.Cut(text, "=")
	if !ok {
		return nil, fmt.Errorf("must be point=action, got %q", text)
	}
	p.point = strings.TrimSpace(point)
	action, limits := rest, ""
	if end := strings.LastIndexByte(rest, ')'); end >= 0 { // an argument may contain anything
		action, limits = rest[:end+1], rest[end+1:]
	} else if start := strings.IndexAny(rest, "@#"); start >= 0 {
		action, limits = rest[:start], rest[start:]
	}
	if err := errors.Join(p.setAction(strings.TrimSpace(action)), p.setLimits(limits)); err != nil {
		return nil, fmt.Errorf("%s: %w", p.point, err)
	}
	return p, nil
}

// setAction reads what is to happen, with its argument.
func (p *failpoint) setAction(text string) (err error) {
	name, argument, has := strings.Cut(text, "(")
	argument = strings.TrimSuffix(argument, ")")
	p.action = name
	switch name {
	case actionError, actionExit, actionPanic:
		if has {
			return fmt.Errorf("%s takes no argument, got %q", name, argument)
		}
	case actionSleep:
		if p.pause, err = time.ParseDuration(argument); err != nil || p.pause <= 0 {
			return fmt.Errorf("sleep takes a duration, such as sleep(3s), got %q", argument)
		}
	case actionBarrier:
		if p.path = argument; !filepath.IsAbs(argument) {
			return fmt.Errorf("barrier takes the absolute path of a file, got %q", argument)
		}
	default:
		return fmt.Errorf("an action must be error, exit, panic, sleep(duration) or barrier(path), got %q", text)
	}
	return nil
}

// setLimits reads how probable it is, and how often it happens at most.
func (p *failpoint) setLimits(text string) (err error) {
	probability, times, limited := strings.Cut(text, "#")
	if limited {
		if p.most, err = strconv.Atoi(strings.TrimSpace(times)); err != nil || p.most < 1 {
			return fmt.Errorf("the number of times after # must be at least 1, got %q", times)
		}
	}
	probability = strings.TrimSpace(probability)
	if probability == "" {
		return nil
	}
	value, ok := strings.CutPrefix(probability, "@")
	if p.share, err = strconv.ParseFloat(value, 64); !ok || err != nil || !(p.share > 0 && p.share <= 1) {
		return fmt.Errorf("the probability after @ must be above 0 and at most 1, got %q", value)
	}
	return nil
}
