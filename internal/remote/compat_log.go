package remote

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work"
)

// addLog adds to the log of the run, beside the events of its life.
func (c *channel) addLog(q request) {
	n := c.n
	var batch wire.CompatLogs
	if q.Event == wire.EventRunLog {
		var line wire.CompatLog
		_ = json.Unmarshal(q.Payload, &line) // what cannot be read is an empty line
		batch.Logs = []wire.CompatLog{line}
	} else if json.Unmarshal(q.Payload, &batch) != nil {
		return
	}
	lines := make([]work.RunLogLine, len(batch.Logs))
	for i, l := range batch.Logs {
		lines[i] = work.RunLogLine{Level: l.Level, Source: l.Source, StepID: l.StepID, WorkerTime: strings.Trim(string(l.Timestamp), `"`), Message: logText(l.Message)}
	}
	c.run.events.do(n.socket.spawn, func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(n.socket.ctx), statementLimit)
		defer cancel()
		if err := c.run.addLog(ctx, n.srv.cfg.Store, lines); err != nil {
			n.log.WarnContext(n.socket.ctx, "lines of a run's log are lost", "job", c.run.key.JobID, "lines", len(lines), "err", err)
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
