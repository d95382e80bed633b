package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

// paced is the body of an answer that must come at a least pace, and within the time
// of its context.
type paced struct {
	body   io.ReadCloser
	ctx    context.Context //nolint:containedctx // it ends with the body
	cancel context.CancelFunc

	least int // bytes a second
	begin time.Time
	read  int64
	timer *time.Timer // ends a read that brings nothing
}

var errPace = errors.New("the answer comes too slowly")

func newPaced(ctx context.Context, cancel context.CancelFunc, body io.ReadCloser, least int) *paced {
	return &paced{body: body, ctx: ctx, cancel: cancel, least: least, begin: time.Now(), timer: time.AfterFunc(grace, cancel)}
}

// Read reads, and fails once the pace is too low: after 10 s, when less has come than
// the least pace gives for the time beyond them.
func (p *paced) Read(b []byte) (int, error) {
	n, err := p.body.Read(b)
	p.read += int64(n)
	spent := time.Since(p.begin)
	due := grace + time.Duration(float64(p.read)/float64(p.least)*float64(time.Second))
	switch {
	case err == nil && spent > due:
		return n, upstream(errPace.Error(), nil)
	case err != nil && !errors.Is(err, io.EOF):
		return n, p.explain(err, spent >= due)
	}
	p.timer.Reset(due - spent)
	return n, err
}

func (p *paced) explain(err error, late bool) error {
	switch {
	case late:
		return upstream(errPace.Error(), err)
	case errors.Is(context.Cause(p.ctx), errSlow):
		return upstream(errSlow.Error(), err)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return upstream("the server ended the answer early", err)
	case p.ctx.Err() != nil:
		return fmt.Errorf("read the answer: %w", context.Cause(p.ctx))
	}
	return upstream("the connection to the server broke off", err)
}

// Close ends the answer.
func (p *paced) Close() error {
	p.timer.Stop()
	err := p.body.Close()
	p.cancel()
	return err
}
