package remote

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

func (n *session) compatLog(f wire.Frame, c *channel) {
	var batch wire.CompatLogs
	if f.Event == wire.EventRunLog {
		var line wire.CompatLog
		_ = json.Unmarshal(f.Payload, &line) // what cannot be read is an empty line
		batch.Logs = []wire.CompatLog{line}
	} else if json.Unmarshal(f.Payload, &batch) != nil {
		return
	}
	lines := make([]work.RunLogLine, len(batch.Logs))
	for i, l := range batch.Logs {
		lines[i] = work.RunLogLine{Level: l.Level, Source: l.Source, StepID: l.StepID, WorkerTime: strings.Trim(string(l.Timestamp), `"`), Message: logText(l.Message)}
	}
	c.run.events.do(n.spawn, func() { // beside the lifecycle events
		ctx, cancel := context.WithTimeout(context.WithoutCancel(n.ctx), statementLimit)
		defer cancel()
		if err := n.addLog(ctx, c.run, lines); err != nil {
			n.log.WarnContext(n.ctx, "lines of a run's log are lost", "job", c.run.key.JobID, "lines", len(lines), "err", err)
		}
	})
}

// logText returns a message of the log as text: a list is joined with spaces.
func logText(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return text
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return string(raw)
	}
	words := make([]string, len(list))
	for i, item := range list {
		if json.Unmarshal(item, &words[i]) != nil {
			words[i] = string(item)
		}
	}
	return strings.Join(words, " ")
}
