package cli

import (
	"fmt"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/cmd/kg/show"
)

// loopFindings say which loops of the server that answers have stopped to do what they are
// there for. A server from before there were any says nothing of them.
func loopFindings(loops []kappa.LoopState) (findings []finding) {
	if len(loops) == 0 {
		return nil
	}
	for _, l := range loops {
		if l.Stuck() {
			findings = append(findings, loopFinding(l))
		}
	}
	if len(findings) == 0 {
		findings = []finding{{Check: "loops", Level: levelOK, Found: show.Counted(len(loops), "loop") + " of this server in time"}}
	}
	return findings
}

// loopFinding says what is wrong with a loop.
func loopFinding(l kappa.LoopState) finding {
	f := finding{Check: "loops", Level: levelWarn, Remedy: "the server's log says more; if the database answers, restart the server"}
	last := "never since it began"
	if l.LastRun != nil {
		last = "last " + show.Age(l.LastRun.Time) + " ago"
	}
	if l.Overdue > 0 {
		f.Found = fmt.Sprintf("%s: due every %s, %s, overdue for %s", l.Name, seconds(l.Period), last, seconds(l.Overdue))
	} else {
		f.Found = fmt.Sprintf("%s: failed %d times in a row, %s", l.Name, l.FailedInARow, last)
	}
	if l.LastError != nil {
		f.Found += "; its last error: " + *l.LastError
	}
	return f
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Second)
}
