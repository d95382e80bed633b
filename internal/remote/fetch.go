package remote

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa/artifacts"
	"github.com/kappagraph/kappa/internal/remote/wire"
)

func (c *channel) fetchPlan(q request, sink bool) {
	if sink {
		q.reply(emptyPlan(c.run.key.JobID))
		return
	}
	q.reply(c.input().plan)
}

// input returns what a run works on. One that was joined while the database was away reads
// it when it is asked for first, and waits for the database as long as an answer may. When
// that is in vain its plan is empty, for an error would end the worker, and its end is not
// taken for a success.
func (c *channel) input() *compatInput {
	n, r := c.n, &c.run.compat
	if known := r.known(); known != nil {
		return known
	}
	var read compatInput
	err := c.persist(0, func(ctx context.Context) error {
		input, err := n.srv.cfg.Store.Input(ctx, c.run.key)
		if err == nil {
			read.plan, read.data, err = planOf(c.run.key.JobID, input)
		}
		return err
	})
	if err != nil {
		n.log.ErrorContext(n.socket.ctx, "the plan of a run cannot be read; the worker gets an empty one", "job", c.run.key.JobID, "err", err)
		read = compatInput{plan: emptyPlan(c.run.key.JobID), hollow: true}
	}
	return r.set(&read)
}

func (c *channel) fetchDataclip(q request, sink bool) {
	n := c.n
	var e wire.FetchByID
	if sink || json.Unmarshal(q.Payload, &e) != nil {
		q.refuse("not found")
		return
	}
	ctx, cancel := context.WithTimeout(n.socket.ctx, statementLimit)
	defer cancel()
	if body, ok := c.input().data.Dataclips[e.ID]; ok {
		if id := artifacts.DataclipReference(body); id != "" {
			c.fetchUploaded(ctx, q, id)
			return
		}
		q.replyBytes(body)
		return
	}
	body, err := n.srv.cfg.Store.Dataclip(ctx, c.run.key.JobID, e.ID)
	if err != nil {
		q.refuse("not found")
		return
	}
	q.replyBytes([]byte(body))
}

// fetchUploaded answers with a dataclip that was uploaded by itself.
func (c *channel) fetchUploaded(ctx context.Context, q request, id string) {
	n := c.n
	body, err := n.srv.cfg.Store.UploadedDataclip(ctx, c.run.key.JobID, id)
	if err != nil {
		n.log.WarnContext(n.socket.ctx, "a dataclip of a run is not there", "job", c.run.key.JobID, "dataclip", id, "err", err)
		q.refuse("not found")
		return
	}
	q.replyBytes(body)
}

func (c *channel) fetchCredential(q request, sink bool) {
	n := c.n
	var e wire.FetchByID
	name, ok := "", false
	if !sink && json.Unmarshal(q.Payload, &e) == nil {
		name, ok = c.input().data.Credentials[e.ID]
	}
	if !ok {
		q.refuse("not found")
		return
	}
	var body []byte
	err := c.persist(0, func(ctx context.Context) (err error) {
		body, err = n.srv.cfg.Store.Secret(ctx, name)
		return err
	})
	var object map[string]json.RawMessage
	if err != nil || json.Unmarshal(body, &object) != nil {
		n.log.WarnContext(n.socket.ctx, "a credential of a run is not there", "job", c.run.key.JobID, "secret", name)
		q.refuse("not found")
		return
	}
	q.reply(json.RawMessage(body))
}
