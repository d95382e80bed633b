package cli

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/kappagraph/kappa/access"
	"github.com/kappagraph/kappa/client"
	"github.com/kappagraph/kappa/cmd/kg/exit"
	"github.com/kappagraph/kappa/cmd/kg/show"
	"github.com/kappagraph/kappa/internal/pgembed"
	"github.com/kappagraph/kappa/work"
)

const (
	clockTolerance = 5 * time.Second // between this machine and the server
	oldQueue       = 5 * time.Minute // an approved job that waits longer is worth a look
)

// checkPostgres checks for what kg serve would run on. A machine that only talks
// to a server elsewhere does not need it.
func (a *App) checkPostgres(ctx context.Context, reached bool) finding {
	f := finding{Check: "PostgreSQL", Level: levelOK}
	if a.getenv("DATABASE_URL") != "" {
		f.Found = "DATABASE_URL is set"
		return f
	}
	dir, major, err := pgembed.FindPrograms(ctx, a.getenv("KG_PG_BIN"))
	if err == nil {
		f.Found = fmt.Sprintf("version %d, its programs are in %s", major, dir)
		if major > pgembed.NewestTested {
			f.Level = levelWarn
			f.Found += fmt.Sprintf("; Kappa was tested up to version %d", pgembed.NewestTested)
		}
		return f
	}
	f.Level, f.Found = levelFail, err.Error()
	f.Remedy = "install PostgreSQL's programs: " + pgembed.InstallCommand() + "; or set DATABASE_URL"
	if reached {
		f.Level, f.Found = levelWarn, f.Found+"; only kg serve needs them"
	}
	return f
}

// checkConfigFile checks that nobody else can read the credentials.
func (a *App) checkConfigFile() finding {
	f := finding{Check: "configuration", Level: levelOK, Found: "none: kg login makes one"}
	path, err := a.configPath()
	if err != nil {
		return finding{Check: f.Check, Level: levelFail, Found: err.Error()}
	}
	stat, err := os.Stat(path)
	if err != nil {
		return f
	}
	f.Found = path
	if stat.Mode().Perm()&0o077 != 0 {
		f.Level = levelWarn
		f.Found = fmt.Sprintf("others can read %s (mode %04o)", path, stat.Mode().Perm())
		f.Remedy = "chmod 600 " + path
	}
	return f
}

// checkServer checks that the server answers, is well, has our version and our
// time.
func (a *App) checkServer(ctx context.Context, c *client.Client, to connection) (findings []finding, reached bool) {
	server := finding{Check: "server", Level: levelOK}
	began := time.Now()
	info, err := c.Info(ctx)
	took := time.Since(began)
	if err != nil {
		server.Level, server.Found = levelFail, err.Error()
		_, server.Remedy = exit.CodeOf(err)
		return []finding{server}, false
	}
	server.Found = fmt.Sprintf("%s at %s, answered in %s", info.Service, to.url, show.Span(took))
	findings = append(findings, server, checkHealth(ctx, c), checkVersion(info, a.version))
	if !info.Clock.IsZero() {
		findings = append(findings, checkClock(info.Clock, began.Add(took/2)))
	}
	return findings, true
}

// checkHealth asks the server how it is.
func checkHealth(ctx context.Context, c *client.Client) finding {
	f := finding{Check: "health", Level: levelOK}
	health, err := c.Health(ctx)
	if err != nil {
		f.Level, f.Found = levelFail, err.Error()
		return f
	}
	f.Found = health.Status
	if health.Status == "healthy" {
		return f
	}
	f.Level, f.Remedy = levelFail, "read the server's log"
	for name, component := range health.Components {
		if component.Status != "healthy" {
			f.Found += fmt.Sprintf("; %s: %s %s", name, component.Status, component.Error)
		}
	}
	return f
}

// checkVersion compares kg with the server.
func checkVersion(info client.ServerInfo, ours string) finding {
	f := finding{Check: "version", Level: levelOK, Found: info.Version}
	if info.Version != ours {
		f.Level = levelWarn
		f.Found = fmt.Sprintf("kg is %s, the server is %s", ours, info.Version)
		f.Remedy = "restart the server with this kg, or use the kg of the server"
	}
	return f
}

// checkClock compares the server's clock, which is cut to the second, with ours
// at the moment between request and answer.
func checkClock(server, ours time.Time) finding {
	f := finding{Check: "clock", Level: levelOK, Found: "agrees with the server's"}
	skew := server.Add(500 * time.Millisecond).Sub(ours)
	if skew.Abs() > clockTolerance {
		ahead := "ahead of"
		if skew < 0 {
			ahead = "behind"
		}
		f.Level = levelWarn
		f.Found = fmt.Sprintf("the server's clock is %s %s this machine's", show.Span(skew.Abs()), ahead)
		f.Remedy = "set both by a time server (NTP)"
	}
	return f
}

// checkLogin checks that there are credentials for the server, and that they
// work.
func checkLogin(ctx context.Context, c *client.Client, to connection) (f finding, works bool) {
	f = finding{Check: "login", Level: levelFail, Remedy: "kg login -u " + access.AdminUsername}
	switch {
	case to.elsewhere != "":
		f.Found = fmt.Sprintf("logged in at %s, but this is %s (from %s)", to.elsewhere, to.url, to.source)
		f.Remedy += " --api-url " + to.url
		return f, false
	case to.clientID == "":
		f.Found = "not logged in"
		return f, false
	}
	if _, err := c.Ontologies.List(ctx); err != nil {
		f.Found = err.Error()
		return f, false
	}
	return finding{Check: f.Check, Level: levelOK, Found: "as " + to.username}, true
}

// checkLanes checks that the lanes claim every job type, and that the queue
// moves.
func checkLanes(ctx context.Context, c *client.Client) []finding {
	status, err := c.Workers.Status(ctx)
	if err != nil {
		return []finding{{Check: "lanes", Level: levelFail, Found: err.Error()}}
	}
	findings := []finding{laneFinding(status), unclaimedFinding(status), leaderFinding(status), queueFinding(status)}
	findings = append(findings, loopFindings(status.Loops)...)
	if len(status.Remote.Unserved) > 0 {
		findings = append(findings, unservedFinding(status))
	}
	if len(status.Unhandled) > 0 {
		findings = append(findings, unhandledFinding(status))
	}
	if len(status.Orphans) > 0 {
		findings = append(findings, orphanFinding(status.Orphans))
	}
	if status.UnheededProxy != "" {
		findings = append(findings, proxyFinding(status.UnheededProxy))
	}
	findings = append(findings, certificateFindings(status.Certificates, time.Now())...)
	for _, source := range status.EventSources {
		findings = append(findings, sourceFinding(source))
	}
	return findings
}

func proxyFinding(address string) finding {
	return finding{
		Check: "proxy", Level: levelWarn,
		Found:  "requests came from " + address + " that name another client, which is not believed: all its clients share one count of failed logins",
		Remedy: "if that is your proxy: KG_TRUSTED_PROXIES=" + address + " for kg serve",
	}
}

func laneFinding(s work.WorkerStatus) finding {
	f := finding{Check: "lanes", Level: levelOK, Found: fmt.Sprintf("%s, %d of %s in use", show.Counted(len(s.Lanes), "lane"), s.SlotsInUse, show.Counted(s.TotalSlots, "slot"))}
	var disabled, slotless []string
	for _, l := range s.Lanes {
		switch {
		case !l.Enabled:
			disabled = append(disabled, l.Name)
		case l.MaxSlots == 0:
			slotless = append(slotless, l.Name)
		}
	}
	switch {
	case len(disabled) > 0:
		f.Level, f.Found = levelWarn, "disabled: "+strings.Join(disabled, ", ")
		f.Remedy = "kg admin workers lanes set " + disabled[0] + " --enable"
	case len(slotless) > 0:
		f.Level, f.Found = levelWarn, "without slots: "+strings.Join(slotless, ", ")
		f.Remedy = "kg admin workers lanes set " + slotless[0] + " --max-slots 2"
	}
	if len(s.OverCeiling) > 0 {
		f.Level = levelWarn
		f.Found = fmt.Sprintf("more slots than the %d that a lane may use (MAX_LANE_SLOTS): %s", s.SlotCeiling, strings.Join(s.OverCeiling, ", "))
		f.Remedy = fmt.Sprintf("kg admin workers lanes set %s --max-slots %d, or a higher MAX_LANE_SLOTS", s.OverCeiling[0], s.SlotCeiling)
	}
	if s.TotalSlots == 0 {
		f.Level, f.Found = levelFail, "no enabled lane has a slot: no job can run"
	}
	return f
}

// unservedFinding says which work no connected worker takes.
func unservedFinding(s work.WorkerStatus) finding {
	words := make([]string, len(s.Remote.Unserved))
	for i, q := range s.Remote.Unserved {
		words[i] = fmt.Sprintf("%d of %s in queue %s", q.Count, q.JobType, q.Queue)
	}
	return finding{
		Check: "remote workers", Level: levelWarn, Found: "no connected worker takes " + strings.Join(words, ", "),
		Remedy: "connect a worker that takes this type and queue: kg admin workers remote",
	}
}

func unclaimedFinding(s work.WorkerStatus) finding {
	if len(s.Unclaimed) == 0 {
		return finding{Check: "job types", Level: levelOK, Found: "every one that has work is claimed by a lane"}
	}
	return finding{
		Check: "job types", Level: levelFail, Found: "no lane claims " + strings.Join(s.Unclaimed, ", ") + ": those jobs wait for ever",
		Remedy: "enable the lane that has them, or give it slots: kg admin workers lanes",
	}
}

// unhandledFinding says which job types wait for a leader that knows them.
func unhandledFinding(s work.WorkerStatus) finding {
	return finding{
		Check: "handlers", Level: levelFail, Found: "the server that leads has no handler for " + strings.Join(s.Unhandled, ", ") + ": those jobs wait for ever",
		Remedy: "restart the leader with a program and settings that know these job types: kg admin workers",
	}
}

func leaderFinding(s work.WorkerStatus) finding {
	if s.Leader == nil {
		return finding{Check: "leader", Level: levelFail, Found: "no server runs the lanes", Remedy: "one takes over within seconds; if not, read the server's log"}
	}
	return finding{Check: "leader", Level: levelOK, Found: s.Leader.WorkerID + " since " + show.When(&s.Leader.Since)}
}

// orphanFinding says which handlers do not return although their context has ended.
func orphanFinding(orphans []work.Orphan) finding {
	f := finding{Check: "handlers", Level: levelWarn, Remedy: "their stacks are in the server's log; a restart of the server ends them"}
	names := make([]string, len(orphans))
	for i, o := range orphans {
		names[i] = fmt.Sprintf("%s (%s) for %s", o.JobID, o.JobType, show.Age(o.Since.Time))
	}
	f.Found = show.Counted(len(orphans), "handler") + " working on although asked to stop: " + strings.Join(names, ", ")
	if len(orphans) > work.MaxOrphans {
		f.Level, f.Remedy = levelFail, "restart the server"
	}
	return f
}

// sourceFinding says how well the server hears what is committed elsewhere.
func sourceFinding(e work.EventSource) finding {
	f := finding{Check: "events: " + e.Name, Level: levelOK}
	switch {
	case !e.Active && e.Name != "nats":
		f.Found = "not needed: NATS is heard instead"
		return f
	case !e.Connected:
		f.Level, f.Found = levelWarn, "cut off"
		if e.Since != nil {
			f.Found += " since " + show.When(e.Since)
		}
		if e.Error != "" {
			f.Found += ": " + e.Error
		}
		f.Remedy = "nothing is lost: changes are seen within seconds by polling; read the server's log"
		if e.Name == "nats" {
			f.Remedy = "nothing is lost: the server hears the database meanwhile; see its log"
		}
		return f
	}
	f.Found = "connected"
	if e.LagMS != nil {
		f.Found += fmt.Sprintf(", a message to itself takes %.1f ms", *e.LagMS)
	}
	if e.LagBytes != nil {
		f.Found += fmt.Sprintf(", %d bytes behind", *e.LagBytes)
	}
	if e.Reconnects > 0 {
		f.Found += ", lost " + show.Counted(int(e.Reconnects), "time") + " since the start"
	}
	return f
}

func queueFinding(s work.WorkerStatus) finding {
	f := finding{Check: "queue", Level: levelOK, Found: show.Counted(s.TotalQueued, "job") + " approved and waiting"}
	for _, q := range s.QueuedByType {
		if q.Oldest == nil || time.Since(q.Oldest.Time) < oldQueue {
			continue
		}
		f.Level = levelWarn
		f.Found += fmt.Sprintf("; the oldest %s for %s", q.JobType, show.Age(q.Oldest.Time))
		f.Remedy = "more slots help when the machine is idle: kg admin workers lanes set LANE --max-slots N"
	}
	return f
}
