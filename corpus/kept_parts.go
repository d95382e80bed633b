package corpus

import "context"

// KeptParts keep what was read of one document, for whoever reads it again: the job after its
// analysis, and each further attempt of it, on whichever server.
type KeptParts interface {
	// Parts returns what a reader has kept, by the numbers of the parts: 0 is the text, any other
	// one a page that was a picture. What another reader has kept is not among it.
	Parts(ctx context.Context, reader string) (map[int][]byte, error)
	// Keep keeps parts in place of what was kept of them before.
	Keep(ctx context.Context, reader string, parts map[int][]byte) error
}

type keptPartsKey struct{}

// WithKeptParts has what is read of a document taken from where it is kept, and kept there.
func WithKeptParts(ctx context.Context, parts KeptParts) context.Context {
	return context.WithValue(ctx, keptPartsKey{}, parts)
}

// KeptPartsOf returns where it is kept; nil keeps nothing.
func KeptPartsOf(ctx context.Context) KeptParts {
	parts, _ := ctx.Value(keptPartsKey{}).(KeptParts)
	return parts
}
