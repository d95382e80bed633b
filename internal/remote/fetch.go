package remote

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa/internal/remote/wire"
)

func (n *session) replyPlan(f wire.Frame, c *channel, sink bool) {
	if sink {
		n.reply(f, emptyPlan(c.run.key.JobID))
		return
	}
	if c.run.compat.plan == nil { // joined while the database was away
		ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
		defer cancel()
		if input, err := n.srv.cfg.Store.Input(ctx, c.run.key); err == nil {
			c.run.compat.plan, c.run.compat.data, _ = planOf(c.run.key.JobID, input)
		}
		if c.run.compat.plan == nil {
			c.run.compat.plan = emptyPlan(c.run.key.JobID)
		}
	}
	n.reply(f, c.run.compat.plan)
}

func (n *session) fetchDataclip(f wire.Frame, c *channel, sink bool) {
	var e wire.FetchByID
	if sink || json.Unmarshal(f.Payload, &e) != nil {
		n.refuse(f, "not found")
		return
	}
	if body, ok := c.run.compat.data.Dataclips[e.ID]; ok {
		n.replyBytes(f, body)
		return
	}
	ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
	defer cancel()
	body, err := n.srv.cfg.Store.Dataclip(ctx, c.run.key.JobID, e.ID)
	if err != nil {
		n.refuse(f, "not found")
		return
	}
	n.replyBytes(f, []byte(body))
}

func (n *session) fetchCredential(f wire.Frame, c *channel, sink bool) {
	var e wire.FetchByID
	name, ok := "", false
	if json.Unmarshal(f.Payload, &e) == nil {
		name, ok = c.run.compat.data.Credentials[e.ID]
	}
	if sink || !ok {
		n.refuse(f, "not found")
		return
	}
	var body []byte
	err := n.persist(0, func(ctx context.Context) (err error) {
		body, err = n.srv.cfg.Store.Secret(ctx, name)
		return err
	})
	var object map[string]json.RawMessage
	if err != nil || json.Unmarshal(body, &object) != nil {
		n.log.WarnContext(n.ctx, "a credential of a run is not there", "job", c.run.key.JobID, "secret", name)
		n.refuse(f, "not found")
		return
	}
	n.reply(f, json.RawMessage(body))
}

// replyBytes answers with bytes: in a binary frame, or as a list of numbers.
func (n *session) replyBytes(f wire.Frame, body []byte) {
	if !n.hello.arrays {
		n.send(outFrame{data: wire.EncodeBinaryReply(f, wire.StatusOK, body), binary: true})
		return
	}
	numbers := make([]int, len(body))
	for i, b := range body {
		numbers[i] = int(b)
	}
	n.reply(f, numbers)
}
