package datasets

import "context"

// Asker is for whom work is done that users share by turns.
type Asker struct {
	UserID int  // 0 = nobody in particular
	Job    bool // a job, whose number is bounded elsewhere, and which waits as long as it may
}

type askerKey struct{}

// WithAsker returns a context of work for an asker.
func WithAsker(ctx context.Context, a Asker) context.Context {
	return context.WithValue(ctx, askerKey{}, a)
}

// AskerOf returns for whom the work of ctx is done; the zero value stands for nobody in
// particular.
func AskerOf(ctx context.Context) Asker {
	a, _ := ctx.Value(askerKey{}).(Asker)
	return a
}
