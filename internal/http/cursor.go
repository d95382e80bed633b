package http

import "github.com/kappagraph/kappa"

// NextCursor returns the cursor of the page after one of at most limit items: the place of
// its last item, and nil when the page is not full.
func NextCursor[T any](page []T, limit int, place func(T) kappa.Cursor) *string {
	if len(page) == 0 || len(page) < limit {
		return nil
	}
	next := place(page[len(page)-1]).String()
	return &next
}
