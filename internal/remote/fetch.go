package remote

import (
	"context"
	"encoding/json"

	"github.com/kappagraph/kappa/internal/remote/wire"
	"github.com/kappagraph/kappa/work/artifacts"
)

func (n *session) replyPlan(f wire.Frame, c *channel, sink bool) {
	if sink {
		n.reply(f, emptyPlan(c.run.key.JobID))
		return
	}
	n.reply(f, n.input(c).plan)
}

// input returns what a run works on. One that was joined while the database was away reads
// it when it is asked for first, and waits for the database as long as an answer may. When
// that is in vain its plan is empty, for an error would end the worker, and its end is not
// taken for a success.
func (n *session) input(c *channel) *compatInput {
	r := &c.run.compat
	if known := r.known(); known != nil {
		return known
	}
	var read compatInput
	err := n.persist(0, func(ctx context.Context) error {
		input, err := n.srv.cfg.Store.Input(ctx, c.run.key)
		if err == nil {
			read.plan, read.data, err = planOf(c.run.key.JobID, input)
		}
		return err
	})
	if err != nil {
		n.log.ErrorContext(n.ctx, "the plan of a run cannot be read; the worker gets an empty one", "job", c.run.key.JobID, "err", err)
		read = compatInput{plan: emptyPlan(c.run.key.JobID), hollow: true}
	}
	return r.set(&read)
}

func (n *session) fetchDataclip(f wire.Frame, c *channel, sink bool) {
	var e wire.FetchByID
	if sink || json.Unmarshal(f.Payload, &e) != nil {
		n.refuse(f, "not found")
		return
	}
	ctx, cancel := context.WithTimeout(n.ctx, statementLimit)
	defer cancel()
	if body, ok := n.input(c).data.Dataclips[e.ID]; ok {
		if id := artifacts.DataclipReference(body); id != "" {
			n.fetchUploaded(ctx, f, c, id)
			return
		}
		n.replyBytes(f, body)
		return
	}
	body, err := n.srv.cfg.Store.Dataclip(ctx, c.run.key.JobID, e.ID)
	if err != nil {
		n.refuse(f, "not found")
		return
	}
	n.replyBytes(f, []byte(body))
}

// fetchUploaded answers with a dataclip that was uploaded by itself.
func (n *session) fetchUploaded(ctx context.Context, f wire.Frame, c *channel, id string) {
	body, err := n.srv.cfg.Store.UploadedDataclip(ctx, c.run.key.JobID, id)
	if err != nil {
		n.log.WarnContext(n.ctx, "a dataclip of a run is not there", "job", c.run.key.JobID, "dataclip", id, "err", err)
		n.refuse(f, "not found")
		return
	}
	n.replyBytes(f, body)
}

func (n *session) fetchCredential(f wire.Frame, c *channel, sink bool) {
	var e wire.FetchByID
	name, ok := "", false
	if !sink && json.Unmarshal(f.Payload, &e) == nil {
		name, ok = n.input(c).data.Credentials[e.ID]
	}
	if !ok {
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
