package access

import "context"

// Actor is who does something that is recorded: a person or a program, by a request.
type Actor struct {
	UserID    int
	Username  string
	ClientID  string
	RequestID string
}

type actorKey struct{}

// WithActor returns a context in which acts are recorded as those of an actor.
func WithActor(ctx context.Context, a Actor) context.Context {
	return context.WithValue(ctx, actorKey{}, a)
}

// ActorOf returns the actor of ctx. Without one, as in the server's own work, acts are
// not recorded.
func ActorOf(ctx context.Context) (Actor, bool) {
	a, ok := ctx.Value(actorKey{}).(Actor)
	return a, ok
}
